"""Advice on a plan: whether to change, keep or test first, and how sure that is."""
