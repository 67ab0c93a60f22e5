"""A plan as tables: spend beside what ran, other budgets, cells, what it teaches."""

from collections.abc import Iterable, Sequence

import numpy as np

from core import text as fmt
from core.plan.frontier import Point
from core.plan.record.parts import MARKS, Line, change_of_spend, odds_of_more
from core.plan.record.plan_record import PlanRecord
from core.plan.record.spend_grid import SpendGrid, spend_grid
from core.plan.record.teaching import Changed
from core.text.languages.language import say, say_count
from core.text.numbers import table_amount
from core.view import plan_words
from core.view.advice import compared_with, ran_heading
from core.view.sections.section import Table
from core.view.weeks import teaching_words

#: Shares of geos that a table names, those that move most money.
_MOST_GEOS = 30
#: Stretches of weeks that a table names, the same.
_MOST_CHANGES = 30


def tables(plan: PlanRecord, points: Sequence[Point] = ()) -> list[Table]:
    """The tables of a plan.

    Args:
        plan: The plan.
        points: The best plan at other budgets; may be empty.
    """
    if plan.over == "channels":
        return [channels(plan), *([_budgets(points, plan)] if points else [])]
    geos = [_sums(plan, of_channels=False)] if plan.geos else []
    channels_of_it = _sums(plan, of_channels=True)
    return [_spend(spend_grid(plan), plan), channels_of_it, *geos, *teaching(plan)]


def channels(plan: PlanRecord) -> Table:
    """Spend of every channel beside what ran, with its limits."""
    symbol = plan.units.symbol
    heads = [say("Channel"), fmt.titled(ran_heading(plan), symbol)]
    if plan.current_scaled:
        heads.append(fmt.titled(say("The same split"), symbol))
    heads += [
        fmt.titled(say("Planned"), symbol),
        say("Change"),
        fmt.titled(say("Limits"), symbol),
        say("Odds of more"),
    ]
    amounts = ["current", *["comparison"] * plan.current_scaled, "planned"]
    rows = [
        [
            locked_name(line),
            *(table_amount(getattr(line, name)) for name in amounts),
            change_of_spend(line),
            _limits(line),
            fmt.probability(odds_of_more(line)),
        ]
        for line in plan.channels
    ]
    note = say("Direction: {marks}", marks=say(MARKS))
    return Table("", heads, rows, texts=1, note=note, of_channels=True)


def at_a_glance(plan: PlanRecord, named: str = "") -> Table:
    """What ran, what is planned and the change, where a screen has little room.

    Args:
        plan: Of channels or of geos; those geos that get most more come first.
        named: What the data call a geo; empty for channels.
    """
    symbol, days = plan.units.symbol, plan.horizon
    ran, change_of = fmt.titled(days.brief_heading, symbol), say("Change")
    helps = {ran: days.heading, change_of: say(MARKS)}
    heads = [ran, fmt.titled(say("Plan"), symbol), change_of]
    if plan.over == "geos":
        gained, odds = say("Gain"), say("Odds")
        helps[gained] = _about_gain(plan)
        helps[odds] = say("Probability that this geo should get more.")
        lines = most_more_first(plan.geos)
        rows = [_moved_and_gained(line, plan.units) for line in lines]
        heads = [named, *heads, odds, gained]
        title = say("Spend and outcome of each geo")
        return Table(title, heads, rows, texts=1, helps=helps)
    title = say("Spend of each channel, as it ran and by the plan")
    if not plan.projects:
        rows = [_moved(line) for line in plan.channels]
        return Table(title, [say("Channel"), *heads], rows, texts=1, helps=helps)
    owners = _owners(plan)
    rows = [
        [name.removeprefix(f"{owner}: "), owner, *amounts]
        for owner, (name, *amounts) in zip(
            owners, map(_moved, plan.channels), strict=True
        )
    ]
    heads = [say("Channel"), say("Project"), *heads]
    return Table(title, heads, rows, texts=2, helps=helps)


def projects_at_a_glance(plan: PlanRecord) -> Table:
    """`projects` where a screen has little room."""
    symbol, days, gained = plan.units.symbol, plan.horizon, say("Gain")
    ran = fmt.titled(days.brief_heading, symbol)
    heads = [say("Project"), ran, fmt.titled(say("Plan"), symbol), say("Change")]
    helps = {ran: days.heading, gained: _about_gain(plan)}
    return Table("", [*heads, gained], projects(plan).rows, texts=1, helps=helps)


def _about_gain(plan: PlanRecord) -> str:
    """What is gained, and over what."""
    gained = say("{outcome} gained", outcome=plan.units.outcome_name)
    over = say("Over {plan}, with its 90 % interval.", plan=compared_with(plan))
    return f"{gained}. {over}"


