"""Figures about plans."""
