"""Words, numbers and units as they are written."""
