"""Experiments: their tables and what is wrong with them."""
