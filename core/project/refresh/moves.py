"""Moves: by how much returns differ from those of the fit before, and why."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import to_builtins

from core.analysis.record.sections import Returns
from core.data.ahead.new_periods import Arrival
from core.data.mapping import PAID
from core.plan.comparison import agreement, differences, limit

#: Causes in the order in which they are told apart.
CAUSES = ("version", "changed history", "new data", "specification")


def causes_of(
    earlier: Mapping[str, Any], later: Mapping[str, Any], came: Arrival
) -> list[str]:
    """What changed between two fits.

    Args:
        earlier: run.json of one.
        later: run.json of the other.
        came: What the later one's table has beyond the earlier one's.
    """
    is_other = earlier.get("data_sha256") != later.get("data_sha256")
    is_new = bool(came.periods or came.n_rows)
    is_there = {
        "version": earlier.get("versions") != later.get("versions"),
        "changed history": bool(came.changed) or (is_other and not is_new),
        "new data": is_new,
        "specification": earlier.get("spec_sha256") != later.get("spec_sha256"),
    }
    return [cause for cause in CAUSES if is_there[cause]]


def moves(
    earlier: Mapping[str, Any],
    later: Mapping[str, Any],
    causes: Sequence[str],
    steps: Mapping[str, Sequence[Mapping[str, Any]]],
    fast: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """What moved from one fit to the next.

    Args:
        earlier: summary.json of the fit before.
        later: That of the new one.
        causes: What changed in between, in order.
        steps: Channels after each cause but the last.
        fast: The reweighted answer, if there is one.

    Returns:
        `channels`: each with its ROI `before` and `after`, the `move` in units of the
        standard deviation it had before (`sds`) and of Monte-Carlo error (`units`),
        and the same by cause, `by`. `moved`: the largest move, sd; `moved_channel`.
        `fast_agrees`: whether the reweighted answer and the fit are the same within
        Monte-Carlo error; None without one that can be relied on.
    """
    apart = differences(_returns(earlier), _returns(later))
    olds = {row["name"]: row for row in earlier["channels"]}
    news = {row["name"]: row for row in later["channels"]}
    way = [olds, *({row["name"]: row for row in each} for each in steps.values()), news]
    channels = []
    for name, old in olds.items():
        difference = apart.get((name, "roi"))
        if difference is None or old.get("kind", "media") not in PAID:
            continue
        sd = old["roi"]["sd"]
        channels.append(
            {
                "name": name,
                "before": old["roi"],
                "after": news[name]["roi"],
                "move": difference.difference,
                "sds": _over(difference.difference, sd),
                "units": difference.units,
                "by": _by(name, sd, causes, way),
            }
        )
    known = [row for row in channels if row["sds"] is not None]
    most = max(known, key=lambda row: abs(row["sds"]), default=None)
    return {
        "channels": channels,
        "moved": abs(most["sds"]) if most else 0.0,
        "moved_channel": most["name"] if most else None,
        "noise": limit(len(known)),
        "only_before": [name for name in olds if name not in news],
        "only_after": [name for name in news if name not in olds],
        **_agreement(later, fast),
    }


def _by(
    name: str,
    sd: float,
    causes: Sequence[str],
    way: Sequence[Mapping[str, Mapping[str, Any]]],
) -> dict[str, float | None]:
    """The move of a channel by cause, in standard deviations of before."""
    if len(causes) == 1:
        way = [way[0], way[-1]]
    if len(way) != len(causes) + 1:
        return {}
    means = [(each.get(name, {}).get("roi") or {}).get("mean") for each in way]
    return {
        cause: None if None in (a, b) else _over(b - a, sd)
        for cause, a, b in zip(causes, means[:-1], means[1:], strict=True)
    }


def _returns(answer: Mapping[str, Any]) -> list[Returns]:
    """Returns of the channels, whatever else the answer has."""
    return msgspec.convert(answer["channels"], list[Returns])


def _over(difference: float, sd: float | None) -> float | None:
    return difference / sd if sd else None


def _agreement(
    later: Mapping[str, Any], fast: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Whether the reweighted answer is the fit's, as `compare` would say."""
    if not fast or fast["is_rough"]:
        return {"fast_agrees": None, "fast_beyond": []}
    agreed = agreement(differences(_returns(fast), _returns(later)).values())
    return {
        "fast_agrees": not agreed.beyond,
        "fast_beyond": [to_builtins(each.row) for each in agreed.beyond],
    }
