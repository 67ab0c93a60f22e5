"""A run at work: what it does, how far each chain is, when it is done."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
import xarray as xr

from core import text as fmt
from core.charts import channels, data
from core.charts.fits import progress as figures
from core.service.fits import expected_seconds, read_preview
from core.service.records.columns import PAID
from core.service.records.fit import Run
from core.service.records.model import assumed_returns
from core.service.records.preview import Preview
from core.service.runs import ChainProgress, Progress, RunStatus, status
from core.text.glossary import meaning
from core.text.languages.language import say, say_count
from core.text.languages.reworded import reworded
from core.view.progress import PHASES, SAMPLED, seconds_left, share_done, waited
from pages.fit import log, preview
from pages.ui import drawn, layout, navigation, reading, tables, words
from pages.ui.findings import plain
from pages.ui.guard import guarded
from pages.ui.reading import Opened

_BLANK = "–"


def show(here: Opened, run: Run) -> None:
    """Follow a run until it has ended; then draw the whole screen again."""
    st.fragment(_panel, run_every="1s")(here, run)


@guarded
def _panel(here: Opened, run: Run) -> None:
    now = status(run.folder)
    if not now.is_live:
        st.rerun()
    report = now.progress
    with st.container(border=True, key="fit.live"):
        share = share_done(now)
        st.progress(share, _headline(now, share, expected_seconds(run.folder)))
        if now.state == "queued":
            st.caption(_why_it_waits(now))
        layout.remark(
            "You can leave this screen, close the browser or restart the server: "
            "the fit keeps running, and you will find it here again."
        )
    _market(here, run)
    with st.expander(say("For analysts"), key="fit.chains"):
        preview.table(run)
        _tiles(report)
        chains = report.chains
        if not chains:
            chains = (ChainProgress(),) * (run.sampler.chains or 1)
        _chains(chains, sampled=report.phase in SAMPLED)
        _trace(report)
        log.show(run)


def _why_it_waits(now: RunStatus) -> str:
    if now.message:  # a cluster has it
        return reworded(now.message)
    if now.position is None or now.position == 1:
        return say("Another fit is running on this machine; this one is next.")
    before = now.position - 1
    return say_count(
        before,
        "Other fits are running on this machine; {number} run waits before this one.",
        "Other fits are running on this machine; {number} runs wait before this one.",
        number=before,
    )


def _trace(report: Progress) -> None:
    """The chains so far: they should come to lie over each other."""
    numbers = report.iterations
    try:
        values = np.array(report.log_density, dtype=float)
    except ValueError:  # chains of different lengths
        return
    if len(numbers) < 10 or values.ndim != 2 or values.shape[1] != len(numbers):
        return
    # The first steps start far off and would leave no room for what follows.
    settled = values[:, values.shape[1] // 5 :]
    samples = xr.DataArray(settled, dims=("chain", "draw"))
    numbers = numbers[-settled.shape[1] :]
    name = say("log density, while warming up")
    if report.phase == "draws":
        name = say("log density")
    make = partial(figures.trace, samples, name=name, at=numbers)
    drawn.anew("fit.live", make)


def _headline(now: RunStatus, share: float, expected: float | None) -> str:
    """What the run does, how far it is, and the time left.

    Args:
        now: How it stands.
        share: Share of the time that is over.
        expected: Seconds it should take by the fit before, for as long as nothing of
            this one moves.
    """
    parts = [f"**{words.phase(now).capitalize()}**"]
    parts += [fmt.share(share)] if share else []
    passed, remaining = waited(now), seconds_left(now)
    if passed is not None:
        parts.append(say("{elapsed} elapsed", elapsed=words.clock(passed)))
    if remaining is not None:
        about = say(
            "about {left} left, results included", left=words.duration(remaining)
        )
        parts.append(about if remaining > 0 else say("longer than expected"))
    elif expected is not None and passed is not None and passed < expected:
        parts.append(
            say(
                "about {expected} left, as last time",
                expected=words.duration(expected - passed),
            )
        )
    return " · ".join(parts)


def _tiles(report: Progress) -> None:
    """Convergence so far; one row, also while there is nothing to say yet."""
    rhat, ess, chains = report.rhat_max, report.ess_min, report.chains
    divergences = sum(int(chain.divergences or 0) for chain in chains)
    left, middle, right = st.columns(3)
    left.metric(
        say("Largest R-hat so far"),
        _BLANK if rhat is None else f"{rhat:.3f}",
        help=navigation.explained(meaning("R-hat")),
    )
    middle.metric(
        say("Smallest effective sample size so far"),
        _BLANK if ess is None else f"{ess:,.0f}",
        help=navigation.explained(meaning("Effective sample size")),
    )
    right.metric(
        say("Divergent transitions"),
        f"{divergences:,}" if chains else _BLANK,
        help=navigation.explained(meaning("Divergences")),
    )


def _chains(chains: Sequence[ChainProgress], *, sampled: bool) -> None:
    """How far each chain is; all are done once results are worked out."""
    table_rows = []
    for i, chain in enumerate(chains, 1):
        done, total, step = chain.iteration or 0, chain.total, chain.step_size
        table_rows.append(
            {
                "chain": i,
                "phase": say("done")
                if sampled
                else say(PHASES.get(chain.phase, "starting")),
                "share": done / total if total else 0.0,
                "iteration": say(
                    "{done} of {total}", done=f"{done:,.0f}", total=f"{total:,.0f}"
                )
                if total
                else _BLANK,
                "step": _BLANK if step is None else f"{step:.3g}",
                "divergences": int(chain.divergences or 0),
            }
        )
    column = st.column_config
    tables.grid(
        table_rows,
        say("Progress of each chain"),
        {
            "chain": column.NumberColumn(say("Chain"), width=60),
            "phase": column.TextColumn(say("Phase"), width=120),
            "share": column.ProgressColumn(say("Progress"), format="percent"),
            "iteration": column.TextColumn(
                say("Iteration"), width=140, alignment="right"
            ),
            "step": column.TextColumn(say("Step size"), width=90, alignment="right"),
            "divergences": column.NumberColumn(say("Divergences"), width=100),
        },
    )


def _market(here: Opened, run: Run) -> None:
    """The KPI beside what was spent, or beside returns once there are any."""
    report = read_preview(run.folder)
    with st.container(border=True, key="fit.meanwhile"):
        st.markdown(plain(_sentence(here)))
        left, right = st.columns(2, gap="medium")
        with left:
            _chart(here, data.kpi, "kpi")
        with right:
            if report is not None and any(row.roi for row in report.channels):
                _returns(here, run, report)
            elif here.project.mapping.of_kind(*PAID):
                _chart(here, data.spend, "spend")
            if report is not None:
                st.caption(preview.about(report))
        with st.container(horizontal=True):
            label = say("Look at the data")
            navigation.go_button(navigation.DATA, label, primary=False)
            label = say("See what is assumed")
            navigation.go_button(navigation.MODEL, label, primary=False)


def _sentence(here: Opened) -> str:
    """What is being fitted."""
    about = reading.market(here)
    return say(
        "The model learns from {periods} of {kpi_name} what each of {channels} added "
        "to trend, season and controls.",
        periods=fmt.count(about.n_times, about.period),
        kpi_name=about.units.kpi_name,
        channels=fmt.count(len(here.project.mapping.channels), "channel"),
    )


def _chart(here: Opened, figure_of: Callable[..., Any], name: str) -> None:
    """A figure of the table; see `core.charts.data`."""
    mapping, currency = here.project.mapping, here.project.currency
    make = partial(figure_of, reading.table(here), mapping, currency=currency)
    drawn.show(f"fit.{name}", make, here.data_sha, mapping, currency)


def _returns(here: Opened, run: Run, report: Preview) -> None:
    """ROI so far, with what was assumed before the data behind it."""
    make = partial(
        channels.roi_so_far,
        {row.name: row.roi for row in report.channels},
        report.units,
        is_sampled=report.method == "sampled",
        prior=_assumed(here, run),
    )
    key = str(run.folder), here.sha, here.data_sha, report
    drawn.show("fit.so_far", make, *key)


def _assumed(here: Opened, run: Run) -> dict[str, tuple[float, float]]:
    """What the fit assumes of returns; nothing where the project assumes other now."""
    if reading.out_of_date(here, run.folder):
        return {}
    return assumed_returns(here.project.spec, reading.market(here).totals)
