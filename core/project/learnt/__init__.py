"""Learnt: what fits and lift tests of a project say of returns, for other projects."""
