"""Standby: a supervisor and a worker that wait for the next run, and who keeps them."""
