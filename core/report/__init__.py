"""Report: one file that a marketing director opens."""
