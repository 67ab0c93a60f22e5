"""Ahead: periods after the data, planned and come."""
