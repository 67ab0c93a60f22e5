"""The shelf of projects: create, list, copy, merge, delete."""
