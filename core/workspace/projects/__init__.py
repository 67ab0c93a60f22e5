"""Projects: made, opened, changed and deleted."""
