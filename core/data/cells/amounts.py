"""Amounts: distinct cells as numbers, what was done to read them, what forbids it."""

from dataclasses import dataclass, field

import numpy as np

from core.data.cells.affixes import Affix
from core.data.cells.apart import Cells
from core.data.cells.signs import Settled
from core.text import verb
from core.text.languages.language import marked

#: Larger numbers are mistakes, and squares of them overflow.
TOO_LARGE = 1e100

#: Begins what is wrong with a column whose cells carry two currencies.
TWO_CURRENCIES = marked("it has more than one currency")


@dataclass(frozen=True)
class Done:
    """What had to be done to read cells of a column.

    Attributes:
        kind: `comma`, `settled`, `currency`, `unit`, `percent`, `below` or `nothing`.
        count: Number of cells.
        example: One of them, as it stands.
        value: What it was read as.
        detail: The currency, or what settled a doubt.
    """

    kind: str
    count: int
    example: str
    value: float
    detail: str = ""


@dataclass
class Parsed:
    """Distinct cells as numbers, and what is to be said about them."""

    values: np.ndarray
    bad: np.ndarray
    fault: str = ""
    done: list[Done] = field(default_factory=list)
    currency: frozenset[str] = frozenset()


def parse(cells: Cells, settled: Settled) -> Parsed:
    """Distinct cells as numbers."""
    marks = cells.marks
    base, sign = settled.base or ".", settled.sign or "."
    sure = marks.comma if base == "," else marks.point
    values = np.where(
        marks.is_open, marks.comma if sign == "," else marks.point, sure
    ).astype(float)
    affixes = [affix or Affix() for affix in cells.affixes] or [Affix()]
    factor = cells.per_cell([affix.factor for affix in affixes]).astype(float)
    percent = cells.per_cell([affix.is_percent for affix in affixes]).astype(bool)
    negative = cells.per_cell([affix.is_negative for affix in affixes]).astype(bool)
    understood = cells.per_cell(
        [affix is not None for affix in cells.affixes or [None]]
    )
    values = np.where(negative, -values, values)
    bad = ~(np.abs(values * factor) <= TOO_LARGE) | ~understood.astype(bool)
    parsed = Parsed(values, bad)
    _check_percent(cells, parsed, percent)
    _check_units(cells, parsed, factor)
    _check_currency(cells, parsed)
    parsed.values = np.where(percent, values / 100, values * factor)
    parsed.values[parsed.bad] = np.nan
    _note(cells, parsed, settled, percent, factor)
    return parsed


def _check_percent(cells: Cells, parsed: Parsed, percent: np.ndarray) -> None:
    """`5%` beside `6`: nobody knows whether that is 6 or 600 percent."""
    bare = ~percent & ~parsed.bad & (parsed.values != 0)
    if (percent & ~parsed.bad).any() and bare.any():
        n, of = int(cells.counts[bare].sum()), int(cells.counts[percent].sum())
        parsed.fault = (
            f"{of:,} of its cells {verb(of, 'have')} a percent sign "
            f"({_first(cells, percent)}) and {n:,} {verb(n, 'have')} none "
            f"({_first(cells, bare)})"
        )
        parsed.bad |= bare if n <= of else percent


def _check_units(cells: Cells, parsed: Parsed, factor: np.ndarray) -> None:
    """`2.5 Mio` beside `3`: three, or three million?"""
    scaled = (factor != 1) & ~parsed.bad
    if not scaled.any():
        return
    largest = np.abs(parsed.values[scaled]).max()
    size = np.abs(parsed.values)
    if factor[scaled].min() > 1e3:
        largest = max(largest, 1e3)
    bare = (factor == 1) & ~parsed.bad & (size > 0) & (size <= largest)
    if bare.any():
        parsed.fault = (
            f"some of its cells have a unit ({_first(cells, scaled)}) and others have "
            f"none ({_first(cells, bare)}), though they may be in the same unit"
        )
        parsed.bad |= bare


def _check_currency(cells: Cells, parsed: Parsed) -> None:
    """One currency per column: dollars and euros are not added."""
    by_currency: dict[frozenset[str], np.ndarray] = {}
    for at, affix in enumerate(cells.affixes):
        if affix is not None and affix.currency:
            where = (cells.which == at) & ~parsed.bad
            by_currency[affix.currency] = by_currency.get(affix.currency, False) | where
    if not by_currency:
        return
    common = frozenset.intersection(*by_currency)
    if common:
        parsed.currency = common
        return
    ranked = sorted(by_currency.values(), key=lambda where: -cells.counts[where].sum())
    parsed.fault = f"{TWO_CURRENCIES}: " + " and ".join(
        _first(cells, where) for where in ranked[:3] if where.any()
    )
    for where in ranked[1:]:
        parsed.bad |= where


def _note(
    cells: Cells,
    parsed: Parsed,
    settled: Settled,
    percent: np.ndarray,
    factor: np.ndarray,
) -> None:
    """What had to be done, by kind."""
    marks, good = cells.marks, ~parsed.bad
    has_currency = cells.per_cell(
        [bool(affix and affix.currency) for affix in cells.affixes or [None]]
    ).astype(bool)
    sure = good & ~marks.is_open & (marks.decimals >= 0)
    comma = sure & np.isnan(marks.point) if settled.base == "," else sure & False
    kinds = {
        "comma": (comma, ""),
        "settled": (good & marks.is_open & bool(settled.by), settled.by),
        "currency": (good & has_currency, "/".join(sorted(parsed.currency)[:3])),
        "unit": (good & (factor != 1), ""),
        "percent": (good & percent, ""),
    }
    for kind, (where, detail) in kinds.items():
        if where.any():
            at = int(np.argmax(where))
            n = int(cells.counts[where].sum())
            example, value = cells.text[at].as_py(), float(parsed.values[at])
            parsed.done.append(Done(kind, n, example, value, detail))


def _first(cells: Cells, where: np.ndarray) -> str:
    return f'"{cells.text[int(np.argmax(where))].as_py()[:30]}"'
