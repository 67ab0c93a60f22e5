"""View: what is said of a plan, once, for every medium."""
