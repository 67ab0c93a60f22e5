"""The periods and geos that all files have, and what is left out at the ends."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.data.layout.kinds.dating import period_end, period_start, weekday_of
from core.data.layout.kinds.vocabulary import MEASURES, measure
from core.data.layout.recipe import Layout, Period
from core.data.layout.tables.tall import Tall
from core.data.reading.findings import Finding
from core.errors import CoverageError
from core.text.sentences import count, listed, verb

#: Files whose rows can be summed to these periods.
_FINER: dict[Period, tuple[str, ...]] = {
    "day": ("daily",),
    "week": ("daily", "weekly"),
    "month": ("daily", "monthly"),
}


@dataclass(frozen=True)
class Range:
    """The periods of the wide table, and its geos.

    Attributes:
        starts: First day of every period, in order.
        geos: The geos, as the wide table writes them; empty for one market.
        findings: What is left out, and why.
    """

    starts: np.ndarray
    geos: tuple[str, ...]
    findings: tuple[Finding, ...] = ()


def common_range(talls: Sequence[Tall], layout: Layout) -> Range:
    """Periods that every file covers in full, and geos that every file has.

    Raises:
        CoverageError: A file's rows do not fit the period, or nothing is common.
    """
    for tall in talls:
        _check_period(tall, layout)
    decisive = _decisive(talls, layout)
    first = max(tall.span[0] for tall in decisive)
    last = min(tall.span[1] for tall in decisive)
    period, begins = layout.period, layout.week_begins
    every = np.unique(
        np.concatenate(
            [np.unique(period_start(tall.dates, period, begins)) for tall in decisive]
        )
    )
    if period == "as_is":
        starts = every[(every >= first) & (every <= last)]
    else:
        every = _unbroken(every, period, begins)
        starts = every[(every >= first) & (period_end(every, period) <= last)]
    if not len(starts):
        raise _nothing_common(talls, layout)
    geos, findings = _geos(talls, layout)
    return Range(starts, geos, (*_left_out(talls, layout, starts), *findings))


def _decisive(talls: Sequence[Tall], layout: Layout) -> list[Tall]:
    """The files whose first and last days bound the wide table."""
    others = [tall for tall in talls if not _is_of_media(tall)]
    return others if layout.outside == "zero" and others else list(talls)


def _is_of_media(tall: Tall) -> bool:
    """Whether a file has rows only where media ran."""
    is_sparse = tall.source.kind == "orders" and {*map(measure, tall.sums)} <= {
        *MEASURES
    }
    return tall.source.kind == "campaigns" or is_sparse


def _unbroken(starts: np.ndarray, period: Period, begins) -> np.ndarray:
    """Every period between the first and the last."""
    days = np.arange(starts[0], starts[-1] + 1)
    return np.unique(period_start(days, period, begins))


def _check_period(tall: Tall, layout: Layout) -> None:
    period = layout.period
    if period == "as_is":
        return
    where = tall.file.where(tall.source.date)
    called = tall.file.called
    periods = f"{period}s"
    if tall.frequency not in _FINER[period]:
        raise CoverageError(
            f"{called} has {tall.frequency} rows, which cannot be summed to {periods}.",
            hint="Export it by day, or choose a longer period.",
            where=where,
        )
    if period == "week" and tall.frequency == "weekly":
        begins = weekday_of(tall.dates.min())
        if begins != layout.week_begins:
            raise CoverageError(
                f"The weeks of {called} begin on {begins.capitalize()}, those of the "
                f"other files on {layout.week_begins.capitalize()}.",
                hint="Export one of them by day, or with weeks that begin on the "
                "same day.",
                where=where,
            )


def _nothing_common(talls: Sequence[Tall], layout: Layout) -> CoverageError:
    spans = [f"{t.file.called} covers {t.span[0]} to {t.span[1]}" for t in talls]
    whole = {"as_is": "date", "day": "day"}.get(layout.period, f"whole {layout.period}")
    if len(talls) == 1:
        return CoverageError(
            f"{spans[0]}: that is not one {whole}.",
            hint="Choose a shorter period, or export more days.",
            where=talls[0].file.where(talls[0].source.date),
        )
    return CoverageError(
        f"{'; '.join(spans)}: they have no {whole} in common.",
        hint="Export all files for the same dates; check the order of day and month.",
        where=talls[-1].file.where(talls[-1].source.date),
    )


def _left_out(
    talls: Sequence[Tall], layout: Layout, starts: np.ndarray
) -> list[Finding]:
    """What the ends lose: partial weeks, and dates that another file lacks."""
    findings = []
    begin, end = starts[0], period_end(starts[-1:], layout.period)[0]
    for tall in talls:
        outside = (tall.dates < begin) | (tall.dates > end)
        if not outside.any():
            continue
        days = np.unique(tall.dates[outside])
        partial = layout.period in ("week", "month") and tall.frequency == "daily"
        few = partial and len(days) < 2 * (7 if layout.period == "week" else 31)
        parts = [(days[days < begin], "before"), (days[days > end], "after")]
        spans = [
            f"{part[0]} to {part[-1]}" if len(part) > 1 else f"{part[0]}"
            for part, _ in parts
            if len(part)
        ]
        n_rows = count(int(outside.sum()), "row")
        periods = f"{layout.period}s"
        what = f"Partial {periods} at the ends" if few else "Dates outside"
        why = "" if few else f" the common range {begin} to {end}"
        message = (
            f"{what}{why} are left out of {tall.file.called}: {listed(spans)} "
            f"({n_rows})."
        )
        severity = "info" if few else "warning"
        hint = "" if few else "Export all files for the same dates to keep them."
        findings.append(
            Finding(severity, tall.file.where(tall.source.date), message, hint)
        )
    return findings


def _geos(
    talls: Sequence[Tall], layout: Layout
) -> tuple[tuple[str, ...], list[Finding]]:
    """Geos that every file with geos has, and what is said about the others."""
    with_geos = [tall for tall in talls if tall.geos is not None]
    if layout.geos == "summed" or not with_geos:
        return (), []
    for tall in talls:
        _refuse_copies(tall, with_geos[0])
    sets = [{key(name): name for name in tall.geo_names} for tall in with_geos]
    shared = set.intersection(*(set(names) for names in sets))
    if not shared:
        first, other = with_geos[0], with_geos[-1]
        raise CoverageError(
            f"{first.file.called} and {other.file.called} have no geo in common: "
            f"{listed(first.geo_names, limit=3)} there, "
            f"{listed(other.geo_names, limit=3)} here.",
            hint="Write the geos alike in both files, or sum them to one market.",
            where=other.file.where(other.source.geo),
        )
    findings = []
    for tall, names in zip(with_geos, sets, strict=True):
        absent = [name for low, name in names.items() if low not in shared]
        if absent:
            are = verb(len(absent), "are")
            message = (
                f"{count(len(absent), 'geo')} of {tall.file.called} {are} not in every "
                f"file and {are} left out: {listed(absent)}."
            )
            hint = "Add them to the other files to keep them."
            where = tall.file.where(tall.source.geo)
            findings.append(Finding("warning", where, message, hint))
    return tuple(name for low, name in sets[0].items() if low in shared), findings


def is_national(tall: Tall) -> bool:
    """Whether amounts of a file are about all geos at once."""
    if tall.geos is None:
        return tall.source.kind != "table" or bool(tall.source.amounts)
    return bool((tall.geos < 0).any())


def _refuse_copies(tall: Tall, other: Tall) -> None:
    """Refuse amounts of the whole market in every geo.

    Raises:
        CoverageError: The join would count them once per geo.
    """
    if is_national(tall):
        number = count(len(other.geo_names), "geo")
        raise CoverageError(
            f"{tall.file.called} has amounts of the whole market, and "
            f"{other.file.called} has {number}: each amount would be counted "
            f"{len(other.geo_names)} times.",
            hint="Sum the geos to one market, or export both files by geo.",
            where=tall.file.called,
        )


def key(geo: str) -> str:
    """A geo's name for comparison: case and spaces do not count."""
    return " ".join(geo.casefold().split())
