"""History: new rows taken in, what moved with them, and who did what."""
