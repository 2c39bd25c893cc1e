"""Figures, with matplotlib."""
