"""Operation: how a server stands, for who keeps it; no data of anybody is in it."""
