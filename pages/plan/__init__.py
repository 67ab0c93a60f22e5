"""Plan: how should the next budget be split, and is it worth changing?"""
