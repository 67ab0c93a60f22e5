"""Fit: has it converged, and when is it done?"""
