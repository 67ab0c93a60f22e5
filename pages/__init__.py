"""Screens: one module each, with an importable `render()`; only what is drawn."""
