"""The weeks to come: their dates, and what channels spent in them a year earlier."""

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from core.data.ahead.horizon import ahead
from core.data.mapping import PAID
from core.plan.response.belief import Belief
from core.plan.scenario.weeks import MOST_WEEKS
from core.project.fits.runs import Run
from core.project.lift_tests.tested_fits import data_of_run


@dataclass(frozen=True)
class Weeks:
    """Periods after the data of a fit.

    Attributes:
        names: Paid channels.
        starts: First days, datetime64[D].
        usual: Spend of the same periods a year earlier, channel week.
        dearest: Most that a period ever cost, channel.
        price: What a unit of media costs, channel week; NaN where nothing ran.
    """

    names: tuple[str, ...]
    starts: np.ndarray
    usual: np.ndarray
    dearest: np.ndarray
    price: np.ndarray

    def with_new(self, beliefs: Collection[Belief]) -> "Weeks":
        """The same with channels that never ran.

        Args:
            beliefs: In them; those that are there already stay as they are.
        """
        new = [each.name for each in beliefs if each.name not in self.names]
        none = np.zeros((len(new), self.usual.shape[1]))
        return replace(
            self,
            names=(*self.names, *new),
            usual=np.concatenate([self.usual, none]),
            dearest=np.append(self.dearest, np.full(len(new), np.inf)),
            price=np.concatenate([self.price, np.full(none.shape, np.nan)]),
        )


def weeks_ahead(run: Run) -> Weeks:
    """The periods to come after the data of a fit.

    Raises:
        MMMError: The run's data cannot be read.
    """
    data = data_of_run(run)
    future = ahead(data, 2 * MOST_WEEKS)
    kinds = [kind for kind in PAID if getattr(data, kind)]
    spends = [getattr(future, kind).spend.sum(axis=0).T for kind in kinds]
    peaks = [getattr(data, kind).spend.sum(axis=0).max(axis=0) for kind in kinds]
    n = len(future.times)
    units = [getattr(future, kind).units.sum(axis=0).T[:, -n:] for kind in kinds]
    names = tuple(name for kind in kinds for name in getattr(data, kind).names)
    usual, media = np.concatenate(spends), np.concatenate(units)
    ran = (usual > 0) & (media > 0)
    price = np.where(ran, usual / np.where(ran, media, 1.0), np.nan)
    most = np.concatenate(peaks)
    return Weeks(names, future.times, usual, most, price)
