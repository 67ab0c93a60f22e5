"""Files: tables as they lie, read within limits."""
