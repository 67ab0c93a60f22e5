"""Notebook: what `import mixwright` hands out."""
