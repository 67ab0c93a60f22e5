"""The weeks to come: their dates, and what channels spent in them a year earlier."""

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from core.service.records.fit import Run
from core.service.records.plan import Belief
from pages.ui import reading
from pages.ui.reader import tongue


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


def weeks_of(run: Run) -> Weeks:
    """The periods to come after the data of a fit.

    Raises:
        MMMError: The run's data cannot be read.
    """
    return _weeks(str(run.folder), reading.result_sha(run.folder), run)


@st.cache_resource(
    max_entries=8, show_spinner=tongue.Later("Reading the weeks to come")
)
@tongue.in_english
def _weeks(folder: str, sha: str, _run: Run) -> Weeks:
    from core.data.assemble import assemble
    from core.data.files.parquet import read_table
    from core.service.planning.scenario import MOST_WEEKS
    from core.service.projects.settings import data_file, load_project
    from core.service.records.columns import PAID
    from core.service.records.data import ahead

    project = load_project(_run.folder)
    frame = read_table(data_file(_run.folder, project))
    data = assemble(frame, project.mapping)
    future = ahead(data, 2 * MOST_WEEKS)
    kinds = [kind for kind in PAID if getattr(data, kind)]
    spends = [getattr(future, kind).spend.sum(axis=0).T for kind in kinds]
    seen = [getattr(data, kind).spend.sum(axis=0).max(axis=0) for kind in kinds]
    n = len(future.times)
    units = [getattr(future, kind).units.sum(axis=0).T[:, -n:] for kind in kinds]
    names = tuple(name for kind in kinds for name in getattr(data, kind).names)
    usual, media = np.concatenate(spends), np.concatenate(units)
    ran = (usual > 0) & (media > 0)
    price = np.where(ran, usual / np.where(ran, media, 1.0), np.nan)
    most = np.concatenate(seen)
    return Weeks(names, future.times, usual, most, price)
