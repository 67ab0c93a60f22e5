"""Solvers for spend by week."""
