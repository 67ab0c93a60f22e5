"""Channels that are the KPI of another model: steps on the way."""
