"""A plan beside what happened: what came, why, and which causes are firm."""

from datetime import date
from functools import partial
from typing import Any

from core import text as fmt
from core.plan.record.actuals import ChannelChanges, GeoChanges, PlanBesideActuals
from core.project.refresh.record import RefreshRecord
from core.text.languages.language import marked, say
from core.view.sections.section import Figure, Note, Section, Table

#: What the planned spend of these periods is, by what the plan is over.
_PLANNED = {
    "channels": marked(
        "A plan says how much, not when: its timing is that of {ran}. Before it begins "
        "and after it ends, spend is as it was then."
    ),
    "weeks": marked(
        "Planned: the plan's weeks among these periods. Before it begins and after it "
        "ends, spend is that of {ran}."
    ),
    "geos": marked(
        "A plan says how much in which geo, not when: its timing is that of {ran}. "
        "Before it begins and after it ends, spend is as it was then."
    ),
}
_SPEND = marked("Spend: more, less or other timing than planned.")
_REST = marked("The rest is baseline: demand, controls, unpaid channels, chance.")
#: A fit that saw these periods speaks where it moved an ROI by so much of what was
#: uncertain before, and beyond Monte-Carlo error.
_MOVED = 0.5
#: Most pairs of channels that are named.
_MOST = 3
_BASELINE = "baseline"


def section(against: PlanBesideActuals) -> Section:
    """What came, from the planned outcome to the actual one, and why.

    Args:
        against: A plan beside what happened.
    """
    blocks = [
        Note(_summary(against), against.name, "small"),
        Figure(partial(_figure, against), against, _steps(against)),
        _channels(against),
        *([_geos(against)] if against.geos else []),
        *[Note(line, weight="small") for line in notes(against)],
    ]
    elsewhere = {"screen": "its part on plan and actuals has it, of any plan"}
    claim = say(
        "{actual} came in {periods}, {gone} against the plan",
        actual=against.units.named(against.actual),
        periods=fmt.count(against.periods, period(against)),
        gone=against.units.show(against.difference.mean, signed=True),
    )
    title = say("Plan against actuals")
    return Section("actuals", title, blocks, elsewhere, claim=claim)


def _summary(against: PlanBesideActuals) -> str:
    units = against.units
    return say(
        "{outcome_name} of {periods}, {start} to {end}: {actual}, {gone} "
        "against the plan. For what was spent, the model expected no more than that "
        "with a probability of {below}.",
        outcome_name=units.outcome_name,
        periods=fmt.count(against.periods, period(against)),
        start=fmt.date(against.start),
        end=fmt.date(against.end),
        actual=units.show(against.actual),
        gone=units.show(against.difference.mean, signed=True),
        below=fmt.probability(against.probability_below),
    )


def _figure(against: PlanBesideActuals) -> Any:
    from core.charts.planning.plan import variance

    return variance(against, units=against.units)


def _steps(against: PlanBesideActuals) -> Table:
    """From the planned outcome to the actual one."""
    units = against.units
    rows = [(say("Planned"), units.estimate(against.planned, bare=True))]
    for part in against.parts:
        amount = units.estimate(part, bare=True, signed=True)
        rows.append((say(part.name.capitalize()), amount))
        if part.name == "spend":
            expected = units.estimate(against.expected, bare=True)
            rows.append((say("Expected at what was spent"), expected))
    difference = units.estimate(against.difference, bare=True, signed=True)
    rows += [
        (say("Actual"), units.show(against.actual)),
        (say("Actual less planned"), difference),
    ]
    return Table("", ["", say("{name}, 90 %", name=units.outcome_name)], rows, texts=1)


def _channels(against: PlanBesideActuals) -> Table:
    """What each channel's spend and response changed."""
    units = against.units
    rows = [
        (
            *_spends(row, units),
            units.estimate(row.spend, bare=True, signed=True),
            units.estimate(row.response, bare=True, signed=True),
        )
        for row in against.channels
    ]
    heads = [say("Channel"), *_spend_heads(), say("By spend"), say("By response")]
    return Table("", heads, rows, texts=1, of_channels=True)


def _geos(against: PlanBesideActuals) -> Table:
    """What was spent in each geo, and what it brings there."""
    units = against.units
    rows = [
        (
            *_spends(row, units),
            units.estimate(row.brought, bare=True),
            units.estimate(row.spend, bare=True, signed=True),
        )
        for row in against.geos
    ]
    heads = [say("Geo"), *_spend_heads(), say("Expected of it"), say("By spend")]
    return Table("", heads, rows, texts=1)


def _spend_heads() -> tuple[str, str]:
    return say("Planned"), say("Spent")


