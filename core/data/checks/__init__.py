"""Checks: what stands against a fit, found in the data."""
