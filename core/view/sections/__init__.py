"""Sections: what every medium says of a fit, each declared once."""
