"""Saved plans: names, approval, and what happened."""
