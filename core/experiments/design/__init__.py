"""Design: which test next, what it costs and what it brings."""
