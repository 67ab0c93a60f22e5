"""Weeks: when the plan's money runs."""
