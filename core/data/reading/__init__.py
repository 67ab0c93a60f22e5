"""Reading: dates and numbers in cells, and what is doubtful about them."""
