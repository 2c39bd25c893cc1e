"""What every part stands on: errors, reading of values, files that are written whole, versions."""
