"""Experiments: what do lift tests say?"""
