"""Rare requests of a plan: groups, channels without history, numbers from a date on."""
