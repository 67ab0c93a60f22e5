"""Who reads: their language."""
