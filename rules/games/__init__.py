"""The games: a hand of each, with its options and the state of its deck."""
