"""Data: from a file of media and sales to `InputData`, with findings on the way."""
