"""Limits: what channels, geos and weeks may spend."""
