"""Compiled functions, and how the next process finds them."""
