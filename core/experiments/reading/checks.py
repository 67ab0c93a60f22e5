"""Checks of a read-out: what speaks for it, and what against."""

from typing import Literal

import numpy as np
from msgspec import Struct

from core.experiments.panel import Panel
from core.experiments.reading.placebo import Placebos, earlier
from core.experiments.reading.synthetic import Fit, Periods, fit
from core.text import count, listed

Status = Literal["good", "warning", "unknown"]

#: Share of the variance before the test that a counterfactual should explain.
_EXPLAINED = 0.5
#: A channel whose spend moved less than this share was hardly tested.
_MOVED = 0.2
#: Control geos whose spend moved by more than this part of the treated geos' move.
_PART = 0.5
#: A change over this many times the usual is one from nothing.
_NOTHING = 10.0
#: Placebos that err by so many times more in the test's window than in earlier ones.
_RESTLESS = 2.0
#: Fewer control geos than this make intervals coarse.
_FEW = 10


class Check(Struct, frozen=True):
    """One check.

    Attributes:
        name: What is checked.
        status: `good`, `warning`, or `unknown` where the data do not say.
        message: What was seen, and what to do where it is not good.
    """

    name: str
    status: Status
    message: str


def checks(
    panel: Panel,
    treated: np.ndarray,
    periods: Periods,
    fitted: Fit,
    null: Placebos,
    ridge: float,
    changed: dict[str, float],
) -> tuple[Check, ...]:
    """Every check of a read-out.

    Args:
        panel: The market.
        treated: Geos of the test.
        periods: Of the test.
        fitted: Treated geos and counterfactual.
        null: Effects where there was none.
        ridge: Of the counterfactual.
        changed: Spend of treated geos less the usual, of each channel that may have
            been tested, as a share of the usual; what usual swings explain is 0.
    """
    return (
        _fit(fitted, periods),
        _before(panel, treated, periods, null, ridge),
        _window(null),
        *_spend(panel, treated, periods, changed),
        _controls(treated),
    )


def tested_channel(paid: list[str], changed: list[str]) -> tuple[Check, ...]:
    """Which channel was tested, where nobody names it.

    Args:
        paid: Channels with spend.
        changed: Those whose spend changed by more than it usually swings.
    """
    name = "Tested channel"
    if not paid:
        return ()
    if len(changed) == 1:
        text = f"{changed[0]}: only its spend changed by more than it usually swings."
        return (Check(name, "good", text),)
    whose = f"spend of {listed(changed)}" if changed else "no channel's spend"
    text = (
        f"None is named, and {whose} changed by more than it usually swings. Name the "
        "channel for a return on its spend."
    )
    return (Check(name, "unknown", text),)


def _fit(fitted: Fit, periods: Periods) -> Check:
    before = slice(0, periods.before)
    actual = fitted.total[0, before]
    gap = actual - fitted.counterfactual[0, before]
    explained = 1 - gap.var() / actual.var() if actual.var() > 0 else 0.0
    sentence = (
        f"Before the test the counterfactual explains {100 * max(explained, 0):.0f} % "
        f"of the variance; a typical period is off by {100 * fitted.error[0]:.1f} %."
    )
    if explained >= _EXPLAINED:
        return Check("Fit before the test", "good", sentence)
    more = (
        "Treat the result as rough; more or other control geos may follow them better."
    )
    return Check("Fit before the test", "warning", f"{sentence} {more}")


def _before(panel, treated, periods: Periods, null: Placebos, ridge: float) -> Check:
    """The treated geos read over earlier windows, where there must be no effect."""
    name = "No effect before the test"
    windows = earlier(periods)
    if not windows:
        sentence = (
            "The data are too short to read an earlier window of the same length."
        )
        return Check(name, "unknown", sentence)
    effects = [
        fit(panel.kpi, treated[None], ~treated[None], window, ridge=ridge).effect(
            window
        )
        for window in windows
    ]
    largest = max(abs(float(effect[0])) for effect in effects)
    sentence = (
        f"Read over {count(len(windows), 'earlier window')}, the treated geos show at "
        f"most {100 * largest:.1f} %, placebos {100 * null.reach()[-1]:.1f} %."
    )
    if null.p_value(largest) * len(windows) >= 0.1:
        return Check(name, "good", sentence)
    more = (
        "They drift from their controls by themselves, so the interval is too narrow."
    )
    return Check(name, "warning", f"{sentence} {more}")


