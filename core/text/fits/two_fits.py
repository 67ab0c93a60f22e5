"""Two fits in words: whether means, intervals and advice are the same, one by one."""

import math
from collections.abc import Sequence
from typing import Any

from core.text.languages.language import marked, say
from core.text.numbers import NONE, interval, ratio, share, value
from core.text.sentences import listed
from core.text.units import Units

#: Intervals of ROI whose widths differ by less than this share are as wide.
AS_WIDE = 0.2
#: Of a normal distribution, in standard deviations: how far its 90 % interval reaches
#: from end to end, and the error of an end, sqrt(0.05 x 0.95) over its density of
#: 0.103, for that of the mean; and how far the errors of both ends go together.
_REACH, _OF_END, _TOGETHER = 3.29, 2.116, 0.053
#: Moves of less than so many standard deviations are well within what is uncertain.
_SMALL = 0.5
#: A move of so many leaves the 90 % interval.
_INTERVAL = 1.64
_ADVICE = {
    "change": marked("change the split"),
    "test": marked("test first"),
    "keep": marked("keep the split that ran"),
}


def within(move: float | None) -> str:
    """How large a move is beside its uncertainty; a dash where that is not known.

    Args:
        move: In standard deviations.
    """
    if move is None:
        return NONE
    size = abs(move)
    if size < _SMALL:
        return say("well within its uncertainty")
    return (
        say("within its uncertainty")
        if size < _INTERVAL
        else say("beyond its 90 % interval")
    )


def headline(status: str, *, is_identical: bool, has_same_advice: bool | None) -> str:
    """Whether two fits give the same answer, in one sentence.

    Args:
        status: `same`, `sharper` (the same means, other intervals), `different`,
            `other data` or `unknown`.
        is_identical: Whether all numbers are equal.
        has_same_advice: Whether both advise the same; None where one advises nothing.
    """
    if status == "unknown":
        return say("It cannot be said whether the two fits give the same answer.")
    if is_identical:
        if status == "other data":
            return say(
                "The two fits give exactly the same numbers, from different data."
            )
        return say("The two fits give exactly the same numbers.")
    if status == "other data":
        return say("The fits answer different questions, as their data differ.")
    if status == "same":
        if has_same_advice is False:
            return say("The two fits give the same numbers, but different advice.")
        return say("The two fits give the same answer.")
    return say(_HEADLINES[status == "sharper", has_same_advice])


#: Whether the means are the same and only their intervals differ, and the advice too.
_HEADLINES = {
    (True, None): marked(
        "The two fits agree on what channels return, but not on how sure it is."
    ),
    (True, True): marked(
        "The two fits agree on what channels return, but not on how sure it is; "
        "their advice is the same."
    ),
    (True, False): marked(
        "The two fits agree on what channels return, but not on how sure it is; "
        "their advice differs."
    ),
    (False, None): marked("The two fits give different numbers."),
    (False, True): marked("The two fits give different numbers, and the same advice."),
    (False, False): marked(
        "The two fits give different numbers, and different advice."
    ),
}


def means(beyond: Sequence[Any], units: Units) -> str:
    """What differs most in the means, and how much that is; or that nothing does.

    Args:
        beyond: Numbers further apart than chance brings, the largest first: `channel`,
            `measure`, `a`, `b` and `spread`, the posterior standard deviation.
        units: Words for the units.
    """
    if not beyond:
        return say("Means: none differs by more than chance brings.")
    rows = sorted(beyond, key=lambda row: (row.measure != "roi", _size(row) * -1))
    worst = rows[0]
    a, b = (_measured(worst.measure, number, units) for number in (worst.a, worst.b))
    name = say(_NAMES[worst.measure], channel=worst.channel)
    about = {"name": name, "a": a, "b": b, "how": within(_size(worst))}
    others = list(dict.fromkeys(row.channel for row in rows))[1:]
    if others:
        return say(
            "Means: {name} is {a} in A and {b} in B, {how}; also different: {others}.",
            **about,
            others=listed(others),
        )
    return say("Means: {name} is {a} in A and {b} in B, {how}.", **about)


