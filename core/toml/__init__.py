"""TOML, read with care: a document, and its tables with every problem at once."""
