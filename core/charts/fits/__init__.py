"""Figures about fits."""
