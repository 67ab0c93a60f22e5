"""plan --over weeks: the plan for people."""

from collections.abc import Sequence

from core import text as fmt
from core.cli.answer import clean, table
from core.cli.marks import legend, marks
from core.service.records.plan import Line, PlanRecord
from core.view import plan_words
from core.view.advice import compared_with, ran_heading
from core.view.sections import of_plan
from core.view.weeks import teaching_words

#: Other plans that a plan of weeks is compared with.
_COMPARED = {
    "even": "the same split in even weeks",
    "fixed": "the best split of last year's weeks",
}


def week_plan_text(plan: PlanRecord) -> str:
    """The plan of weeks for people."""
    units = plan.units
    weeks = plan.weeks
    rows = [
        (
            line.name,
            fmt.exact(line.current, decimals=0),
            fmt.exact(line.planned, decimals=0),
            _busiest(line, weeks),
            f"{sum(line.weeks_beyond_seen)}" if line.beyond_seen else "",
            marks(line, "B"),
        )
        for line in plan.channels
    ]
    titles = [
        "Channel",
        fmt.titled(ran_heading(plan), units.symbol),
        f"Planned, {units.symbol}",
    ]
    titles += ["Dearest week", "Beyond seen", ""]
    lines = [
        f"{plan_words.horizon(plan)}; budget "
        f"{fmt.exact(plan.budget, units.symbol, decimals=2)}; maximises "
        f"{plan_words.pursued(plan, units)}",
        "",
        table(titles, rows),
        "",
        f"{units.outcome_name} from the plan's spend "
        f"{units.estimate(plan.outcome.planned, bare=True)}, of it after its end "
        f"{units.estimate(plan.terminal, bare=True)}; media before the plan brings "
        f"{units.estimate(plan.inherited, bare=True)} beside it",
    ]
    gains = {
        "current": plan.gain,
        "even": plan.gain_over_even,
        "fixed": plan.gain_over_fixed,
    }
    for name, words in ({"current": compared_with(plan)} | _COMPARED).items():
        lines.append(f"Gain over {words}: {plan_words.gained(gains[name], units)}")
    lines += _profit(plan)
    lines += teaching_words.lines(plan)
    lines += [*of_plan.in_sentences(plan), *legend(plan.channels, "B")]
    return clean("\n".join(lines))


def _profit(plan: PlanRecord) -> list[str]:
    """The profit, where that was sought."""
    profit = plan.profit
    if profit is None:
        return []
    money, gain = ("money", plan.currency), profit.gain
    return [
        f"Profit at a margin of {profit.margin:g}: "
        f"{fmt.estimate(profit.planned, *money)}; over {compared_with(plan)} "
        f"{fmt.estimate(gain, *money)}, better with a probability of "
        f"{fmt.probability(gain.probability_positive)}"
    ]


def _busiest(line: Line, weeks: Sequence[str]) -> str:
    place = max(range(len(weeks)), key=line.weeks.__getitem__)
    return f"{fmt.date(weeks[place])} ({fmt.exact(line.weeks[place], decimals=0)})"
