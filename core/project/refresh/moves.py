"""Moves: by how much returns differ from those of the fit before, and why."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import to_builtins

from core.analysis.record.sections import Channel, Returns
from core.data.ahead.new_periods import Arrival
from core.data.mapping import PAID
from core.plan.comparison import agreement, differences, limit
from core.project.refresh.record import FirstAnswer, Moved
from core.store.run_about import RunAbout

#: Causes in the order in which they are told apart.
CAUSES = ("version", "changed history", "new data", "specification")


def causes_of(earlier: RunAbout, later: RunAbout, came: Arrival) -> list[str]:
    """What changed between two fits.

    Args:
        earlier: run.json of one.
        later: run.json of the other.
        came: What the later one's table has beyond the earlier one's.
    """
    is_other = earlier.data_sha256 != later.data_sha256
    is_new = bool(came.periods or came.n_rows)
    is_there = {
        "version": earlier.versions != later.versions,
        "changed history": bool(came.changed) or (is_other and not is_new),
        "new data": is_new,
        "specification": earlier.spec_sha256 != later.spec_sha256,
    }
    return [cause for cause in CAUSES if is_there[cause]]


def moves(
    earlier: Sequence[Channel],
    later: Sequence[Channel],
    causes: Sequence[str],
    steps: Mapping[str, Sequence[Mapping[str, Any]]],
    fast: FirstAnswer | None,
) -> dict[str, Any]:
    """What moved from one fit to the next.

    Args:
        earlier: Channels of the fit before.
        later: Those of the new one.
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
    apart, olds = differences(earlier, later), {old.name for old in earlier}
    news = {channel.name: channel for channel in later}
    between = [_means(_returns(rows)) for rows in steps.values()]
    way = [_means(earlier), *between, _means(later)]
    channels = []
    for old in earlier:
        difference = apart.get((old.name, "roi"))
        if difference is None or old.kind not in PAID:
            continue
        sd = old.roi.sd
        channels.append(
            Moved(
                name=old.name,
                before=old.roi,
                after=news[old.name].roi,
                move=difference.difference,
                sds=_over(difference.difference, sd),
                units=difference.units,
                by=_by(old.name, sd, causes, way),
            )
        )
    comparable = [row for row in channels if row.sds is not None]
    most = max(comparable, key=lambda row: abs(row.sds), default=None)
    return {
        "channels": channels,
        "moved": abs(most.sds) if most else 0.0,
        "moved_channel": most.name if most else None,
        "noise": limit(len(comparable)),
        "only_before": [old.name for old in earlier if old.name not in news],
        "only_after": [name for name in news if name not in olds],
        **_agreement(later, fast),
    }


def _by(
    name: str,
    sd: float,
    causes: Sequence[str],
    way: Sequence[Mapping[str, float | None]],
) -> dict[str, float | None]:
    """The move of a channel by cause, in standard deviations of before."""
    if len(causes) == 1:
        way = [way[0], way[-1]]
    if len(way) != len(causes) + 1:
        return {}
    means = [each.get(name) for each in way]
    return {
        cause: None if None in (a, b) else _over(b - a, sd)
        for cause, a, b in zip(causes, means[:-1], means[1:], strict=True)
    }


def _returns(rows: Sequence[Mapping[str, Any]]) -> list[Returns]:
    """Returns of the channels, whatever else their rows have."""
    return msgspec.convert(to_builtins(rows), list[Returns])


def _means(channels: Sequence[Channel | Returns]) -> dict[str, float | None]:
    """Mean ROI by channel; None where there is none."""
    return {each.name: each.roi and each.roi.mean for each in channels}


def _over(difference: float, sd: float | None) -> float | None:
    return difference / sd if sd else None


def _agreement(later: Sequence[Channel], fast: FirstAnswer | None) -> dict[str, Any]:
    """Whether the reweighted answer is the fit's, as `compare` would say."""
    if fast is None or fast.is_rough:
        return {"fast_agrees": None, "fast_beyond": []}
    agreed = agreement(differences(_returns(fast.channels), later).values())
    return {
        "fast_agrees": not agreed.beyond,
        "fast_beyond": [to_builtins(each) for each in agreed.beyond],
    }
