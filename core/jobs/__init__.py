"""Jobs: runs in processes of their own, supervised."""
