"""Model: what do we assume?"""
