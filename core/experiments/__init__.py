"""Experiments: read a test that ran, and choose the next one by what it is worth."""
