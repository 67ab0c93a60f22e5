"""The record of a fit: what summary.json holds, as one frozen type."""
