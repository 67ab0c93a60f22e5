"""One budget over the fits of several projects."""
