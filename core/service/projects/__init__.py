"""Projects: which there are, made from tables, and what their plans need to be so."""
