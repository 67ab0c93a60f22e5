"""Designs of tests with numbers of one's choice."""

import numpy as np

from core.estimate import gain_of
from core.experiments.design.candidate import Design


def design(
    channel: str, *, net: float, geos: tuple[str, ...] = (), weeks: int = 12
) -> Design:
    """A dark test of a channel whose net value is `net`, in outcome units."""
    around = gain_of(np.array([net - 1.0, net, net + 1.0]))
    return Design(
        channel=channel,
        kind="dark",
        multiple=0.0,
        geos=geos,
        start="2024-01-01",
        end="2024-03-24",
        weeks=weeks,
        standard_error=1.0,
        mde=0.123,
        mde_outcome=1.0,
        power=1.0,
        expected=around,
        outcome_lost=around,
        money_saved=0.0,
        cost=around,
        value=net,
        net=around,
    )
