"""Slides of a plan: what it does and advises, its channels, other budgets, its risks.

A plan of weeks or of geos has a stacked chart, and tables that go on.
"""

import math
from collections.abc import Iterator, Sequence
from datetime import date as Date
from typing import Any

import numpy as np

from core import text as fmt
from core.plan.frontier import Point
from core.plan.record.plan_record import PlanRecord
from core.plan.record.spend_grid import SpendGrid, spend_grid
from core.report import content as report_content
from core.report.assumptions import check_line
from core.report.content import Content
from core.report.deck import claims
from core.report.deck.native_charts import MOST_BARS, bars, lines, stacked
from core.report.deck.slide_shapes import (
    MOST_ROWS,
    Add,
    cards,
    headed_slides,
    headed_within,
    on_slides,
    short,
    table,
    table_slides,
    text_box,
    titled,
)
from core.report.deck.theme import ACROSS, BOTTOM, GUTTER, LEFT, TOP, WHOLE, Box
from core.report.plan_section import about, advice_now, budgets, recommended
from core.text.languages.language import SOURCE, language, marked, say
from core.text.languages.reworded import reworded
from core.text.numbers import table_amount
from core.view import plan_words
from core.view.advice import advice_lines, over_what_ran, ran_heading
from core.view.origin import origin as of_fit
from core.view.plan_claim import as_advised, spend_claim, tidied
from core.view.sections import of_plan, plan_cards, plan_tables
from core.view.sections.section import Table

#: Reasons of the verdict that the slide of risks names; the front slide has them all.
_MOST_REASONS = 3


def plan_slides(add: Add, plan: PlanRecord, content: Content) -> None:
    """The plan with its tables, and the best plan at other budgets.

    Args:
        add: Adds a slide with a title and the line above it.
        plan: The plan.
        content: The fit behind it.
    """
    units, (lines, notes) = content.units, about(plan, content)
    claim, now = recommended(plan, content), advice_now(plan, content)
    # What the newest fit says takes more room than there is beside a chart.
    origin = lines if now is None else of_fit(plan)
    kicker = f"{fmt.brief(plan.title, 60)} · {plan_words.horizon(plan)}"
    if plan.over == "channels":
        more = {"origin": origin, "notes": notes, "is_old": now is not None}
        front(add(claim, kicker), plan, **more)
        channel_slides(add, plan, kicker, now)
    else:
        grid_slides(add, plan, claim, kicker, (origin, notes, now))
    points = budgets(plan, content)
    if points:
        text = claims.budgets_claim(points, units)
        _budgets(add(text, say("The best plan at other budgets")), points, plan)


def risks(add: Add, plan: PlanRecord | None, content: Content) -> None:
    """What could be wrong: the fit, hidden demand, spend beyond what was seen."""
    kicker = say("Risks and what would change our mind")
    if plan is not None:
        kicker = f"{kicker} · {plan_words.horizon(plan)}"
    verdict, is_old = report_content.verdict(content), False
    check = content.fit.model_check
    missed = check is not None and check.missed
    parts = [
        (
            say("The fit"),
            [
                f"{verdict.title}. {verdict.advice}",
                *verdict.reasons[:_MOST_REASONS],
                *(
                    [f"{fmt.named(say('Model check'), check_line(check))}."]
                    if missed
                    else []
                ),
            ],
        ),
    ]
    note = content.fit.follows_demand.sentence
    if note:
        parts.append(
            (say("Channels that follow demand"), [reworded(note, content.names)])
        )
    if plan is not None:
        is_old = advice_now(plan, content) is not None
        if is_old:
            parts.append((say("Where it comes from"), [about(plan, content)[0]]))
        parts += of_plan.under_heads(plan)
    else:
        parts.append((say("What would settle it"), [say(_TESTS)]))
    claim = claims.risks_claim(verdict.word, plan, check, is_old=is_old)
    headed_slides(add, claim, kicker, parts)


_TESTS = marked(
    "A lift test of a channel whose interval is wide: its result "
    "enters the next fit and narrows what this one leaves open."
)


