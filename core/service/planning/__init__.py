"""Planning: what a scenario says, and what becomes of a plan by hand."""
