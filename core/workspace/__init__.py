"""Workspace: projects, data sets, runs and plans on disk."""
