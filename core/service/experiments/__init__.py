"""Lift tests as they are planned: where each stands, what it needs, what it fixes."""
