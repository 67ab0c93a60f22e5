"""Refreshing: what moved, and a first answer by reweighting."""
