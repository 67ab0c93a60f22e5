"""Answers: a result with its verdict, advice, units and interval, of bounded length."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct, to_builtins

from core.errors import MMMError
from core.text import Units
from core.text.verdicts import FIT

#: Characters of an answer; entries of a list to begin with, characters of a text.
MOST, LONGEST_LIST, LONGEST_TEXT = 60_000, 2_000, 2_000
_INTERVAL = "lo to hi is the 90 % interval"


class NoVerdictError(MMMError):
    """A fit says nothing about how far it is to be believed."""

    def __init__(self, run: str) -> None:
        super().__init__(
            f"Run {run} has no verdict, so none of its numbers are given.",
            hint="Fit again; a fit ends with a verdict.",
            where=run,
        )


def plain(result: Mapping[str, Any], advice: str) -> dict[str, Any]:
    """An answer without estimates.

    Args:
        result: What was asked for.
        advice: What to do next.
    """
    about = {"verdict": None, "advice": advice, "units": None, "interval": None}
    return bounded(about | {"result": dict(result)})


class Judged(NamedTuple):
    """What every number of a fit comes with.

    Attributes:
        verdict: On the fit; empty or None for none.
        reasons: Of the verdict.
        units: Of its numbers.
        run: The fit, for a refusal.
    """

    verdict: str | None
    reasons: Sequence[str]
    units: Units
    run: str


def estimated(
    result: Mapping[str, Any], of: Judged, advice: str = ""
) -> dict[str, Any]:
    """An answer with estimates.

    Args:
        result: What was asked for.
        of: What the fit behind it comes with.
        advice: What to do; what the verdict means where nothing is said.

    Raises:
        NoVerdictError: There is no verdict, so no number is given.
    """
    if not of.verdict:
        raise NoVerdictError(of.run)
    means, units = FIT.get(of.verdict, ""), of.units
    about = {
        "verdict": {"fit": of.verdict, "means": means, "reasons": list(of.reasons)},
        "advice": advice or means,
        "units": {
            "money": units.currency or "nobody has said",
            "outcome": units.outcome,
            "outcome_name": units.outcome_name,
            "roi": units.roi,
        },
        "interval": _INTERVAL,
    }
    return bounded(about | {"result": dict(result)})


def bounded(answer: dict[str, Any]) -> dict[str, Any]:
    """The answer, with long lists cut where it would be too long, which it says."""
    most = LONGEST_LIST
    while True:
        left_out: dict[str, int] = {}
        cut = _cut(answer, most, "", left_out)
        if left_out:
            cut["left_out"] = dict(list(left_out.items())[:50])
        if len(json.dumps(cut)) <= MOST or most == 1:
            return cut
        most = max(1, most // 2)


def _cut(value: Any, most: int, where: str, left_out: dict[str, int]) -> Any:
    """A value whose lists and texts are no longer than they may be."""
    if isinstance(value, Struct):
        value = to_builtins(value)
    if isinstance(value, Mapping):
        items = list(value.items())[: 20 * most]
        if len(items) < len(value):
            left_out[where] = len(value) - len(items)
        return {
            str(key)[:LONGEST_TEXT]: _cut(part, most, f"{where}.{key}"[:200], left_out)
            for key, part in items
        }
    if isinstance(value, list | tuple):
        if len(value) > most:
            left_out[where] = len(value) - most
        return [_cut(part, most, where, left_out) for part in value[:most]]
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no word for it
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"{value[:LONGEST_TEXT]} …"
    return value


def one_line(text: str) -> str:
    """A text as one line of bounded length, without what could steer a terminal."""
    printable = "".join(sign if sign.isprintable() else " " for sign in text[:4_000])
    return f"{printable[:1_500]} …" if len(printable) > 1_500 else printable
