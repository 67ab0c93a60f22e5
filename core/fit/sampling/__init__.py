"""Sampling: chains, warm-up and draws."""
