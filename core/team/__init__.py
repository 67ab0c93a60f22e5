"""Who acts, what they may do, and the log of what was done."""
