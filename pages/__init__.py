"""Screens: a folder each, whose `screen.render()` draws it; only what is drawn."""
