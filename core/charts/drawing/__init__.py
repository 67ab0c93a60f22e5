"""Drawing: what figures share."""
