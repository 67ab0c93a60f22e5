"""Refresh: new rows taken in, what moved since the last fit, and why."""
