"""Returns: what each channel returned, a row each, the best first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core import text as fmt
from core.analysis.record.fit_record import FitRecord
from core.analysis.record.sections import Channel
from core.text.languages.language import say
from core.view.sections.section import Table


@dataclass(frozen=True)
class Cell:
    """A cell of the table of results: the estimate, and its interval in brackets."""

    value: str
    ci: str

    def __str__(self) -> str:
        """Both, one after the other."""
        return f"{self.value} {self.ci}".rstrip()


@dataclass(frozen=True)
class ChannelRow:
    """One row of the table of results."""

    name: str
    spend: str
    contribution: Cell
    share: Cell
    roi: Cell
    latest: Cell
    mroi: Cell
    cpik: Cell
    colour: str = ""


def ranked(channels: Sequence[Channel], units: fmt.Units) -> list[Channel]:
    """Channels by what they returned: the best first, those without a return last."""

    def place(channel: Channel) -> tuple[bool, float]:
        result = channel.roi if units.is_money else channel.cpik
        size = result["mean" if units.is_money else "median"] if result else None
        is_known = size is not None and np.isfinite(size)
        best = -1 if units.is_money else 1  # the cheapest first where it is a cost
        return not is_known, best * size if is_known else 0.0

    return sorted(channels, key=place)


def rows_of(
    fit: FitRecord, colours: Mapping[str, str] | None = None
) -> list[ChannelRow]:
    """One row per channel, the best first.

    Args:
        fit: What a fit says.
        colours: Of the channels in charts.
    """
    units = fit.units
    return [
        ChannelRow(
            channel.name,
            spend=fmt.money(channel.spend, units.currency),
            contribution=_cell(channel.contribution, *units.measure),
            share=_cell(channel.contribution_share, "share"),
            roi=_cell(channel.roi, "ratio"),
            latest=_cell(channel.roi_last_year, "ratio"),
            mroi=_cell(channel.mroi, "ratio"),
            cpik=_cell(channel.cpik, "money", units.currency, centre="median"),
            colour=(colours or {}).get(channel.name, ""),
        )
        for channel in ranked(fit.channels, units)
    ]


def columns(rows: Sequence[ChannelRow], units: fmt.Units) -> list[tuple[str, str]]:
    """Heads of the table with the part of a row below each.

    Args:
        rows: From `rows_of`; what none of them knows has no column.
        units: Words for the units.
    """
    cost = (say("Cost per incremental KPI"), "cpik")
    returned = [
        (say("ROI"), "roi"),
        (say("ROI, last year"), "latest"),
        (say("Marginal ROI"), "mroi"),
    ]
    candidates = [
        (say("Spend"), "spend"),
        (say("Contribution"), "contribution"),
        (say("Share"), "share"),
        *([*returned, cost] if units.is_money else [cost, *returned]),
    ]
    return [
        (head, key)
        for head, key in candidates
        if any(str(getattr(row, key)) != fmt.NONE for row in rows)
    ]


def note(units: fmt.Units) -> str:
    """What is to be known to read the table."""
    return say(
        "In brackets: 90 % interval. ROI and marginal ROI in {roi}; contribution in "
        "{outcome}; cost per incremental KPI is the median.",
        roi=units.roi,
        outcome=units.outcome or units.outcome_in_text,
    )


def table_of(fit: FitRecord) -> Table:
    """The table where its cells are texts."""
    rows = rows_of(fit)
    named = [(say("Channel"), "name"), *columns(rows, fit.units)]
    heads, keys = zip(*named, strict=True)
    cells = [[str(getattr(row, key)) for key in keys] for row in rows]
    return Table("", heads, cells, texts=1, note=note(fit.units), of_channels=True)


def _cell(estimate: Mapping[str, Any] | None, *how: Any, **more: Any) -> Cell:
    value, _, bracket = fmt.estimate(estimate, *how, **more).partition(" (")
    return Cell(value, bracket and f"({bracket}")
