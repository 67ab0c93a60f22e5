"""Projects: settings, fits, plans, tests, history, refreshes and backups."""
