"""Priors: distributions, what they imply, and how they are elicited."""
