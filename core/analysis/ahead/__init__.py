"""Ahead: forecasts, and how good they were."""
