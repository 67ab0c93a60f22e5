"""Shares of the outcome: what priors say of them before any data are seen."""
