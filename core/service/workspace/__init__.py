"""The workspace as a whole: its server, backup and restore."""
