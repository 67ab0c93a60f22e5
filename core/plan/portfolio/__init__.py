"""One budget over several fits: brands, countries, products."""
