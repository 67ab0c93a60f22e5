"""Fit: sampling by NUTS, convergence diagnostics, and the posterior they describe."""
