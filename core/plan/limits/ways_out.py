"""Ways out of limits that cannot be met: the smallest single changes that would do.

The elastic program (`core.plan.limits.program`) is asked once for every limit that may
give way: the least by which it must. What takes least money is told first.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from core.data.findings import Finding
from core.plan.limits.channels import Money
from core.plan.limits.findings import fault
from core.plan.limits.polytope import Polytope
from core.plan.limits.program import Give, can_be_met, cheapest

_MOST_WAYS = 3
#: Part of a cent that is a rounding error of the program, beside a share of the amount.
_ROUGH, _SHARE = 1e-2, 1e-9


class Way(NamedTuple):
    """A limit that may give way.

    Attributes:
        give: Which, and how.
        said: The sentence for how much money it gives.
    """

    give: Give
    said: Callable[[float], str]


def joint_faults(
    limits: Polytope, ways: Sequence[Way], what: str, where: str
) -> list[Finding]:
    """What is said of limits that no split keeps to; nothing where one does.

    Args:
        limits: A polytope.
        ways: What may give way; of equal changes the first is told first.
        what: What there is none of: `No split of 100 EUR`.
        where: Where the finding is.
    """
    if can_be_met(limits):
        return []
    found, none = [], np.zeros(len(limits.low))
    for way in ways:
        solved = cheapest(limits, none, way.give)
        if solved is not None:
            found.append((round(solved.give, 2), way.said(solved.give)))
    texts = [text for _, text in sorted(found, key=lambda each: each[0])]
    hint = "Loosen several limits at once: no single change would do."
    if texts:
        few = list(dict.fromkeys(texts))[:_MOST_WAYS]
        hint = f"The smallest change that works: {'; or '.join(few)}."
    return [fault(where, f"{what} keeps to all limits together.", hint)]


def ways_of_rows(limits: Polytope, money: Money) -> Iterator[Way]:
    """Every finite end of a row."""
    rows = limits.rows
    for row in range(rows.n):
        for is_up, ends in ((True, rows.most), (False, rows.least)):
            if np.isfinite(ends[row]):
                yield Way(Give(is_up, row=row), _said_of_row(limits, row, is_up, money))


def ways_of_cells(
    limits: Polytope, locked: Sequence[str], money: Money
) -> Iterator[Way]:
    """Every maximum and minimum of a cell.

    Args:
        limits: A polytope.
        locked: Cells whose spend is fixed.
        money: How amounts are written.
    """
    for cell, name in enumerate(limits.cells):
        gives = np.arange(len(limits.cells)) == cell
        for is_up, ends in ((True, limits.high), (False, limits.low)):
            said = _said_of_cell(name, float(ends[cell]), is_up, name in locked, money)
            yield Way(Give(is_up, cells=gives.astype(float)), said)


def _said_of_row(
    limits: Polytope, row: int, is_up: bool, money: Money
) -> Callable[[float], str]:
    rows = limits.rows
    now = float((rows.most if is_up else rows.least)[row])
    name, verb = rows.names[row], "raise" if is_up else "lower"

    def said(change: float) -> str:
        to = money(in_cents_beyond(now + change if is_up else now - change, is_up))
        if row == 0:
            return f"{verb} {name} to {to}"
        if now == 0 and (rows.weight[rows.row == row] < 0).any():  # a share of others
            more = money(in_cents_beyond(change, True))
            return f"let {name} have {more} {'more' if is_up else 'less'}"
        limit = "maximum" if is_up else "minimum"
        return f"{verb} the {limit} of {name} from {money(now)} to {to}"

    return said


def _said_of_cell(
    name: str, now: float, is_up: bool, is_locked: bool, money: Money
) -> Callable[[float], str]:
    def said(change: float) -> str:
        to = now + change if is_up else max(now - change, 0.0)
        amount = money(in_cents_beyond(to, is_up))
        if is_locked:
            return f"lock {name} at {amount}"
        verb, limit = ("raise", "maximum") if is_up else ("lower", "minimum")
        return f"{verb} the {limit} of {name} from {money(now)} to {amount}"

    return said


def in_cents_beyond(amount: float, is_up: bool) -> float:
    """The amount in cents, rounded so that a change to it is enough."""
    cents = 100 * amount
    near = round(cents)
    if abs(cents - near) < _ROUGH + _SHARE * abs(cents):
        return near / 100
    return float(np.ceil(cents) if is_up else np.floor(cents)) / 100