def _spends(row: ChannelChanges | GeoChanges, units: fmt.Units) -> tuple[str, str, str]:
    """Name, planned spend and actual spend."""
    return (
        row.name,
        fmt.money(row.planned_spend, units.currency),
        fmt.money(row.actual_spend, units.currency),
    )


def notes(against: PlanBesideActuals) -> list[str]:
    """What the split means and how sure it is, in sentences.

    Args:
        against: A plan beside what happened.
    """
    response, level = (
        fmt.share(against.priors[name]["wanders"]) for name in ("response", "level")
    )
    meaning = say(
        "Response: what the actuals say about a change of a channel "
        "since the fit, where ± {response} of a response and ± {level} of "
        "demand were thought usual, and a break possible in demand and in up to two "
        "channels.",
        response=response,
        level=level,
    )
    ran = against.horizon.as_it_ran
    return [
        firm(against),
        *confused(against),
        f"{say(_SPEND)} {meaning} {say(_REST)}",
        say(_PLANNED[against.plan_of], ran=ran),
        *_by_geo(against),
        *[
            say(
                "{name} has no spend in {ran}, so what its spend brought is in the "
                "baseline.",
                name=row.name,
                ran=ran,
            )
            for row in against.channels
            if not row.is_valued
        ],
        *[
            say(
                "{name} has no history in the fit: its spend and what it brings are "
                "counted as planned and believed, and what came otherwise is in the "
                "baseline.",
                name=name,
            )
            for name in against.believed
        ],
    ]


def _by_geo(against: PlanBesideActuals) -> list[str]:
    """Where what ran is known by geo, and where the plan's shares stand for it."""
    if not against.as_planned:
        return []
    if not against.geos:
        return [
            say(
                "These actuals do not say what was spent in each geo, so the plan's "
                "shares of geos stand for what ran. Money that went elsewhere counts "
                "as response. With a row per geo and period it counts as spend."
            )
        ]
    return [
        say(
            "The data do not say what {names} spent in each geo: the plan's shares "
            "of geos stand for it.",
            names=fmt.listed(against.as_planned),
        )
    ]


def refitted(record: RefreshRecord) -> str:
    """What a fit that saw these periods, beside all earlier ones, says about causes.

    Args:
        record: Of the refresh.
    """
    moved = [
        say(
            "{name} from {before} to {after}",
            name=row.name,
            before=fmt.ratio(row.before.mean),
            after=fmt.ratio(row.after.mean),
        )
        for row in record.channels
        if row.sds is not None
        and abs(row.sds) >= _MOVED
        and row.is_beyond(record.noise)
    ]
    if moved:
        return say(
            "The new fit weighs these periods with all earlier ones. It moved the ROI "
            "of {moved}, which speaks for a changed response there.",
            moved=fmt.listed(moved),
        )
    return say(
        "The new fit weighs these periods with all earlier ones. It moved no ROI by "
        "half of its uncertainty, so it gives no reason to blame a channel."
    )


def firm(against: PlanBesideActuals) -> str:
    """Causes beyond spend whose interval is on one side of zero."""
    (baseline,) = (one for one in against.parts if one.name == _BASELINE)
    causes = [
        *(
            (say("{name}'s response", name=row.name), row.response)
            for row in against.channels
        ),
        (say("the baseline"), baseline),
    ]
    results = [
        say("{cause} rose", cause=name)
        if part.mean > 0
        else say("{cause} fell", cause=name)
        for name, part in causes
        if part.is_firm
    ]
    if not results:
        return say(
            "Beyond spend no cause is firm: every interval holds zero. A "
            "test of the channel in question tells more."
        )
    return say("Firm beyond spend: {found}.", found=fmt.listed(results))


def confused(against: PlanBesideActuals) -> list[str]:
    """Which causes these periods cannot tell apart; nothing where they can."""
    pairs = against.confused
    with_demand = [one for one, other in pairs if other == _BASELINE]
    others = [(one, other) for one, other in pairs if other != _BASELINE][:_MOST]
    lines = [
        say("{one}'s response from {other}'s", one=one, other=other)
        for one, other in others
    ]
    if with_demand:
        names = fmt.listed(with_demand)
        lines.insert(0, say("demand from the response of {names}", names=names))
    if not lines:
        return []
    periods = fmt.count(against.periods, period(against))
    return [
        say(
            "{periods} cannot tell {pairs}: the more one explains, the less the other.",
            periods=periods,
            pairs=say("; or ").join(lines),
        )
    ]


def period(against: PlanBesideActuals) -> str:
    """What a period is called."""
    if against.periods < 2:
        return "period"
    first, last = (date.fromisoformat(day[:10]) for day in (against.start, against.end))
    days = (last - first).days / (against.periods - 1)
    if 28 <= days <= 31:
        return "month"
    return {7: "week", 1: "day"}.get(round(days, 6), "period")
