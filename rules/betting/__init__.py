"""Actions, bet sizes and the betting itself, as public games."""
