"""One budget over the fits of several projects, on the Plan screen."""
