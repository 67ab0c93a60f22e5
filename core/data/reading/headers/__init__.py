"""Headers: names of columns in two rows, and names that stand again further down."""
