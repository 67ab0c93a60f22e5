"""Commands for a team and its server."""
