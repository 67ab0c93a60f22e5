"""Data: is this data good enough?"""
