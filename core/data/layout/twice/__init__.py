"""Twice: rows that several files, or one, have two times."""
