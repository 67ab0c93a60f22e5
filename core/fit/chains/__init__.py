"""Chains: the coordinates that they move in, their steps, and all of them at once."""
