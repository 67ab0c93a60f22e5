"""Response: outcome over spend, reach and frequency."""
