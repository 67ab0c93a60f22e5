"""plan --over geos: the plan for people."""

from collections.abc import Sequence

from core import text as fmt
from core.cli.answer import clean, table
from core.cli.marks import legend, marks
from core.service.records.plan import Cell, Line, PlanRecord
from core.view import plan_words
from core.view.advice import BETWEEN_GEOS, compared_with, ran_heading
from core.view.sections import of_plan

#: Most channels for which changes by channel fit beside each other.
_MOST_COLUMNS = 8


def geo_plan_text(plan: PlanRecord) -> str:
    """The plan for people."""
    units = plan.units
    lines = [
        f"Budget {fmt.exact(plan.budget, units.symbol, decimals=2)} over "
        f"{fmt.count(len(plan.channels), 'channel')} and "
        f"{fmt.count(len(plan.geos), 'geo')}, for "
        f"{plan_words.horizon(plan)}; maximises "
        f"{plan_words.pursued(plan, units)}",
        "",
        _sums("Channel", plan.channels, plan),
        "",
        _sums("Geo", plan.geos, plan),
        "",
        *_changes(plan),
        *_odds(plan, units),
    ]
    return clean("\n".join(lines))


def _sums(title: str, lines: Sequence[Line], plan: PlanRecord) -> str:
    units = plan.units
    titles = [
        title,
        fmt.titled(ran_heading(plan), units.symbol),
        f"Planned, {units.symbol}",
        "Change",
    ]
    titles += ["More pays", f"{units.outcome_name} gained", ""]
    return table(
        titles,
        [
            (
                line.name,
                fmt.exact(line.current, decimals=2),
                fmt.exact(line.planned, decimals=2),
                _growth(line.multiplier),
                fmt.probability(line.probability_up),
                units.estimate(line.gain, signed=True),
                marks(line, "LB"),
            )
            for line in lines
        ],
    )


def _changes(plan: PlanRecord) -> list[str]:
    """Change of each channel in each geo, where that fits."""
    channels = [line.name for line in plan.channels]
    if len(channels) > _MOST_COLUMNS:
        return ["Change by channel and geo: --json, or --out plan.csv.", ""]
    cells = {(cell.geo, cell.channel): cell for cell in plan.cells}
    rows = [
        [geo.name, *(_change(cells.get((geo.name, name))) for name in channels)]
        for geo in plan.geos
    ]
    return [table(["Change", *channels], rows), ""]


def _change(cell: Cell | None) -> str:
    if cell is None:
        return fmt.NONE
    mark = "!" if cell.beyond_seen else ""
    return mark + _growth(cell.multiplier)


def _growth(multiplier: float | None) -> str:
    """How much more than last year; a channel that never ran has no last year."""
    return "new" if multiplier is None else fmt.share(multiplier - 1, signed=True)


def _odds(plan: PlanRecord, units: fmt.Units) -> list[str]:
    over = compared_with(plan)
    lines = [f"{units.outcome_name} from spend, 90 % intervals:"]
    words = (
        (plan.outcome.current, over),
        (
            plan.outcome.channels,
            "the best plan that keeps every channel's pattern over geos",
        ),
        (plan.outcome.planned, "planned"),
    )
    for outcome, label in words:
        if outcome is not None:
            lines.append(f"  {label}: {units.estimate(outcome)}")
    gains = {
        f"gain over {over}": plan.gain,
        BETWEEN_GEOS.get(plan.geo_advice, ""): plan.gain_over_channels,
    }
    for label, gain in gains.items():
        if gain is not None:
            lines.append(f"  {label}: {plan_words.gained(gain, units)}")
    lines += of_plan.in_sentences(plan)
    if plan.geo_advice is None:
        lines.append("No plan that keeps the pattern over geos meets these limits.")
    lines += legend([*plan.geos, *plan.channels], "LB")
    if any(cell.beyond_seen for cell in plan.cells):
        lines.append("!: more than was ever spent there in a period, so extrapolated.")
    return lines
