"""Uploads: from files in the browser to one table with a mapping."""
