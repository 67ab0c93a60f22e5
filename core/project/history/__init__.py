"""History: what happened in a project, read from its log and from what lies on disk."""
