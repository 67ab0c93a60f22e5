"""The horizon of the plan: which periods it is for, and their response curves."""

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from core import text as fmt
from core.charts.drawing.marks import period
from core.service import horizons
from core.service.horizons import (
    CurveFiles,
    horizon_curves,
    own_curves,
    pending_horizon,
)
from core.service.records.data import (
    MOST_YEARS,
    PlanHorizon,
    next_times,
    periods_per_year,
    plan_horizon,
)
from core.service.records.fit import Run
from core.service.runs import status
from core.text.languages.language import say
from core.text.languages.reworded import reworded
from pages.plan.rare import dated
from pages.ui import navigation, reading, state, words
from pages.ui.fields import gated
from pages.ui.fields.choice import one_of
from pages.ui.findings import plain
from pages.ui.guard import guarded

_OWN, _CUSTOM = "own", "custom"
#: Parts of a year that are offered.
_PARTS = {"year": 1, "half": 2, "quarter": 4}


@dataclass(frozen=True)
class Chosen:
    """The horizon that was chosen.

    Attributes:
        files: Its response curves.
        ahead: Its periods; None for the data's own.
        word: What a period is called.
    """

    files: CurveFiles
    ahead: PlanHorizon | None
    word: str

    @property
    def key(self) -> str:
        """What tells it from other horizons."""
        if self.ahead is None:
            return "own"
        value = f".{hash(self.ahead.value)}" if self.ahead.value else ""
        return f"{self.ahead.start}.{self.ahead.n}{value}"


def choose(run: Run) -> Chosen | None:
    """The control; None while the curves of other periods are worked out."""
    times = reading.result_dataset(run.folder, "weeks")["time"].to_numpy()
    times = times.astype("datetime64[D]")
    word, ahead = period(times), _asked(times)
    if ahead is None:
        return Chosen(own_curves(run.folder), None, word)
    ahead = replace(ahead, value=dated.values(ahead))
    files = horizon_curves(run.folder, ahead.start, ahead.n, ahead.value)
    if files is None:
        if ahead.value:
            dated.edit_values()
        _work_out(run, ahead, word)
        return None
    return Chosen(files, ahead, word)


def _asked(times: np.ndarray) -> PlanHorizon | None:
    """The periods that the control says; None for the data's own."""
    word, year = period(times), periods_per_year(times)
    counts = {
        name: year // part
        for name, part in _PARTS.items()
        if year // part >= 1 and year // part <= len(times)
    }
    counts = counts or {"year": len(times)}
    labels = {
        name: say("Next {periods}", periods=fmt.count(n, word))
        for name, n in counts.items()
    }
    labels |= {
        _CUSTOM: say("Other periods"),
        _OWN: say("The data's own {periods}", periods=fmt.count(len(times), word)),
    }
    choice = one_of(
        say("Plan for"),
        labels,
        "plan.horizon",
        format_func=labels.get,
        persist_state="session",
        width=210,
        help=navigation.explained(
            say(
                "The periods that the budget covers. Meridian plans the data's own "
                "periods."
            ),
            navigation.PLAN,
        ),
    )
    if choice == _OWN:
        return None
    if choice != _CUSTOM:
        return plan_horizon(times, counts[choice])
    return _other(times, next(iter(counts.values())))


def _other(times: np.ndarray, usual: int) -> PlanHorizon:
    """Periods of any number and start."""
    word, year = period(times), periods_per_year(times)
    later = next_times(times, MOST_YEARS * year)
    days = [str(day) for day in later]
    # Streamlit refuses a value beyond a field's ends, and the fit may be another.
    if not 1 <= int(state.widget("plan.periods", usual)) <= len(days):
        state.put("plan.periods", usual)
    state.setdefault("plan.periods", usual)
    n = st.number_input(
        fmt.periods_heading(word),
        1,
        len(days),
        key="plan.periods",
        persist_state="session",
        width=110,
    )
    starts = days[: len(days) - int(n) + 1]
    start = one_of(
        say("First {period}", period=say(word)),
        starts,
        "plan.start",
        format_func=fmt.date,
        persist_state="session",
        width=150,
    )
    return plan_horizon(times, int(n), start)


def _work_out(run: Run, ahead: PlanHorizon, word: str) -> None:
    """Have the curves of other periods worked out, and show how far that is."""
    periods = ahead.start, ahead.n, ahead.value
    working = pending_horizon(run.folder, *periods)
    # Not again by itself: what fails would be started once a second.
    if working is None or (
        not working.status.is_live and state.widget("plan.horizon.again", False)
    ):
        if gated.is_refused(run.folder.parents[1]):
            return
        horizons.start_curves(run, *periods)
        working = pending_horizon(run.folder, *periods)
    if working is not None and working.status.is_live:
        in_words = fmt.count(ahead.n, word)
        st.fragment(_progress, run_every="1s")(working, in_words)
        return
    text = fmt.sentence(
        reworded(working.status.message)
        or say("The response in these periods could not be worked out")
    )
    st.warning(
        f"{plain(text)} {plain(reworded(working.status.hint))}",
        icon=":material/warning:",
    )
    gated.button(say("Try again"), key="plan.horizon.again")


@guarded
def _progress(run: Run, periods: str) -> None:
    now = status(run.folder)
    if not now.is_live:
        st.rerun()
    in_words = say("Working out what spend brings in {periods}", periods=periods)
    st.progress(now.fraction, f"{in_words} · {words.at_work(now)}")