def _window(null: Placebos) -> Check:
    """Whether control geos kept to each other in the test's window as before it."""
    name = "A window like earlier ones"
    now, before = null.effect[null.is_now], null.effect[~null.is_now]
    if not len(before):
        return Check(name, "unknown", "The data are too short to have earlier windows.")
    error, usual = (float(np.sqrt((each**2).mean())) for each in (now, before))
    sentence = (
        f"Groups of control geos are read as {100 * error:.1f} % off in the test's "
        f"window, as {100 * usual:.1f} % in earlier ones."
    )
    if error < _RESTLESS * usual:
        return Check(name, "good", sentence)
    more = (
        "Something other than the test moved geos apart in these periods, so the "
        "interval may be too narrow."
    )
    return Check(name, "warning", f"{sentence} {more}")


def _spend(panel: Panel, treated, periods: Periods, changed: dict[str, float]):
    """Whether spend changed in treated geos, and only there."""
    if not panel.spend:
        said = "The data have no spend, so nobody can say whether it changed."
        yield Check("Spend changed", "unknown", said)
        yield Check("Controls left alone", "unknown", said)
        return
    moves = {name: _moves(panel.spend[name], periods) for name in changed}
    tested = {name: move for name, move in changed.items() if abs(move) >= _MOVED}
    said = listed([_change_in_words(name, move) for name, move in changed.items()])
    said = f"Spend of treated geos against that of their controls: {said}."
    if not tested:
        more = "That is hardly a test: check channel, geos and dates."
        yield Check("Spend changed", "warning", f"{said} {more}")
    else:
        yield Check("Spend changed", "good", said)
    touched = [
        geo
        for place, geo in enumerate(panel.geos)
        if not treated[place]
        and any(
            moves[name][place] * np.sign(move) > _PART * abs(move)
            for name, move in tested.items()
        )
    ]
    drifted = {
        name: move
        for name in tested
        if abs(move := _together(panel, name, ~treated, periods)) >= _MOVED
    }
    if drifted and not touched:
        said = listed([f"{name} {100 * move:+.0f} %" for name, move in drifted.items()])
        said = (
            f"Spend of the control geos changed too: {said}. The result is the "
            "difference between the two arms, and so is the money it is divided by."
        )
        yield Check("Controls left alone", "unknown", said)
        return
    if not touched:
        said = "Spend of no control geo moved with that of the treated ones."
        yield Check("Controls left alone", "good", said)
        return
    said = (
        f"Spend of {listed(touched)} moved with that of the treated geos: they may "
        "have had the treatment. Leave them out, and the result is cleaner."
    )
    yield Check("Controls left alone", "warning", said)


def _change_in_words(name: str, share: float) -> str:
    if share > _NOTHING:
        return f"{name} where controls had next to none"
    return f"{name} {100 * share:+.0f} %"


def _moves(money: np.ndarray, periods: Periods) -> np.ndarray:
    """Change of each geo's spend against as long a stretch before; share."""
    past = slice(max(periods.before - 4 * periods.length, 0), periods.before)
    before = money[:, past].mean(axis=1)
    now = money[:, periods.before : periods.end].mean(axis=1)
    return np.divide(now, before, out=np.ones_like(now), where=before > 0) - 1


def _together(panel: Panel, name: str, treated, periods: Periods) -> float:
    money = panel.spend[name][treated].sum(axis=0, keepdims=True)
    return float(_moves(money, periods)[0])


def _controls(treated: np.ndarray) -> Check:
    n_controls = int((~treated).sum())
    sentence = f"{count(n_controls, 'control geo')}."
    if n_controls >= _FEW:
        return Check("Control geos", "good", sentence)
    more = f"With fewer than {_FEW}, placebos are few and the interval is coarse."
    return Check("Control geos", "warning", f"{sentence} {more}")
