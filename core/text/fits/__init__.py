"""Two fits in words: beside each other, and one after the other."""
