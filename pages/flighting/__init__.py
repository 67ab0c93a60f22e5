"""Flighting: when should it run?"""
