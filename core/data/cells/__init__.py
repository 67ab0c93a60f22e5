"""Cells: numbers as people write them, and what cannot be told from how they look."""
