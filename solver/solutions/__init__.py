"""Solved hands: in memory, on disk, and asked."""
