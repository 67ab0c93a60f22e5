"""Report: what do I send?"""