def most_more_first(lines: Iterable[Line]) -> list[Line]:
    """Lines in the order of what the plan gives them more."""
    return sorted(lines, key=lambda line: line.current - line.planned)


def _owners(plan: PlanRecord) -> list[str]:
    """The project of each channel of a portfolio; empty where several share it."""
    names = sorted((part.name for part in plan.projects), key=len, reverse=True)
    return [
        next((name for name in names if line.name.startswith(f"{name}: ")), "")
        for line in plan.channels
    ]


def _moved(line: Line) -> list[str]:
    """Name, spend that ran, planned spend and the change."""
    return [
        locked_name(line),
        table_amount(line.current),
        table_amount(line.planned),
        change_of_spend(line),
    ]


def _moved_and_gained(line: Line, units: fmt.Units) -> list[str]:
    """The same of a plan over geos: how sure the change is, and what it gains."""
    gain = units.estimate(line.gain, bare=True, signed=True)
    return [*_moved(line), fmt.probability(odds_of_more(line)), gain]


def _gained_heading(plan: PlanRecord) -> str:
    """Heading of what lines gain."""
    gained = say("{outcome} gained", outcome=plan.units.outcome_name)
    return say("{name}, 90 %", name=gained)


def projects(plan: PlanRecord) -> Table:
    """What of a portfolio's plan is each project's, in the order of the portfolio."""
    units = plan.units
    heads = [
        say("Project"),
        fmt.titled(ran_heading(plan), units.symbol),
        fmt.titled(say("Planned"), units.symbol),
        say("Change"),
        say("Gain over {over}", over=compared_with(plan)),
    ]
    rows = [
        [
            part.name,
            table_amount(part.current),
            table_amount(part.planned),
            plan_words.project_change(part),
            units.estimate(part.gain, signed=True),
        ]
        for part in plan.projects
    ]
    return Table("", heads, rows, texts=1)


def locked_name(line: Line) -> str:
    """The name of a channel, and that it is locked where it is."""
    return line.name + (say(" (locked)") if line.locked else "")


def _limits(line: Line) -> str:
    if line.low is None or line.high is None:
        return fmt.NONE
    low, high = map(table_amount, (line.low, line.high))
    return say("{low} to {high}", low=low, high=high)


def _budgets(points: Sequence[Point], plan: PlanRecord) -> Table:
    """The best plan at other budgets."""
    units, any_beyond = plan.units, any(point.beyond_seen for point in points)
    heads = [
        say("Budget"),
        plan_words.brought(units),
        say("Gain over the same split"),
        say("Marginal ROI"),
        *([say("Beyond observed spend")] if any_beyond else []),
        "",
    ]
    rows = [
        [
            fmt.money(point.budget, units.currency),
            units.estimate(point.outcome, bare=True),
            _gained(point, units),
            fmt.estimate(point.mroi, "ratio"),
            *([", ".join(point.beyond_seen)] if any_beyond else []),
            say("this plan") if point.is_plan else "",
        ]
        for point in points
    ]
    return Table(say("The best plan at other budgets"), heads, rows, texts=0)


def _gained(point: Point, units: fmt.Units) -> str:
    """The gain with its interval; where all is at its limits there is none."""
    if point.gain.lo == point.gain.hi:
        return units.show(point.gain.mean, signed=True)
    return units.estimate(point.gain, bare=True, signed=True)


def spend_title(grid: SpendGrid) -> str:
    """Above a chart of the spend of every cell."""
    if grid.over == "geo":
        return say("Planned spend by geo and channel")
    return say("Planned spend by week and channel")


def _spend(grid: SpendGrid, plan: PlanRecord) -> Table:
    """Spend of every cell, with totals of rows and columns."""
    names = [fmt.date(row) if grid.over == "week" else row for row in grid.rows]
    heads = [
        say("Geo") if grid.over == "geo" else say("Week"),
        *grid.channels,
        say("All channels"),
    ]
    lines = [
        [name, *_amounts(cells, beyond), table_amount(total)]
        for name, cells, beyond, total in zip(
            names, grid.planned, grid.beyond, grid.row_totals, strict=True
        )
    ]
    sums = [*grid.totals, grid.row_totals.sum()]
    totals = [say("Total"), *map(table_amount, sums)]
    note = fmt.titled(say("Planned spend"), plan.units.symbol) + "."
    if grid.beyond.any():
        note += " " + say("×: beyond observed spend there.")
    title = (
        say("Spend by geo and channel")
        if grid.over == "geo"
        else say("Spend by week and channel")
    )
    return Table(title, heads, [*lines, totals], texts=1, note=note)


