"""Deck: the report as slides."""
