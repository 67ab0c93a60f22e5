"""Recognition: what a column is, by its name and its cells."""
