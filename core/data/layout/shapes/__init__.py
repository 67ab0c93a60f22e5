"""Shapes of tables that are no rows by date: dates across, in parts, in outlines."""
