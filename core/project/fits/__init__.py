"""Fits: runs, their inputs, state and results."""
