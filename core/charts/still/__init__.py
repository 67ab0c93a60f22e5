"""Figures as still pictures, for paper: drawn without a browser."""
