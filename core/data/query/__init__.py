"""A table from where data live: one SELECT over files and databases, by DuckDB."""
