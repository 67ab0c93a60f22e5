"""Lift tests of a project, and the fits that were tested."""
