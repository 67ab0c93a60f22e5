"""A plan of weeks or of geos as slides: a native chart, and tables that go on."""

import math
from collections.abc import Callable, Iterator, Sequence
from datetime import date as Date
from typing import Any

import numpy as np

from core import text as fmt
from core.plan.record.plan_record import PlanRecord
from core.plan.record.spend_grid import SpendGrid, spend_grid
from core.report.deck import claims
from core.report.deck.native_charts import stacked
from core.report.deck.slide_shapes import (
    MOST_ROWS,
    cards,
    headed,
    paged,
    short,
    table,
    text_box,
)
from core.report.deck.theme import ACROSS, BOTTOM, LEFT, TOP, Box
from core.text.languages.language import SOURCE, language, say
from core.view import plan_words
from core.view.advice import BETWEEN_GEOS, advice_lines
from core.view.plan_claim import spend_claim
from core.view.sections import plan_cards
from core.view.sections.plan_tables import tables, teaching
from core.view.sections.section import Table

#: Columns of a table that fit on a slide, its first one included.
_MOST_COLUMNS = 10
#: Lines of words, each with what it means.
_MOST_SAID = 6


def grid_slides(
    add: Callable[[str, str], Any],
    plan: PlanRecord,
    claim: str,
    about: str,
    more: Sequence[str],
) -> None:
    """The slides of a plan: numbers with a chart, then every cell.

    Args:
        add: Adds a slide with a title and the line above it.
        plan: The plan.
        claim: Title of the first slide.
        about: The plan's name and its periods.
        more: Where it comes from, and what was written about it.
    """
    grid = spend_grid(plan)
    _front(add(claim, about), grid, plan, more)
    if grid.over == "week":
        _quarters(add, grid, about, plan.currency)
    learning = {section.title for section in teaching(plan)}
    for section in tables(plan):
        if section.texts == len(section.heads):
            _said(add, section, about)
            continue
        pages = list(_pages(section.heads, section.rows))
        totals, currency = grid.row_totals.tolist(), plan.currency
        claim = claims.grid_claim(grid.rows, totals, grid.over, currency)
        if section.title in learning:
            claim = section.title
        elif section.of_channels:
            claim = spend_claim(plan, plan.units)
        elif section.title == say("Geos") and plan.geo_advice is not None:
            moved = plan_words.gained(plan.gain_over_channels, plan.units)
            claim = f"{say(BETWEEN_GEOS[plan.geo_advice])}: {moved}"
        for place, (heads, cells) in enumerate(pages, start=1):
            of = (
                say(", {place} of {number}", place=place, number=len(pages))
                if len(pages) > 1
                else ""
            )
            kicker = f"{about}: {_in_text(section.title)}{of}"
            slide = add(claim, kicker)
            table(slide, heads, cells, Box(LEFT, TOP, ACROSS, BOTTOM - TOP))
            if section.note:
                note = Box(LEFT, BOTTOM - 0.1, ACROSS, 0.3)
                text_box(slide, [section.note], note, 10, "TEXT_2")


def _said(add: Callable[[str, str], Any], section: Table, name: str) -> None:
    """A table of words as text: what it is with its value, and what that means."""
    parts = [(f"{label}: {value}", [means]) for label, value, means in section.rows]
    for first in range(0, len(parts), _MOST_SAID):
        slide = add(section.title, name)
        some = parts[first : first + _MOST_SAID]
        headed(slide, some, Box(LEFT, TOP, ACROSS, 3.2), 14)
        if section.note and first == 0:
            text_box(slide, [section.note], Box(LEFT, TOP + 3.3, ACROSS, 1.8), 12)


def _front(slide: Any, grid: SpendGrid, plan: PlanRecord, more: Sequence[str]) -> None:
    """Headline numbers, advice, and spend as stacked columns."""
    cards(slide, plan_cards.cards(plan), TOP)
    advice = [*advice_lines(plan), plan_words.aim(plan), plan_words.nearness(plan)]
    lines = [" ".join(filter(None, advice)), *more]
    box = Box(LEFT, TOP + 1.3, ACROSS, 0.8)
    text_box(slide, [line for line in lines if line], box, 12)
    names = [fmt.date(row) if grid.over == "week" else row for row in grid.rows]
    series = {
        name: grid.planned[:, place].tolist()
        for place, name in enumerate(grid.channels)
    }
    top = TOP + 2.1
    title = (
        say("Planned spend by geo and channel")
        if grid.over == "geo"
        else say("Planned spend by week and channel")
    )
    stacked(
        slide,
        title,
        names,
        series,
        Box(LEFT, top, ACROSS, BOTTOM - top),
        plan.units.symbol,
    )


def _quarters(
    add: Callable[[str, str], Any], grid: SpendGrid, name: str, currency: str
) -> None:
    """Spend of every channel by the quarter in which its weeks begin."""
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
    for some, said in paged(channels):
        claim = claims.grid_claim(order, sums.sum(axis=1).tolist(), "quarter", currency)
        kicker = f"{name}: {say('spend by channel and quarter')}{said}"
        slide = add(claim, kicker)
        table(slide, heads, some, Box(LEFT, TOP, ACROSS, BOTTOM - TOP))


def _in_text(title: str) -> str:
    """A title behind a colon: in English it begins with a small letter."""
    return title.lower() if language() == SOURCE else title


def _whole(money: float) -> str:
    return fmt.table_amount(float(money))


def _pages(
    heads: Sequence[str], lines: Sequence[Sequence[str]]
) -> Iterator[tuple[list[str], list[list[str]]]]:
    """The table in pieces that fit on a slide, each with its heads and first column.

    Pieces are about as wide as each other: none is of one column.
    """
    numbers = len(heads) - 1
    wide = math.ceil(numbers / math.ceil(numbers / (_MOST_COLUMNS - 1)))
    for left in range(1, len(heads), wide):
        columns = slice(left, left + wide)
        for top in range(0, len(lines), MOST_ROWS):
            yield (
                [heads[0], *map(short, heads[columns])],
                [[row[0], *row[columns]] for row in lines[top : top + MOST_ROWS]],
            )
