"""How good a model is: its checks, and what its refits say, for every medium."""

import math

from core import text as fmt
from core.analysis.ahead.backtest_record import BacktestRecord, Stability
from core.analysis.record.sections import ModelCheck
from core.text import scores
from core.text.fits.two_fits import within
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from core.text.sentences import sentence
from core.view.sections.headline import Headline
from core.view.sections.section import Note, Table

_RESULTS = {
    "ok": marked("as expected"),
    "borderline": marked("borderline"),
    "missed": marked("missed"),
}
#: Forecasts that a backtest is held against.
REFERENCES = {
    "seasonal_naive": marked("Against last year's values"),
    "knots": marked("Against Meridian's baseline"),
}


def backtest_of(study: BacktestRecord) -> list[Headline]:
    """How well a backtest's forecasts did, and beside what."""
    model, size = study.model, fmt.percent(abs(study.model.bias))
    bias = (
        say("on average {size} too low", size=size)
        if model.bias < 0
        else say("on average {size} too high", size=size)
    )
    half = fmt.share(model.coverage_50)
    cards = [
        (say("Error of the forecasts"), fmt.percent(model.wmape), bias, model.wmape)
    ]
    for key, label in REFERENCES.items():
        skill, theirs = study.skill.get(key), study.scores.get(key)
        error = theirs and say("their error: {error}", error=fmt.percent(theirs.wmape))
        number = math.nan if skill is None else skill
        cards.append((say(label), scores.skill(skill), error or fmt.NONE, number))
    inside, share = say("Inside the 90 % interval"), model.coverage_90
    within_half = say("inside the 50 % interval: {coverage_50}", coverage_50=half)
    cards.append((inside, fmt.share(share), within_half, share))
    return [Headline(*card, None, "share") for card in cards]


def left_out(study: BacktestRecord) -> list[str]:
    """The forecasts that a backtest could not make, and why."""
    return [
        say("Left out {origin}: {why}", origin=part.origin, why=reworded(part.why))
        for part in study.skipped
    ]


def checks_of(check: ModelCheck) -> Table:
    """The checks of a model: the data, and what the model expects."""
    expected = say("Model, 90 %")
    rows = [
        (
            reworded(each.label),
            scores.check_number(each.unit, each.actual),
            scores.check_range(each.unit, each.lo, each.hi),
            scores.p_value(each.p),
            say(_RESULTS.get(each.status, each.status)),
        )
        for each in check.checks
    ]
    heads = say("Check"), say("Data"), expected, "p", say("Result")
    helps = {expected: say("Simulated from the fitted model (posterior predictive).")}
    title = say("Model check: data against what the model expects")
    return Table(title, heads, rows, texts=1, helps=helps)


def missed_by(check: ModelCheck) -> list[Note]:
    """What each check that is not as expected says, and what would help."""
    return [
        Note(
            f"{sentence(reworded(each.text))} {reworded(each.advice)}".strip(),
            reworded(each.label),
            "small",
        )
        for each in check.checks
        if each.status != "ok"
    ]


def refits_of(refits: Stability, periods: str) -> list[Table]:
    """ROI and shares of the best split without the last periods, those that there are.

    Args:
        refits: By how many of the last periods are left out.
        periods: What several of them are called.
    """
    moves = say("Largest move")
    helps = {
        moves: say(
            "Beside the uncertainty with all data. Where it is beyond the 90 % "
            "interval, results are less certain than their intervals say."
        )
    }
    drops = [str(n) for n in refits.drops]
    tables = []
    for key, moved, title in (
        ("roi", "moved", say("ROI, 90 %")),
        ("share", "share_moved", say("Share of the best split")),
    ):
        rows = [
            (
                row.name,
                within(getattr(row, moved)),
                *(scores.refitted(getattr(row, key).get(n)) for n in drops),
            )
            for row in refits.channels
            if getattr(row, key)
        ]
        called = say("{title} without the last {periods}", title=title, periods=periods)
        heads = title, moves, *map(_left_out, drops)
        tables += [Table(called, heads, rows, texts=2, helps=helps)] if rows else []
    return tables


def _left_out(n: str) -> str:
    """What a refit is called, by how many of the last periods it did not see."""
    return say("All data") if n == "0" else say("Without the last {n}", n=n)
