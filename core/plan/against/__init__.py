"""Against: a plan beside what happened, a goal, and other fits."""
