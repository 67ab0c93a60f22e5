"""Service: one function per verb of the product, for every face."""
