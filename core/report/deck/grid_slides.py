"""A plan of weeks or of geos as slides: a native chart, and tables that go on."""

import math
from collections.abc import Iterator, Sequence
from datetime import date as Date
from typing import Any

import numpy as np

from core import text as fmt
from core.plan.record.plan_record import PlanRecord
from core.plan.record.spend_grid import SpendGrid, spend_grid
from core.report.deck import claims
from core.report.deck.advice_column import advice_column
from core.report.deck.native_charts import stacked
from core.report.deck.slide_shapes import (
    MOST_ROWS,
    Add,
    cards,
    headed_slides,
    on_slides,
    short,
    table,
    titled,
)
from core.report.deck.theme import TOP, WHOLE
from core.text.languages.language import SOURCE, language, say
from core.view.plan_claim import as_advised, spend_claim, tidied
from core.view.sections import plan_cards, plan_tables
from core.view.sections.section import Table

#: Columns of a table that fit on a slide, its first one included.
_MOST_COLUMNS = 10


def grid_slides(
    add: Add,
    plan: PlanRecord,
    claim: str,
    about: str,
    more: tuple[str, str, str | None],
) -> None:
    """The slides of a plan: numbers with a chart, then every cell.

    Args:
        add: Adds a slide with a title and the line above it.
        plan: The plan.
        claim: Title of the first slide.
        about: The plan's name and its periods.
        more: Where it comes from, what was written about it, and the advice of the
            newest fit where that is another than the plan's.
    """
    grid = spend_grid(plan)
    _front(add(claim, about), grid, plan, more)
    if grid.over == "week":
        _quarters(add, grid, about, plan, more[2])
    for section in plan_tables.tables(plan):
        if section.texts == len(section.heads):
            _words_slide(add, section, about)
            continue
        pages = list(_pages(section.heads, section.rows))
        claim = _claim(section, grid, plan, more[2])
        kicker = fmt.named(about, _in_text(section.title))
        for place, (heads, cells) in enumerate(pages):
            slide = add(*titled(claim, kicker, place, len(pages)))
            table(slide, heads, cells, WHOLE, note=section.note)


def _claim(section: Table, grid: SpendGrid, plan: PlanRecord, now: str | None) -> str:
    """What a table of the plan shows."""
    if section.title in {each.title for each in plan_tables.teaching(plan)}:
        return section.title
    if section.of_channels:
        return spend_claim(plan, plan.units, now)
    if section.title == say("Geos") and plan.geo_advice is not None:
        claim = claims.between_geos(plan, plan.units)
        if now is None:
            return claim
        return tidied(say("By the plan's own fit: {claim}", claim=claim))
    totals = grid.row_totals.tolist()
    most = claims.grid_claim(grid.rows, totals, grid.over, plan.currency)
    return as_advised(most, plan, now)


def _words_slide(add: Add, section: Table, name: str) -> None:
    """A table of words as text: what it is with its value, and what that means."""
    parts = [(fmt.named(label, value), [means]) for label, value, means in section.rows]
    if section.note:
        parts.append(("", [section.note]))
    headed_slides(add, section.title, name, parts)


def _front(
    slide: Any, grid: SpendGrid, plan: PlanRecord, more: tuple[str, str, str | None]
) -> None:
    """Headline numbers, spend as stacked columns, the advice beside them."""
    cards(slide, plan_cards.cards(plan), TOP)
    names = grid.rows
    if grid.over == "week":  # the line above the title has the years
        names = [fmt.day_and_month(row) for row in grid.rows]
    series = {
        name: grid.planned[:, place].tolist()
        for place, name in enumerate(grid.channels)
    }
    origin, notes, now = more
    chart = advice_column(slide, plan, origin, notes, now is not None)
    stacked(
        slide, plan_tables.spend_title(grid), names, series, chart, plan.units.symbol
    )


def _quarters(
    add: Add, grid: SpendGrid, name: str, plan: PlanRecord, now: str | None
) -> None:
    """Spend of every channel by the quarter in which its weeks begin."""
    currency = plan.currency
    days = [Date.fromisoformat(str(row)[:10]) for row in grid.rows]
    quarters = [f"Q{(day.month + 2) // 3} {day.year}" for day in days]
    order = list(dict.fromkeys(quarters))
    of = np.array([order.index(quarter) for quarter in quarters])
    sums = np.stack([grid.planned[of == i].sum(axis=0) for i in range(len(order))])
    channels = [
        [short(channel), *map(_whole, sums[:, place]), _whole(sums[:, place].sum())]
        for place, channel in enumerate(grid.channels)
    ]
    channels.append([say("Total"), *map(_whole, sums.sum(axis=1)), _whole(sums.sum())])
    heads = [
        fmt.titled(say("Channel"), fmt.currency_symbol(currency)),
        *order,
        say("All weeks"),
    ]
    most = claims.grid_claim(order, sums.sum(axis=1).tolist(), "quarter", currency)
    claim = as_advised(most, plan, now)
    kicker = fmt.named(name, say("spend by channel and quarter"))
    for slide, some in on_slides(add, claim, kicker, channels):
        table(slide, heads, some, WHOLE)


def _in_text(title: str) -> str:
    """A title behind a colon: in English it begins with a small letter."""
    return title.lower() if language() == SOURCE else title


def _whole(money: float) -> str:
    return fmt.table_amount(float(money))


def _pages(
    heads: Sequence[str], lines: Sequence[Sequence[str]]
) -> Iterator[tuple[list[str], list[list[str]]]]:
    """The table in pieces that fit on a slide, each with its heads and first column.

    Pieces are about as wide and as long as each other: none is of one column or row.
    """
    numbers = len(heads) - 1
    wide = math.ceil(numbers / math.ceil(numbers / (_MOST_COLUMNS - 1)))
    long = math.ceil(len(lines) / math.ceil(len(lines) / MOST_ROWS))
    for left in range(1, len(heads), wide):
        columns = slice(left, left + wide)
        for top in range(0, len(lines), long):
            yield (
                [heads[0], *map(short, heads[columns])],
                [[row[0], *row[columns]] for row in lines[top : top + long]],
            )
