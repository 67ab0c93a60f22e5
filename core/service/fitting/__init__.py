"""Fits in the process that asks; screens, which load no JAX, keep away."""
