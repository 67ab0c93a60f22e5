"""Solvers: the best spend within limits, and a bound on any."""
