"""What the texts of the games advise, turned into numbers and tested."""
