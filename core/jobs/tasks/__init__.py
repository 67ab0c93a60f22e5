"""Tasks: what a worker does, by kind of run."""
