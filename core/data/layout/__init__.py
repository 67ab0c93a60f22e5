"""Layout: how files that are not yet a table for a model become one."""
