"""Demand: does the spend of a channel follow what people want to buy anyway?"""
