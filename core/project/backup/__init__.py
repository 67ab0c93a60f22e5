"""Backup: projects copied at one moment into one file, and put back whole."""
