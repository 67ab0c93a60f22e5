"""Holdout: cells of the KPI that the likelihood does not see, listed or by a rule.

Resolved against the data in one place, `is_seen`; free of JAX.
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import numpy as np

from core.data.input_data import InputData
from core.data.reading.findings import Finding
from core.errors import SpecError
from core.text.languages.language import say
from core.text.sentences import count, listed

_WHERE = "model.holdout"


@dataclass(frozen=True)
class Holdout:
    """A rule: each part that is given narrows what is held out.

    Attributes:
        dates: Inclusive date ranges (ISO); none is all periods.
        geos: Names of geos; none is all of them.
        random: Share of what dates and geos leave that is held out, drawn in each geo
            by itself; None for all of it.
        seed: Of that draw. A geo's cells do not depend on the other geos.
    """

    dates: tuple[tuple[str, str], ...] = ()
    geos: tuple[str, ...] = ()
    random: float | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        """Refuse rules that mean nothing.

        Raises:
            SpecError: A share, a seed or a range of dates is impossible.
        """
        if not self.dates and not self.geos and self.random is None:
            raise SpecError(
                "A rule for the holdout needs dates, geos or random.",
                hint="Give one of them, or remove holdout.",
                where=_WHERE,
            )
        if self.random is not None and not 0 < self.random < 1:
            raise SpecError(
                f"random must be a share between 0 and 1, not {self.random:g}.",
                hint="Use 0.1 for a tenth of each geo's periods.",
                where=_WHERE,
            )
        if self.seed < 0:
            raise SpecError("seed must be zero or more.", where=_WHERE)
        for start, end in self.dates:
            if not _is_range(start, end):
                raise SpecError(
                    f"The held-out dates {start} to {end} are not a range.",
                    hint="Write two dates as 2024-01-31, the earlier one first.",
                    where=_WHERE,
                )


#: Cells (geo, ISO date), or a rule.
HeldOut = tuple[tuple[str, str], ...] | Holdout


def is_seen(holdout: HeldOut, data: InputData) -> np.ndarray:
    """One where the likelihood sees a cell, zero where it is held out; geo time.

    Args:
        holdout: Cells or a rule that fit the data; see `disagreements`.
        data: The market.
    """
    observed = np.ones_like(data.kpi)
    if not isinstance(holdout, Holdout):
        place = {geo: index for index, geo in enumerate(data.geos)}
        dates = {str(date): index for index, date in enumerate(data.times)}
        for geo, day in holdout:
            observed[place[geo], dates[day]] = 0.0
        return observed
    periods = np.flatnonzero(_in_dates(holdout, data))
    for place, geo in enumerate(data.geos):
        if not holdout.geos or geo in holdout.geos:
            observed[place, _drawn(holdout, geo, periods)] = 0.0
    return observed


def disagreements(holdout: HeldOut, data: InputData) -> Iterator[Finding]:
    """What does not fit the data: unknown geos and dates, nothing left or held out."""
    if isinstance(holdout, Holdout):
        findings = list(_of_rule(holdout, data))
    else:
        findings = list(_of_cells(holdout, data))
    yield from findings
    if findings or holdout == ():
        return
    observed = is_seen(holdout, data)
    if not observed.any():
        yield _error("Every cell is held out.", "Leave some to fit.")
    elif observed.all():
        yield _error(
            f"{holdout.random:g} of so few periods holds out no cell.",
            "Use a larger share, or leave random out.",
        )


def describe(holdout: HeldOut) -> str:
    """The holdout in words: `10 % of periods, from 2024-01-01 to 2024-03-31`."""
    if not isinstance(holdout, Holdout):
        return count(len(holdout), "cell") if holdout else say("nothing")
    share = say("every period")
    if holdout.random is not None:
        share = say("{share} % of periods at random", share=f"{100 * holdout.random:g}")
    dates = listed(
        [say("{start} to {end}", start=start, end=end) for start, end in holdout.dates]
    )
    geos = say("in {names}", names=listed(list(holdout.geos))) if holdout.geos else ""
    return ", ".join(part for part in (share, dates, geos) if part)


def _drawn(holdout: Holdout, geo: str, periods: np.ndarray) -> np.ndarray:
    """The periods held out in one geo, of those that the rule is about."""
    if holdout.random is None:
        return periods
    # By the geo's name, not its place: another geo in the data moves nothing. CRC,
    # because Python's hash differs between processes.
    rng = np.random.default_rng([holdout.seed, zlib.crc32(geo.encode())])
    size = round(holdout.random * len(periods))
    return rng.choice(periods, size=size, replace=False)


def _in_dates(holdout: Holdout, data: InputData) -> np.ndarray:
    if not holdout.dates:
        return np.ones(data.n_times, dtype=bool)
    inside = np.zeros(data.n_times, dtype=bool)
    for start, end in holdout.dates:
        inside |= (data.times >= np.datetime64(start)) & (
            data.times <= np.datetime64(end)
        )
    return inside


def _of_cells(cells: tuple[tuple[str, str], ...], data: InputData) -> Iterator[Finding]:
    dates = {str(date) for date in data.times}
    unknown = [
        f"{geo} {day}" for geo, day in cells if geo not in data.geos or day not in dates
    ]
    if unknown:
        yield _error(
            f"Held-out cell {unknown[0]} is not in the data ({len(unknown)} such).",
            "Name geos and period starts of the data.",
        )


def _of_rule(holdout: Holdout, data: InputData) -> Iterator[Finding]:
    unknown = [geo for geo in holdout.geos if geo not in data.geos]
    if unknown and data.is_national:
        yield _error(
            f"Geo {unknown[0]} is to be held out and the data are national.",
            "Remove geos from the holdout.",
        )
    elif unknown:
        yield _error(
            f"Geo {unknown[0]} is to be held out and is not in the data.",
            f"Use some of {listed(list(data.geos), limit=5)}.",
        )
    for start, end in holdout.dates:
        if not _in_dates(Holdout(dates=((start, end),)), data).any():
            yield _error(
                f"No period begins in the held-out dates {start} to {end}.",
                f"The data run from {data.times[0]} to {data.times[-1]}.",
            )


def _error(message: str, hint: str) -> Finding:
    return Finding("error", _WHERE, message, hint)


def _is_range(start: str, end: str) -> bool:
    try:
        return date.fromisoformat(start) <= date.fromisoformat(end)
    except ValueError:
        return False
