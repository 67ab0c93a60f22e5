"""Scenario: what is asked for, as people state it."""
