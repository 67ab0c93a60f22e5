"""What is brought beside the table: results of tests, and events."""
