"""Disk: atomic writes, locks, names of places."""
