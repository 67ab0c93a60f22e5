"""Weeks: what is said of a plan of weeks, once, for every medium."""
