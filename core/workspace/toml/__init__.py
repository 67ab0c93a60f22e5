"""TOML: project.toml, read and written."""
