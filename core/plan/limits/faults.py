"""Limits that cannot be met together: where they contradict, and what would do.

The ways out are those of the elastic program (`core.plan.limits.program`), which is
asked once for every limit that may give way: the least by which it must. What takes
least money is told first.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from core.data.reading.findings import Finding
from core.plan.limits.cents import step
from core.plan.limits.channels import Money
from core.plan.limits.findings import fault
from core.plan.limits.polytope import Polytope
from core.plan.limits.program import Give, can_be_met, cheapest, total_range
from core.text.languages.language import marked

_MOST_WAYS = 3
#: Part of a cent that is a rounding error of the program, beside a share of the amount.
_ROUGH, _SHARE = 1e-2, 1e-9


#: Of limits that allow less than the budget.
ROOM_LEFT = marked(
    "The limits leave room for {total}, {gap} less than the budget of {budget}."
)


class Words(NamedTuple):
    """How limits are spoken of.

    Attributes:
        money: How amounts are written.
        what: What there is none of, if limits contradict: `split`, `plan`.
        where: Where findings are.
        sum_of_least: A sentence on the sum of all minimums, which is above the budget.
        sum_of_most: The same of all maximums, which is below.
    """

    money: Money
    what: str = marked("split")
    where: str = "budget"
    sum_of_least: str = marked(
        "The minimums add up to {total}, {gap} more than the budget of {budget}."
    )
    sum_of_most: str = marked(
        "The maximums add up to {total}, {gap} less than the budget of {budget}."
    )


class Way(NamedTuple):
    """A limit that may give way.

    Attributes:
        give: Which, and how.
        sentence: The sentence for how much money it gives.
    """

    give: Give
    sentence: Callable[[float], str]


def joint_faults(limits: Polytope, ways: Sequence[Way], words: Words) -> list[Finding]:
    """What stands against limits that are each in order; nothing where they can be met.

    Args:
        limits: A polytope.
        ways: What may give way; of equal changes the first is told first.
        words: How it is told.
    """
    is_separable = limits.reduced().is_separable
    if not is_separable and can_be_met(limits):
        return []
    money, (least, most) = words.money, limits.budgets
    ends = total_range(limits)
    off = None if ends is None else off_budget(limits, ends)
    if ends is None:
        message = f"Whatever the budget, no {words.what} keeps to all limits together."
    elif off is not None:
        message = budget_off(_sentence(limits, words, off), off, money)
    elif is_separable:
        return []
    else:
        amount = f" of {money(most)}" if least == most else ""
        message = f"No {words.what}{amount} keeps to all limits together."
    return [fault(words.where, message, _hint(limits, ways))]


class OffBudget(NamedTuple):
    """A budget that limits miss: their nearest total, the budget, which is more."""

    total: float
    budget: float
    is_above: bool


def off_budget(limits: Polytope, ends: tuple[float, float]) -> OffBudget | None:
    """By what limits whose totals lie between two ends miss the budget, if they do."""
    (least, most), (smallest, largest), slack = ends, limits.budgets, slack_of(limits)
    if least > largest + slack:
        return OffBudget(least, largest, is_above=True)
    if most < smallest - slack:
        return OffBudget(most, smallest, is_above=False)
    return None


def slack_of(limits: Polytope) -> float:
    """Half the smallest amount that a plan moves: what rounding makes up for."""
    return 0.5 * float(step(limits.budgets[1]))


def budget_off(sentence: str, off: OffBudget, money: Money) -> str:
    """A sentence on a total that is not the budget, filled."""
    gap = money(abs(off.total - off.budget))
    return sentence.format(total=money(off.total), gap=gap, budget=money(off.budget))


def _sentence(limits: Polytope, words: Words, off: OffBudget) -> str:
    if not limits.reduced().is_separable:
        if off.is_above:
            return marked(
                "The limits ask for {total}, {gap} more than the budget of {budget}."
            )
        return ROOM_LEFT
    return words.sum_of_least if off.is_above else words.sum_of_most


def _hint(limits: Polytope, ways: Sequence[Way]) -> str:
    """The smallest single changes that make limits possible, least money first."""
    enough, none = [], np.zeros(len(limits.low))
    for way in ways:
        solved = cheapest(limits, none, way.give)
        if solved is not None:
            enough.append((round(solved.give, 2), way.sentence(solved.give)))
    if not enough:
        return "Loosen several limits at once: no single change would do."
    texts = dict.fromkeys(text for _, text in sorted(enough, key=lambda each: each[0]))
    return f"The smallest change that works: {'; or '.join(list(texts)[:_MOST_WAYS])}."


def ways_of_rows(
    limits: Polytope, money: Money, few: int | None = None
) -> Iterator[Way]:
    """Every finite end of a row, or of the first few."""
    joint = limits.rows
    for row in range(joint.n if few is None else few):
        gives = (np.arange(joint.n) == row).astype(float)
        for is_up, ends in ((True, joint.most), (False, joint.least)):
            if np.isfinite(ends[row]):
                text = _said_of_row(limits, row, is_up, money)
                yield Way(Give(is_up, rows=gives), text)


def ways_of_cells(
    limits: Polytope, locked: Sequence[str], money: Money
) -> Iterator[Way]:
    """Every maximum and minimum of a cell, the largest first.

    Args:
        limits: A polytope.
        locked: Cells whose spend is fixed.
        money: How amounts are written.
    """
    for is_up, ends in ((True, limits.high), (False, limits.low)):
        for cell in np.argsort(-ends, kind="stable"):
            name, now = limits.cells[cell], float(ends[cell])
            gives = (np.arange(len(ends)) == cell).astype(float)
            text = _said_of_cell(name, now, is_up, name in locked, money)
            yield Way(Give(is_up, cells=gives), text)


def _said_of_row(
    limits: Polytope, row: int, is_up: bool, money: Money
) -> Callable[[float], str]:
    joint = limits.rows
    now = float((joint.most if is_up else joint.least)[row])
    name = joint.names[row]

    def said(change: float) -> str:
        to = money(in_cents_beyond(now + change if is_up else now - change, is_up))
        if row == 0:
            if is_up:
                return f"raise the budget to {to}"
            return f"lower the budget to {to}"
        if now == 0 and (joint.weight[joint.row == row] < 0).any():  # a share of others
            more = money(in_cents_beyond(change, True))
            if is_up:
                return f"let {name} have {more} more"
            return f"let {name} have {more} less"
        return _moved(name, now, to, is_up, money)

    return said


def _said_of_cell(
    name: str, now: float, is_up: bool, is_locked: bool, money: Money
) -> Callable[[float], str]:
    def said(change: float) -> str:
        to = now + change if is_up else max(now - change, 0.0)
        amount = money(in_cents_beyond(to, is_up))
        if is_locked:
            return f"lock {name} at {amount}"
        return _moved(name, now, amount, is_up, money)

    return said


def _moved(name: str, now: float, to: str, is_up: bool, money: Money) -> str:
    if is_up:
        return f"raise the maximum of {name} from {money(now)} to {to}"
    return f"lower the minimum of {name} from {money(now)} to {to}"


def in_cents_beyond(amount: float, is_up: bool) -> float:
    """The amount in cents, rounded so that a change to it is enough."""
    cents = 100 * amount
    near = round(cents)
    if abs(cents - near) < _ROUGH + _SHARE * abs(cents):
        return near / 100
    return float(np.ceil(cents) if is_up else np.floor(cents)) / 100
