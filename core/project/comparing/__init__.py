"""Comparing: fits and specifications side by side."""
