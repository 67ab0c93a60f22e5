"""By way: what response curves know of mediators, as they are stored and read."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from jaxtyping import Float

from core.dims import CHANNEL, DRAW

if TYPE_CHECKING:
    import xarray as xr

#: Share of total effects by delay, among the shapes of a fit with mediators.
CARRIED = "carried"
#: The axes of mediators and of multiples of what ran, and the variable of `Mediated.k`.
MEDIATOR, MULTIPLIER, K = "mediator", "spend_multiplier", "mediator_k"


class Mediated(NamedTuple):
    """What channels bring by way of a mediator, and make be spent on it.

    Attributes:
        mediator: Its name.
        names: Channels.
        grid: Multiples of the own spend that ran.
        through: Outcome, and its slope; draw channel knot.
        induced: Currency, and its slope; zero where it costs nothing.
        k: Its own noise as it moves the KPI, over the KPI's.
    """

    mediator: str
    names: tuple[str, ...]
    grid: Float[np.ndarray, " knot"]
    through: tuple[np.ndarray, np.ndarray]
    induced: tuple[np.ndarray, np.ndarray]
    k: Float[np.ndarray, " draw"]

    @property
    def is_paid(self) -> bool:
        """Whether it costs money."""
        return bool(self.induced[0].any())


def mediated_of(stored: "xr.Dataset", keep: np.ndarray) -> tuple[Mediated, ...]:
    """The mediators of stored response curves; none for a fit without.

    Args:
        stored: What a worker stored (`curves.nc`).
        keep: The channels to keep.
    """
    if MEDIATOR not in stored.dims:
        return ()
    order = (DRAW, CHANNEL, MULTIPLIER)
    names = tuple(map(str, stored[CHANNEL].values[keep]))

    def part(mediator: str, what: str) -> tuple[np.ndarray, np.ndarray]:
        one, slope = (
            stored[name].sel({MEDIATOR: mediator}).transpose(*order).values[:, keep]
            for name in (what, f"{what}_slope")
        )
        return one.astype(float), slope.astype(float)

    return tuple(
        Mediated(
            str(mediator),
            names,
            stored[MULTIPLIER].values.astype(float),
            part(mediator, "through"),
            part(mediator, "induced"),
            stored[K].sel({MEDIATOR: mediator}).values.astype(float),
        )
        for mediator in stored[MEDIATOR].values
    )
