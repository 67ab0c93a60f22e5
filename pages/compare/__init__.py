"""Compare: which plan is better, and do two fits give the same answer?"""
