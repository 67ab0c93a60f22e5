"""Terms: linear parts of the mean, as columns."""
