"""Feasible: whether limits can be met at all, and the smallest change that makes it so.

A small integer program asks for any split. Where there is none, it is asked again with
one limit at a time allowed to give way: the least by which it must.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from core.plan.limits.channels import Money
from core.plan.limits.domain import Domain

_MOST_WAYS = 3


class _Knob(NamedTuple):
    """One limit that may give way: a row or a channel, upwards or downwards."""

    kind: str
    index: int
    is_up: bool


@dataclass(frozen=True)
class Names:
    """What rows and channels are called in messages.

    Attributes:
        channels: Every channel.
        rows: Every group, after the budget.
        locked: Channels whose spend is fixed.
        money: How amounts are written.
    """

    channels: Sequence[str]
    rows: Sequence[str]
    locked: Sequence[str]
    money: Money


def can_be_met(domain: Domain) -> bool:
    """Whether a split keeps to every limit."""
    return _least(domain, None) is not None


def ways_out(domain: Domain, names: Names) -> list[str]:
    """The smallest single changes that make a split possible, least money first."""
    found = []
    for knob in _knobs(domain):
        change = _least(domain, knob)
        if change is not None:
            found.append((change, _told(domain, knob, change, names)))
    texts = [text for _, text in sorted(found, key=lambda one: round(one[0], 2))]
    return list(dict.fromkeys(texts))[:_MOST_WAYS]


def _knobs(domain: Domain) -> Iterator[_Knob]:
    """Limits that may give way; of equal changes the first is told first."""
    for row in range(len(domain.rows)):
        for is_up, limit in ((True, domain.most), (False, domain.least)):
            if np.isfinite(limit[row]):
                yield _Knob("row", row, is_up)
    for channel in range(len(domain.low)):
        yield _Knob("channel", channel, True)
        yield _Knob("channel", channel, False)


def _least(domain: Domain, knob: _Knob | None) -> float | None:
    """By how much a limit must give way, currency; None if that is not enough.

    Variables: spend of channels, whether each is on, its steps, and the give.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    n = len(domain.low)
    money = max(float(domain.high.max()), float(domain.least.max()), 1e-6)
    low, high = domain.low / money, domain.high / money
    eye, none = np.eye(n), np.zeros((n, n))
    gives = np.zeros((n, 1))
    if knob is not None and knob.kind == "channel":
        gives[knob.index] = 1.0
    stepped = domain.step > 0
    up, down = (gives * (knob is not None and knob.is_up == is_up) for is_up in (1, 0))
    blocks = [
        (np.hstack([eye, -np.diag(high), none, -up]), -np.inf, 1e-10),
        (np.hstack([eye, -np.diag(low), none, down]), -1e-10, np.inf),
    ]
    if stepped.any():
        whole = np.hstack([eye, none, -np.diag(domain.step / money), gives * 0])
        blocks.append((whole[stepped], -1e-10, 1e-10))
    give = np.zeros((len(domain.rows), 1))
    if knob is not None and knob.kind == "row":
        give[knob.index] = -1.0 if knob.is_up else 1.0
    rows = np.hstack([domain.rows, np.zeros((len(domain.rows), 2 * n)), give])
    least, most = domain.least / money - 1e-9, domain.most / money + 1e-9
    top = 1e3 if knob is not None else 0.0
    solved = milp(
        np.append(np.zeros(3 * n), 1.0),
        integrality=np.concatenate([np.zeros(n), np.ones(2 * n), [0]]),
        bounds=Bounds(
            np.concatenate([np.zeros(n), ~domain.off, np.zeros(n), [0]]),
            np.concatenate([np.full(n, np.inf), np.ones(n), np.full(n, 1e9), [top]]),
        ),
        constraints=[LinearConstraint(*block) for block in blocks]
        + [LinearConstraint(rows, least, most)],
    )
    return None if solved.x is None else float(solved.x[-1] * money)


def _told(domain: Domain, knob: _Knob, change: float, names: Names) -> str:
    money = names.money
    if knob.kind == "channel":
        name = names.channels[knob.index]
        now = (domain.high if knob.is_up else domain.low)[knob.index]
        to = now + change if knob.is_up else max(now - change, 0.0)
        if name in names.locked:
            return f"lock {name} at {money(_cents(to, knob))}"
        verb, limit = ("raise", "maximum") if knob.is_up else ("lower", "minimum")
        change_to = f"from {money(now)} to {money(_cents(to, knob))}"
        return f"{verb} the {limit} of {name} {change_to}"
    now = (domain.most if knob.is_up else domain.least)[knob.index]
    to = _cents(now + change if knob.is_up else now - change, knob)
    verb = "raise" if knob.is_up else "lower"
    if knob.index == 0:
        return f"{verb} the budget to {money(to)}"
    limit = "maximum" if knob.is_up else "minimum"
    name = names.rows[knob.index - 1]
    if now == 0 and (domain.rows[knob.index] < 0).any():
        return f"let group {name} have {money(_cents(change, knob))} " + (
            "more" if knob.is_up else "less"
        )
    return f"{verb} the {limit} of group {name} from {money(now)} to {money(to)}"


def _cents(amount: float, knob: _Knob) -> float:
    """Rounded so that the change is enough."""
    cents = 100 * amount
    near = round(cents)
    if abs(cents - near) < 1e-3 * max(abs(cents), 1.0) ** 0.5:
        return near / 100
    return float(np.ceil(cents) if knob.is_up else np.floor(cents)) / 100
