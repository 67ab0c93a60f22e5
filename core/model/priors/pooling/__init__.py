"""Pooling: a prior of one channel from what fits and tests of others have learnt."""
