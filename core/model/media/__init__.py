"""Media: carryover, saturation and treatments."""
