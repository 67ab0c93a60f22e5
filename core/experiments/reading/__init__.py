"""Reading: what a test of geos did, from the geos that were left alone."""
