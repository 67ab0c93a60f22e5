"""Block: the linear terms, integrated out and drawn."""
