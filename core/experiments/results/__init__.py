"""Results: what a report says about a test, as the model takes it."""
