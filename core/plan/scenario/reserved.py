"""Reserved spend: what planned lift tests fix in a plan of weeks or of geos.

[[weeks.reserved]]           # a plan of weeks: the channel's spend in all geos
test = "TV dark, 2025-02-03"
channel = "TV"
weeks = {"2025-02-03" = 41_000, "2025-02-10" = 39_000}

[[geos.reserved]]            # a plan of geos: of the cell, what falls into the test
test = "TV dark, 2025-02-03"
channel = "TV"
geos = {Harbour = [40_000, 0]}   # usual spend in those weeks, and what the test spends
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from core.data.reading.findings import Finding
from core.errors import PlanError, ValueRangeError
from core.plan.limits.channels import Money
from core.plan.limits.findings import fault, refuse
from core.plan.response.geos import GeoResponse
from core.plan.scenario.amounts import not_negative, reader_of
from core.toml.document import shown
from core.toml.table import TableReader

_WAY_OUT = "Move or delete the test, or plan without planned tests."


class Reserved(NamedTuple):
    """What one test fixes of one channel. Currency.

    Attributes:
        test: Its name, the reason of the limit.
        channel: Tested.
        weeks: Spend in all geos, by first day of the week.
        geos: Usual spend in the weeks of the test, and what the test spends, by geo.
    """

    test: str
    channel: str
    weeks: Mapping[str, float]
    geos: Mapping[str, tuple[float, float]]


def reserved_of(parent: TableReader, over: str) -> tuple[Reserved, ...]:
    """The reserved spend of a `[weeks]` or `[geos]` table; problems are noted in it.

    Args:
        parent: That table; see this module.
        over: `weeks` or `geos`.
    """
    reserved = []
    for row in parent.children("reserved"):
        test = row.required("test", "Name the lift test that needs it.")
        channel = row.required("channel", "Name the channel that is tested.")
        cells = row.child(over)
        convert = not_negative if over == "weeks" else _pair
        amounts = {name: cells.converted(name, convert) for name in cells.table}
        spends = {name: each for name, each in amounts.items() if each is not None}
        row.finish()
        weeks, geos = (spends, {}) if over == "weeks" else ({}, spends)
        reserved.append(Reserved(test, channel, weeks, geos))
    return tuple(reserved)


def _pair(value: Any) -> tuple[float, float]:
    """Usual spend, and what the test spends.

    Raises:
        ValueRangeError: It is no pair of amounts.
    """
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueRangeError(
            f"{shown(value)} is not a pair of amounts.",
            hint="Give usual spend and what the test spends.",
        )
    was, runs = map(not_negative, value)
    return was, runs


def as_rows(reserved: Sequence[Reserved], over: str) -> list[dict[str, Any]]:
    """Reserved spend in the words of a scenario file."""
    return [
        {"test": each.test, "channel": each.channel}
        | (
            {"weeks": dict(each.weeks)}
            if over == "weeks"
            else {"geos": {geo: list(pair) for geo, pair in each.geos.items()}}
        )
        for each in reserved
    ]


def tests_of(scenario: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the tests that a plan carries out, from its scenario."""
    root = reader_of(scenario)
    names = [
        each.test
        for over in ("weeks", "geos")
        for each in reserved_of(root.child(over), over)
    ]
    return tuple(dict.fromkeys(names))


def reserve_geos(
    response: GeoResponse,
    reserved: Sequence[Reserved],
    limits: tuple[np.ndarray, np.ndarray, np.ndarray],
    locked: np.ndarray,
    currency: str,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ranges of cells of which tests fix a part: the other weeks keep their range.

    Args:
        response: Response by geo.
        reserved: What tests fix.
        limits: Least and most of every cell, and what its multiples are of.
        locked: Cells that keep what they have.
        currency: For messages.

    Returns:
        The same three, of the whole horizon.

    Raises:
        PlanError: A test changes a cell that is locked.
    """
    low, high, base = (ends.copy() for ends in limits)
    now, money, faults = response.curves.spend, Money(currency), []
    usual, spent = np.zeros(len(low)), np.zeros(len(low))
    for each in reserved:
        for i in np.flatnonzero(
            [response.channels[place] == each.channel for place in response.channel]
        ):
            geo = response.geos[response.geo[i]]
            was, runs = each.geos.get(geo, (0.0, 0.0))
            if locked[i] and abs(runs - was) >= 0.01:
                faults.append(_locked(each, geo, (money(was), money(runs))))
            usual[i], spent[i] = usual[i] + was, spent[i] + runs
    refuse(faults)
    free = np.where(locked, 1.0, 1 - np.minimum(usual / now, 1.0))
    spent[locked] = 0.0
    return low * free + spent, high * free + spent, base * free


def _locked(each: Reserved, geo: str, amounts: tuple[str, str]) -> Finding:
    was, runs = amounts
    return fault(
        each.channel,
        f"{each.channel} in {geo} is locked, and the test {each.test} spends {runs} "
        f"there in weeks that usually cost {was}.",
        f"Unlock it. {_WAY_OUT}",
    )


def booked_otherwise(each: Reserved, day: str, amounts: tuple[str, str]) -> Finding:
    """A week that is booked for one amount and reserved for another."""
    booked, wanted = amounts
    return fault(
        each.channel,
        f"{each.channel} in week {day} is fixed at {booked}, and the test {each.test} "
        f"needs {wanted}.",
        f"Free that week. {_WAY_OUT}",
    )


def refuse_naming(
    findings: Sequence[Finding],
    reserved: Sequence[Reserved],
    without: Callable[[], object],
) -> None:
    """Refuse limits; where they could be met without tests, name the tests.

    Args:
        findings: What is wrong with the limits.
        reserved: What tests fix.
        without: Checks the same limits without tests.

    Raises:
        PlanError: There is a finding.
    """
    if findings and reserved:
        try:
            without()
        except PlanError:
            pass
        else:
            findings = [_naming(finding, reserved) for finding in findings]
    refuse(findings)


def _naming(finding: Finding, reserved: Sequence[Reserved]) -> Finding:
    tests = list(dict.fromkeys(each.test for each in reserved))
    sentence = f"The test {tests[0]} contradicts the other limits."
    if len(tests) > 1:
        sentence = f"The tests {', '.join(tests)} contradict the other limits."
    return replace(
        finding,
        message=f"{sentence} {finding.message}",
        hint=f"{finding.hint} Or: {_WAY_OUT[0].lower()}{_WAY_OUT[1:]}",
    )
