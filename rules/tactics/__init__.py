"""Rules of thumb: the advice of the texts, and simpler ones, as strategies."""
