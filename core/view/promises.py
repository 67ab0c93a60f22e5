"""Promises in words: what was promised, what came, and whether to believe the next."""

from collections.abc import Sequence

from core import text as fmt
from core.plan.against.at_spend import TOLERANCE
from core.project.promises.calibration import Calibration, calibrated
from core.project.promises.record import TOTAL, Kind, Promise, Score

#: The level that sentences speak of, per cent.
SAID = 80
#: What intervals are called by what promised them.
_INTERVALS: dict[Kind, tuple[str, str]] = {
    "forecast": ("interval for a period", "intervals for single periods"),
    "plan": ("interval for a plan's outcome", "intervals for plans' outcomes"),
    "test": ("interval for a test's lift", "intervals for tests' lifts"),
}
#: Heads of the table; the first three are texts.
HEADS = ("Made", "Promise", "For", "Promised", "Came", "Within 80\u00a0%")
#: What the curve counts.
COUNTED = (
    "Each period counts once, for the newest forecast made before it; totals of "
    "forecasts are not counted again. The band is what right intervals would show: "
    "binomial, and wider where periods of one forecast miss together."
)
NONE_YET = (
    "Nothing is scored yet. The forecast of every fit, every saved plan and every "
    "planned test is kept with its intervals, and scored when its periods are in the "
    "data."
)


def findings(settled: Sequence[tuple[Promise, Score]]) -> tuple[str, ...]:
    """How many intervals held, in a sentence for all and one for each kind.

    Args:
        settled: Promises with what came of them.
    """
    overall = calibrated(settled)
    if not overall:
        return (NONE_YET,)
    kinds = [kind for kind in _INTERVALS if calibrated(settled, kind)]
    lines = [sentence(_at(overall))]
    if len(kinds) > 1:
        lines += [
            sentence(_at(calibrated(settled, kind)), _INTERVALS[kind]) for kind in kinds
        ]
    elsewhere = [
        score for _, score in settled if score.outcomes and not score.is_followed
    ]
    if elsewhere:
        n = fmt.count(len(elsewhere), "promise")
        tolerance = fmt.share(TOLERANCE)
        lines.append(
            f"{n} supposed other spend (more than {tolerance} of the money): scored "
            "there is what the same fit expects at the spend that there was."
        )
    return tuple(lines)


def sentence(
    counted: Calibration, names: tuple[str, str] = ("interval", "intervals")
) -> str:
    """How many intervals held, and whether that is a reason to doubt.

    Args:
        counted: Of one level.
        names: What one of them and several are called.
    """
    n, held, least = counted.n, counted.held, counted.least
    level = fmt.share(counted.level / 100)
    said = f"Of {fmt.count(n, *names)} of {level}, {held} held"
    if counted.is_low:
        return (
            f"{said}: fewer than {least} is a reason to doubt. Treat the intervals of "
            "new plans and forecasts as too narrow until a refit or a test says why."
        )
    if counted.is_high:
        return (
            f"{said}: more than {counted.most} says that the intervals are wider than "
            "they need to be."
        )
    if least == 0:
        return f"{said}. That is too few to judge: even none would prove nothing."
    return f"{said} (fewer than {least} would be a reason to doubt)."


def rows(settled: Sequence[tuple[Promise, Score]]) -> list[tuple[str, ...]]:
    """A row for each promise, newest first; cells as `HEADS`.

    Args:
        settled: Promises with what came of them, oldest first.
    """
    return [_row(promise, score) for promise, score in reversed(settled)]


def notes(settled: Sequence[tuple[Promise, Score]]) -> list[str]:
    """When open promises can be scored, and why some never can; newest first."""
    return [
        f"{promise.name}, made {fmt.date(promise.created[:10])}: {score.why}"
        for promise, score in reversed(settled)
        if score.why and not _is_replaced(promise, score)
    ]


def points(counted: Sequence[Calibration]) -> list[tuple[float, float, float, float]]:
    """The curve as shares: level, held, and the ends of the band.

    Args:
        counted: By level.
    """
    return [
        (each.level / 100, each.held / each.n, each.least / each.n, each.most / each.n)
        for each in counted
    ]


def _at(counted: Sequence[Calibration]) -> Calibration:
    return next(each for each in counted if each.level == SAID)


def _is_replaced(promise: Promise, score: Score) -> bool:
    """Whether another fit of the same data promised the same again."""
    return promise.kind == "forecast" and score.state == "impossible"


def _row(promise: Promise, score: Score) -> tuple[str, ...]:
    units = promise.units
    total = promise.claimed()
    lo, hi = total.intervals[str(SAID)] if total else (0.0, 0.0)
    promised = fmt.NONE
    if total is not None:
        promised = units.estimate({"mean": total.mean, "lo": lo, "hi": hi}, bare=True)
    return (
        fmt.date(promise.created[:10]),
        promise.name,
        f"{fmt.date(promise.start)} to {fmt.date(promise.end)}",
        promised,
        _came(promise, score),
        _held(score),
    )


def _came(promise: Promise, score: Score) -> str:
    """What came in all, or of how many periods that is known."""
    whole = next((each for each in score.outcomes if each.about == TOTAL), None)
    if whole is not None:
        other = "" if score.is_followed else ", at other spend"
        return promise.units.show(whole.actual) + other
    if score.outcomes:
        return f"{len(score.outcomes)} of {len(promise.claims) - 1} periods"
    return "not yet" if score.state == "open" else fmt.NONE


def _held(score: Score) -> str:
    """How many of the outcomes that count were held."""
    some = score.outcomes[: score.counted]
    if not some:
        return fmt.NONE
    held = sum(each.is_held(SAID) for each in some)
    if len(some) == 1:
        return "yes" if held else "no"
    return f"{held} of {len(some)}"
