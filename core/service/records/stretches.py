"""Stretches of time that results can be of, for screens."""

from core.analysis.stretches import (
    Choice,
    bridge,
    choices,
    comparable,
    levelled,
    returned,
)
