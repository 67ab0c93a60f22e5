"""What lies on disk: atomic writes, locks, places, and the state of a run."""