def teaching(plan: PlanRecord) -> list[Table]:
    """What a plan that teaches costs, is to bring, and why which weeks."""
    lines = [
        teaching_words.headline(plan),
        *teaching_words.why_these_geos(plan),
        *teaching_words.told_apart(plan),
    ]
    rows = [[row.label, row.value, row.meaning] for row in teaching_words.rows(plan)]
    if not rows:
        return _shares(plan)
    return [
        Table(
            say("What the plan teaches"),
            ["", say("Expected, 90 %"), say("What it is")],
            rows,
            texts=3,
            note=" ".join(part for part in lines if part),
        ),
        *_narrower(plan),
        *_changes(plan),
        *_shares(plan),
    ]


def _narrower(plan: PlanRecord) -> list[Table]:
    """How much the interval of each channel's return is expected to narrow."""
    lesson = plan.teaching
    if lesson is None or not lesson.channels:
        return []
    heads = [say("Channel"), say("This plan"), say("Plan that only earns")]
    rows = [
        [line.channel, fmt.share(line.teaching), fmt.share(line.earning)]
        for line in lesson.channels
    ]
    n = 3 if lesson.is_other else 2
    rows = [row[:n] for row in rows]
    return [Table(say("Interval of the return narrows by"), heads[:n], rows, texts=1)]


def _changes(plan: PlanRecord) -> list[Table]:
    """Every stretch of weeks that differs from the plan that only earns, and why."""
    changes = plan.teaching.changes if plan.teaching else ()
    if not changes:
        return []
    largest = sorted(changes, key=lambda each: -abs(each.spend))[:_MOST_CHANGES]
    rows = [
        [
            f"{each.channel}, {_stretch(each)}",
            fmt.money(each.spend, plan.currency, signed=True),
            teaching_words.why_this_week(plan, each.channel, each.first),
        ]
        for each in changes
        if each in largest
    ]
    note = _fewer(len(changes) - len(rows))
    heads = [fmt.titled(say("Channel"), say("Weeks")), say("Change"), say("Why")]
    return [Table(say("Weeks that differ"), heads, rows, texts=3, note=note)]


def _stretch(change: Changed) -> str:
    """`5 May – 12 May`, or the one week."""
    first, last = map(fmt.day_and_month, (change.first, change.last))
    return first if change.weeks == 1 else f"{first} – {last}"


def _fewer(more: int) -> str:
    """What a table leaves out; empty where it has all."""
    if more <= 0:
        return ""
    return say_count(
        more,
        "{number} more differs by less money; the workbook of the plan has all.",
        "{number} more differ by less money; the workbook of the plan has all.",
        number=more,
    )


def _shares(plan: PlanRecord) -> list[Table]:
    """Shares of geos that differ from last year, and what they spend."""
    rows = teaching_words.share_rows(plan)
    if not rows:
        return []
    heads, note = teaching_words.share_heads(plan), _fewer(len(rows) - _MOST_GEOS)
    return [Table(say("Geos that differ"), heads, rows[:_MOST_GEOS], 2, note=note)]


def _sums(plan: PlanRecord, *, of_channels: bool) -> Table:
    """What each channel or geo has, and what it brings, or gains over geos."""
    of_geos, units = plan.over == "geos", plan.units
    lines = plan.channels if of_channels else plan.geos
    if of_geos:
        rows = [_moved_and_gained(line, units) for line in lines]
        last = [say("Odds of more"), _gained_heading(plan)]
    else:
        rows = [
            [
                *_moved(line)[:-1],
                _growth(line),
                units.estimate(line.outcome.planned, bare=True),
            ]
            for line in lines
        ]
        last = [say("{name}, 90 %", name=units.outcome_name)]
    heads = [
        say("Channel") if of_channels else say("Geo"),
        ran_heading(plan),
        say("Planned"),
        say("Change"),
        *last,
    ]
    return Table(
        say("Channels") if of_channels else say("Geos"),
        heads,
        rows,
        texts=1,
        note=say("Direction: {marks}", marks=say(MARKS)) if of_geos else "",
        of_channels=of_channels,
    )


def _amounts(cells: np.ndarray, beyond: np.ndarray) -> list[str]:
    return [
        ("× " if is_beyond else "") + table_amount(cell)
        for cell, is_beyond in zip(cells, beyond, strict=True)
    ]


def _growth(line: Line) -> str:
    """The change in percent; none where there was no spend, and there is some now."""
    if line.multiplier is None:
        return say("new") if line.planned > 0 else fmt.share(0.0)
    return fmt.share(line.multiplier - 1, signed=True)
