"""Tables on their way into a project: roles, models of other programs, new files."""
