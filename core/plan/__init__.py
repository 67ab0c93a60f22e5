"""Plan: the best budget under limits, with its odds."""
