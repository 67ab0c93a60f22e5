"""Compare: which plan, and do two fits give the same answer?"""

import streamlit as st

from core.errors import WorkspaceError
from core.service import runs
from core.service.projects.plans import list_plans
from core.service.records.fit import Run
from core.service.runs import has_result
from core.text.languages.language import marked, say
from pages.compare import fits, plans, specifications
from pages.ui import fit_needed, layout, navigation, reading, state, words
from pages.ui.fields import sampler_form
from pages.ui.findings import show_error
from pages.ui.reading import Opened

_MOST = 50
_PLANS, _FITS = marked("Plans"), marked("Fits")


def render() -> None:
    """Draw the screen."""
    layout.header(navigation.COMPARE)
    here = layout.begin()
    run = fit_needed.fit_or_empty(here, say("Two fits are compared here"))
    if run is None:
        return
    finished = _finished(here)
    has_only_fits = len(finished) > 1 and not list_plans(here.folder)
    view = navigation.view(
        say("Compare"),
        (_PLANS, _FITS, marked("Specifications")),
        key="compare.view",
        usual=_FITS if has_only_fits else _PLANS,
    )
    if view == _PLANS:
        plans.show(here, run)
        return
    if len(finished) < 2:
        layout.empty(
            say("One fit so far"),
            say(
                "Fit again with another seed, prior or option, and this screen says "
                "whether the answer is the same."
            ),
            navigation.FIT,
            say("Go to Fit"),
        )
    elif view == _FITS:
        _fits(finished, run)
    else:
        try:
            specifications.show(finished, _labels(finished))
        except WorkspaceError as error:
            show_error(error)


def _fits(finished: list[Run], run: Run) -> None:
    """Two fits side by side."""
    first, second = _chosen(finished, run)
    if first.run_id == second.run_id:
        st.info(
            say("Fit A and fit B are the same. Choose two."), icon=":material/info:"
        )
        return
    try:
        comparison = fits.compared(first, second)
    except WorkspaceError as error:
        show_error(error)
        return
    fits.show(comparison, first, second)


def _finished(here: Opened) -> list[Run]:
    """Fits with results, newest first."""
    listed = runs.list_runs(here.folder, "fit")
    return [run for run in listed if has_result(run.folder)][:_MOST]


def _chosen(finished: list[Run], current: Run) -> tuple[Run, Run]:
    """The two fits: at first the one that is shown, and the newest other one."""
    by_id = {run.run_id: run for run in finished}
    labels = _labels(finished)
    b = current.run_id if current.run_id in by_id else finished[0].run_id
    a = next(run_id for run_id in by_id if run_id != b)
    sides = []
    for column, side, first in zip(st.columns(2), "AB", (a, b), strict=True):
        key = f"compare.{side.lower()}"
        if state.widget(key, first) not in by_id:
            state.put(key, first)
        state.setdefault(key, first)
        chosen = column.selectbox(
            say("Fit {side}", side=side),
            list(by_id),
            format_func=labels.get,
            key=key,
            persist_state="session",
        )
        sides.append(by_id[chosen])
    return sides[0], sides[1]


def _labels(finished: list[Run]) -> dict[str, str]:
    """Numbered, oldest first: a browser tells options by their labels."""
    return {
        run.run_id: f"{len(finished) - i} · {_label(run)}"
        for i, run in enumerate(finished)
    }


def _label(run: Run) -> str:
    verdict = say(reading.verdict(run.folder) or "damaged")
    parts = (words.ago(run.created), say("seed {seed}", seed=run.seed), verdict)
    return " · ".join((*parts, sampler_form.of_run(run.sampler)))
