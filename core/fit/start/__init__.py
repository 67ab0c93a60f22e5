"""Start: modes, approximations, and where chains begin."""
