"""Three and four players: every deal and every history."""
