"""Hands, matches and sessions as they are played, and their logs."""
