"""The view Geos of the Plan screen: the plan over channels and geos."""
