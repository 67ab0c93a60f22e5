"""Kinds: exports and platforms that are known by their columns."""
