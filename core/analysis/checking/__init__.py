"""Checking: whether model and data agree."""
