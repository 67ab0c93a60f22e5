"""Promises: what fits, plans and tests said would happen, beside what came."""