_NAMES = {
    "roi": marked("the ROI of {channel}"),
    "mroi": marked("the ROI of the next unit on {channel}"),
    "contribution": marked("the contribution of {channel}"),
    "spend": marked("the best spend on {channel}"),
}


def _size(row: Any) -> float:
    return abs(row.b - row.a) / row.spread if row.spread else 0.0


def _measured(measure: str, amount: float, units: Units) -> str:
    if measure in ("roi", "mroi"):
        return ratio(amount)
    if measure == "spend":
        return value(amount, "money", units.currency)
    return units.show(amount)


def other_widths(
    channels: Sequence[Any],
    limit: float,
) -> list[tuple[float, Any]]:
    """Channels whose intervals of ROI are not as wide in both, by the change.

    Few draws leave a width to chance as they do a mean.

    Args:
        channels: Of a comparison: `name`, and `roi` with estimates `a` and `b`, and the
            Monte-Carlo error of the difference of their means.
        limit: Monte-Carlo errors that a change is to be above.

    Returns:
        The width in B over that in A, and the channel.
    """
    changed = []
    for row in channels:
        if row.roi is None:
            continue
        a, b = (side.hi - side.lo for side in (row.roi.a, row.roi.b))
        if a <= 0 or b <= 0:
            continue
        of_width = max(_of_width(side.lo, side.hi) for side in (row.roi.a, row.roi.b))
        by_chance = limit * of_width * _relative_error(row.roi)
        if abs(math.log(b / a)) > max(-math.log(1 - AS_WIDE), by_chance):
            changed.append((b / a, row))
    return sorted(changed, key=lambda one: -max(one[0], 1 / one[0]))


def _of_width(low: float, high: float) -> float:
    """Error of the log of a 90 % interval's width, for one of the mean over the spread.

    Of a lognormal distribution with these ends: what leans to the right has its upper
    end where draws are few. Of a normal one where the lower is not above zero.
    """
    if low <= 0 or high <= low:
        return _OF_END / _REACH * math.sqrt(2 - 2 * _TOGETHER)
    both = high**2 + low**2 - 2 * _TOGETHER * high * low
    spread = math.log(high / low) / _REACH
    return _OF_END * spread * math.sqrt(both) / (high - low)


def _relative_error(both: Any) -> float:
    """Monte-Carlo error of a difference of means over the spread of one; 0 unknown."""
    spread = math.hypot(both.a.sd or 0.0, both.b.sd or 0.0) / math.sqrt(2)
    return both.error / spread if both.error and spread else 0.0


def intervals(channels: Sequence[Any], limit: float) -> str:
    """Whether both are as sure; see `other_widths`."""
    changed = other_widths(channels, limit)
    if not changed:
        return say("Intervals: as wide in both.")
    times, row = changed[0]
    how = say("narrower") if times < 1 else say("wider")
    by = share(1 - times if times < 1 else times - 1)
    a, b = (interval(of.lo, of.hi, "ratio") for of in (row.roi.a, row.roi.b))
    about = {"name": row.name, "by": by, "how": how, "a": a, "b": b}
    others = [other.name for _, other in changed[1:]]
    if others:
        return say(
            "Intervals: that of {name}'s ROI is {by} {how} in B, {b} for {a}; {others} "
            "changed too.",
            **about,
            others=listed(others),
        )
    return say(
        "Intervals: that of {name}'s ROI is {by} {how} in B, {b} for {a}.", **about
    )


def advice(first: str, second: str) -> str:
    """What both advise on the budget that ran; empty where one advises nothing.

    Args:
        first: `change`, `test`, `keep`, or nothing.
        second: Of the other fit.
    """
    if not (first and second):
        return ""
    if first == second:
        advised = say(_ADVICE[first])
        return say(
            "Advice on the budget that ran: {advised}, by both.", advised=advised
        )
    return say(
        "Advice on the budget that ran: {first} by A, {second} by B.",
        first=say(_ADVICE[first]),
        second=say(_ADVICE[second]),
    )
