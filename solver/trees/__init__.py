"""The public tree in flat arrays."""
