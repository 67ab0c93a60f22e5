"""Promises in words: what was promised, what came, and whether to believe the next."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from core import text as fmt
from core.plan.against.at_spend import TOLERANCE
from core.project.promises.calibration import Calibration, calibrated
from core.project.promises.record import TOTAL, Kind, Promise, Score
from core.text.languages.language import counted, marked, say, say_count
from core.view.sections.section import Figure, Medium, Note, Section, Table, drawn_in

#: The level that sentences speak of, per cent: that of every interval on screens.
SAID = 90
#: What intervals are called by what promised them.
_INTERVALS: dict[Kind, tuple[str, str]] = {
    "forecast": counted(
        "{number} interval for a period", "{number} intervals for single periods"
    ),
    "plan": counted(
        "{number} interval for a plan's outcome",
        "{number} intervals for plans' outcomes",
    ),
    "test": counted(
        "{number} interval for a test's lift", "{number} intervals for tests' lifts"
    ),
}
#: All of them together.
_ALL = counted("{number} interval", "{number} intervals")
#: Most promises that are listed: the newest, and those of them that reports have. A
#: screen has the newest few of which something came, the others a click away.
_MOST, _MOST_IN_REPORTS, _AT_ONCE = 200, 20, 6
#: What the curve counts.
_COUNTED = marked(
    "Each period counts once, for the newest forecast made before it; totals of "
    "forecasts are not counted again. The band is what right intervals would show: "
    "binomial, and wider where periods of one forecast miss together."
)
NONE_YET = marked(
    "Nothing is scored yet. The forecast of every fit, every saved plan and every "
    "planned test is kept with its intervals, and scored when its periods are in the "
    "data."
)


def sections(settled: Sequence[tuple[Promise, Score]], medium: Medium) -> list[Section]:
    """What was promised, what came and what is still open.

    Args:
        settled: Promises with what came of them, oldest first.
        medium: Where it is drawn.
    """
    curve = calibrated(settled)
    first, *others = findings(settled)
    blocks = [
        Note(first, weight="lead" if curve else "text"),
        *[Note(line, weight="small") for line in others],
    ]
    if curve:
        blocks.append(Figure(partial(_figure, curve), tuple(curve), _levels(curve)))
    most = _MOST if medium in ("text", "screen") else _MOST_IN_REPORTS
    note = say(_COUNTED) if curve else ""
    front, folded = _apart(settled) if medium == "screen" else (settled, ())
    if front:
        blocks.append(_newest(front, most, note))
    elif note:
        blocks.append(Note(note, weight="small"))
    title = say("What was promised, and what came")
    all_of_it = [Section("promises", title, blocks, claim=_claim(curve))]
    if folded:
        title = (
            say("Other promises ({number})", number=len(folded))
            if front
            else say("Promises ({number})", number=len(folded))
        )
        others = _newest(folded, most, "")
        all_of_it.append(Section("promises_before", title, [others]))
    open_ones = notes(settled)[:_MOST]
    if open_ones:
        why = "a report says what came; History says what cannot be scored yet"
        elsewhere = {"page": why, "workbook": why, "slides": why}
        title = say("What cannot be scored yet")
        all_of_it.append(Section("unscored", title, open_ones, elsewhere))
    return drawn_in(medium, all_of_it)


def _claim(curve: Sequence[Calibration]) -> str:
    """How many intervals held; empty where none is scored."""
    if not curve:
        return ""
    calibration = _at(curve)
    return say(
        "Of {intervals} of {level}, {held} held",
        intervals=say_count(
            calibration.n, *_ALL, number=fmt.exact(calibration.n, decimals=0)
        ),
        level=fmt.share(calibration.level / 100),
        held=calibration.held,
    )


def _figure(curve: Sequence[Calibration]) -> Any:
    """How many intervals held, by level."""
    from core.charts.fits.backtest import calibration

    return calibration(_points(curve), curve[0].n)


def _levels(curve: Sequence[Calibration]) -> Table:
    """The curve as a table."""
    heads = [say("Level"), say("Intervals"), say("Held"), say("No surprise")]
    rows = [
        (
            fmt.share(each.level / 100),
            str(each.n),
            str(each.held),
            say("{low} to {high}", low=str(each.least), high=str(each.most)),
        )
        for each in curve
    ]
    return Table(say("How often intervals held"), heads, rows, texts=1)


def _newest(settled: Sequence[tuple[Promise, Score]], most: int, note: str) -> Table:
    """The newest promises, a row for each."""
    heads = [
        *(say("Made"), say("Promise"), say("For")),
        *(say("Promised"), say("Came"), say("Held at 90\u00a0%")),
    ]
    listed = rows(settled)
    if len(listed) > most:
        cut = say("The newest {most} of {n_events}.", most=most, n_events=len(listed))
        note = f"{cut} {note}".rstrip()
    return Table("", heads, listed[:most], texts=3, note=note, wraps=True)


def _apart(
    settled: Sequence[tuple[Promise, Score]],
) -> tuple[list[tuple[Promise, Score]], list[tuple[Promise, Score]]]:
    """The newest few of which something came, and the others."""
    came = [
        at for at, (_, score) in enumerate(settled) if score.outcomes or score.learned
    ]
    newest = {*came[-_AT_ONCE:]}
    front, others = (
        [pair for at, pair in enumerate(settled) if (at in newest) is is_shown]
        for is_shown in (True, False)
    )
    return front, others


def findings(settled: Sequence[tuple[Promise, Score]]) -> tuple[str, ...]:
    """How many intervals held, in a sentence for all and one for each kind.

    Args:
        settled: Promises with what came of them.
    """
    overall, taught = calibrated(settled), _taught(settled)
    if not overall:
        return (taught or say(NONE_YET),)
    kinds = [kind for kind in _INTERVALS if calibrated(settled, kind)]
    lines = [sentence(_at(overall))]
    if len(kinds) > 1:
        lines += [
            sentence(_at(calibrated(settled, kind)), _INTERVALS[kind]) for kind in kinds
        ]
    if taught:
        lines.append(taught)
    elsewhere = [
        score for _, score in settled if score.outcomes and not score.is_followed
    ]
    if elsewhere:
        lines.append(
            say(
                "{promises} supposed other spend (more than {share} of the money): "
                "scored there is what the same fit expects at the spend that there "
                "was.",
                promises=fmt.count(len(elsewhere), "promise"),
                share=fmt.share(TOLERANCE),
            )
        )
    return tuple(lines)


def _taught(settled: Sequence[tuple[Promise, Score]]) -> str:
    """What plans of weeks were to teach and did; empty where none is scored."""
    pairs = [
        (claim.mean, score.learned[claim.about])
        for promise, score in settled
        for claim in promise.claims
        if promise.kind == "teaching" and claim.about in score.learned
    ]
    if not pairs:
        return ""
    promised, came = (sum(part) / len(pairs) for part in zip(*pairs, strict=True))
    shares = {"promised": fmt.share(promised), "came": fmt.share(abs(came))}
    if came < 0:
        return say(
            "Weeks that teach were to narrow the intervals of returns by {promised}, "
            "on average over channels; by the fit that has seen them they are {came} "
            "wider.",
            **shares,
        )
    return say(
        "Weeks that teach were to narrow the intervals of returns by {promised}, on "
        "average over channels; by the fit that has seen them they are {came} "
        "narrower.",
        **shares,
    )


def sentence(calibration: Calibration, names: tuple[str, str] = _ALL) -> str:
    """How many intervals held, and whether that is a reason to doubt.

    Args:
        calibration: Of one level.
        names: What one of them and several are called.
    """
    n, least = calibration.n, calibration.least
    places = {
        "intervals": say_count(n, *names, number=fmt.exact(n, decimals=0)),
        "level": fmt.share(calibration.level / 100),
        "held": calibration.held,
        "least": least,
    }
    if calibration.is_low:
        return say(
            "Of {intervals} of {level}, {held} held: fewer than {least} is a reason to "
            "doubt. Treat the intervals of new plans and forecasts as too narrow until "
            "a refit or a test says why.",
            **places,
        )
    if calibration.is_high:
        return say(
            "Of {intervals} of {level}, {held} held: more than {most} says that the "
            "intervals are wider than they need to be.",
            most=calibration.most,
            **places,
        )
    if least == 0:
        return say(
            "Of {intervals} of {level}, {held} held. That is too few to judge: even "
            "none would prove nothing.",
            **places,
        )
    return say(
        "Of {intervals} of {level}, {held} held (fewer than {least} would be a reason "
        "to doubt).",
        **places,
    )


def rows(settled: Sequence[tuple[Promise, Score]]) -> list[tuple[str, ...]]:
    """A row for each promise, newest first.

    Args:
        settled: Promises with what came of them, oldest first.
    """
    return [_promise_cells(promise, score) for promise, score in reversed(settled)]


def notes(settled: Sequence[tuple[Promise, Score]]) -> list[Note]:
    """When open promises can be scored, why some never can, and what is a belief.

    Args:
        settled: Promises with what came of them, oldest first; notes, newest first.
    """
    lines = []
    for promise, score in reversed(settled):
        parts = [] if _is_replaced(promise, score) else [score.why]
        if promise.believed:
            parts.append(
                say(
                    "It counts what is believed of {names}, without history in its "
                    "fit.",
                    names=fmt.listed(promise.believed),
                )
            )
        words = " ".join(part for part in parts if part)
        if words:
            about = say(
                "{promise}, made {day}",
                promise=_name(promise),
                day=fmt.date(promise.created[:10]),
            )
            lines.append(Note(words, about, "small"))
    return lines


def _points(curve: Sequence[Calibration]) -> list[tuple[float, float, float, float]]:
    """The curve as shares: level, held, and the ends of the band.

    Args:
        curve: By level.
    """
    return [
        (each.level / 100, each.held / each.n, each.least / each.n, each.most / each.n)
        for each in curve
    ]


def _at(curve: Sequence[Calibration]) -> Calibration:
    return next(each for each in curve if each.level == SAID)


def _is_replaced(promise: Promise, score: Score) -> bool:
    """Whether another fit of the same data promised the same again."""
    return promise.kind == "forecast" and score.state == "impossible"


def _promise_cells(promise: Promise, score: Score) -> tuple[str, ...]:
    return (
        fmt.date(promise.created[:10]),
        _name(promise),
        say(
            "{start} to {end}",
            start=fmt.date(promise.start),
            end=fmt.date(promise.end),
        ),
        _promised(promise),
        _came(promise, score),
        _held(score),
    )


def _name(promise: Promise) -> str:
    if promise.kind == "teaching":
        return say("What {plan} is to teach", plan=promise.name)
    return say(promise.name) if promise.kind == "forecast" else promise.name


def _promised(promise: Promise) -> str:
    """The number that was promised, or how much narrower intervals were to be."""
    if promise.kind == "teaching":
        return _narrower({each.about: each.mean for each in promise.claims})
    total = promise.claimed()
    if total is None:
        return fmt.NONE
    lo, hi = total.intervals[str(SAID)]
    estimate = {"mean": total.mean, "lo": lo, "hi": hi}
    return promise.units.estimate(estimate, bare=True)


def _narrower(shares: Mapping[str, float]) -> str:
    """`Intervals narrower: TV 12 %, Search 3 %`; wider ones have a minus."""
    listed = ", ".join(f"{name} {fmt.share(part)}" for name, part in shares.items())
    return say("intervals narrower: {channels}", channels=listed)


def _came(promise: Promise, score: Score) -> str:
    """What came in all, or of how many periods that is known."""
    if score.learned:
        amount = _narrower(score.learned)
        if score.is_followed:
            return amount
        return say("{amount}, at other spend", amount=amount)
    whole = next((each for each in score.outcomes if each.about == TOTAL), None)
    if whole is not None:
        amount = promise.units.show(whole.actual)
        if score.is_followed:
            return amount
        return say("{amount}, at other spend", amount=amount)
    if score.outcomes:
        return say(
            "{number} of {all} periods",
            number=len(score.outcomes),
            all=len(promise.claims) - 1,
        )
    if _is_replaced(promise, score):
        return say("replaced by a newer fit")
    return say("not yet") if score.state == "open" else fmt.NONE


def _held(score: Score) -> str:
    """How many of the outcomes that count were held."""
    some = score.outcomes[: score.counted]
    if not some:
        return fmt.NONE
    n_held = sum(each.is_held(SAID) for each in some)
    if len(some) == 1:
        return say("yes") if n_held else say("no")
    return say("{number} of {all}", number=n_held, all=len(some))