def front(
    slide: Any,
    plan: PlanRecord,
    *,
    origin: str = "",
    notes: str = "",
    is_old: bool = False,
) -> None:
    """Headline numbers, both splits as a chart, the advice beside it.

    Args:
        slide: To draw on.
        plan: A plan over channels.
        origin: Where it comes from.
        notes: What was written about it.
        is_old: Whether the newest fit advises otherwise.
    """
    cards(slide, plan_cards.cards(plan), TOP)
    channels, ran = plan.channels, over_what_ran(plan)
    title = say("Planned spend beside {what}", what=ran)
    if len(channels) > MOST_BARS:
        moved = sorted(channels, key=lambda each: -abs(each.planned - each.current))
        largest = {each.name for each in moved[:MOST_BARS]}
        channels = tuple(each for each in channels if each.name in largest)
        title = say(
            "Planned spend beside {what}, the {number} largest changes",
            what=ran,
            number=MOST_BARS,
        )
    series = {
        ran_heading(plan): [each.current for each in channels],
        say("Planned"): [each.planned for each in channels],
    }
    box = advice_column(slide, plan, origin, notes, is_old)
    names = [each.name for each in channels]
    bars(slide, title, names, series, box, unit=plan.units.symbol)


def channel_slides(
    add: Add, plan: PlanRecord, about: str, now: str | None = None
) -> None:
    """Spend of every channel, over as many slides as it takes.

    Args:
        add: See `plan_slides`.
        plan: A plan over channels.
        about: Its name.
        now: The advice of the newest fit, where that is another than the plan's.
    """
    kicker = fmt.named(about, say("spend by channel"))
    claim = spend_claim(plan, plan.units, now)
    table_slides(add, claim, kicker, plan_tables.channels(plan))


def _budgets(slide: Any, points: Sequence[Point], plan: PlanRecord) -> None:
    """The best outcome over the budget, with its interval, and where the plan is."""
    units = plan.units
    series = {
        say("Best split"): ([point.outcome.mean for point in points], "ACCENT_1"),
        "5 %": ([point.outcome.lo for point in points], "ACCENT_2"),
        "95 %": ([point.outcome.hi for point in points], "ACCENT_2"),
        say("The same split"): ([point.current.mean for point in points], "ACCENT_4"),
    }
    budget = [point.budget for point in points]
    box = Box(LEFT, TOP, ACROSS, BOTTOM - TOP - 0.3)
    title = say("{outcome}, over the budget", outcome=plan_words.brought(units))
    at = (say("This plan"), plan.budget, plan.outcome.planned.mean)
    lines(slide, title, series, budget, box, (units.outcome, units.symbol), at)
    note = say("5 % and 95 %: ends of the 90 % interval of the best split.")
    text_box(slide, [note], Box(LEFT, BOTTOM - 0.3, ACROSS, 0.3), 11, "TEXT_2")


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
    _grid_front(add(claim, about), grid, plan, more)
    if grid.over == "week":
        _quarters(add, grid, about, plan, more[2])
    for section in plan_tables.tables(plan):
        if section.texts == len(section.heads):
            _words_slide(add, section, about)
            continue
        pages = list(_pages(section.heads, section.rows))
        claim = _grid_claim(section, grid, plan, more[2])
        kicker = fmt.named(about, _in_text(section.title))
        for place, (heads, cells) in enumerate(pages):
            slide = add(*titled(claim, kicker, place, len(pages)))
            table(slide, heads, cells, WHOLE, note=section.note)


def _grid_claim(
    section: Table, grid: SpendGrid, plan: PlanRecord, now: str | None
) -> str:
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


def _grid_front(
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
    names = [*map(short, grid.channels), say("Total")]
    channels = [
        [name, *map(table_amount, [*row, row.sum()])]
        for name, row in zip(names, [*sums.T, sums.sum(axis=1)], strict=True)
    ]
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


#: Below the cards, and how wide the chart is, inches.
_BELOW, _CHART = TOP + 1.45, 7.6
#: Letters of notes that somebody wrote.
_MOST_NOTES = 400


def advice_column(
    slide: Any, plan: PlanRecord, origin: str, notes: str, is_old: bool
) -> Box:
    """Write the column; gives the room of the chart beside it.

    Args:
        slide: Where to.
        plan: The plan.
        origin: Where it comes from; may be empty.
        notes: What was written about it; may be empty.
        is_old: Whether the newest fit advises otherwise.
    """
    head = say("What its own fit advised") if is_old else say("What to do")
    parts = [(head, advice_lines(plan))]
    more = {
        say("How good it could be"): plan_words.nearness(plan),
        say("Where it comes from"): origin,
        say("Notes"): fmt.brief(notes, _MOST_NOTES),
    }
    parts += [(head, [text]) for head, text in more.items() if text]
    left, high = LEFT + _CHART + GUTTER, BOTTOM - _BELOW
    headed_within(slide, parts, Box(left, _BELOW, LEFT + ACROSS - left, high))
    return Box(LEFT, _BELOW, _CHART, high)
