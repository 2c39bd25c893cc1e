"""What commands print: text for people, CSV and JSON for programs."""
