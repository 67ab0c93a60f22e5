"""What became of a run: verdict with reasons, or why it stopped and what to do."""

from dataclasses import asdict, replace
from functools import partial
from itertools import accumulate

import streamlit as st

from core import text as fmt
from core.charts.fits import progress as figures
from core.errors import MMMError
from core.service import fits, runs
from core.service.fits import can_go_on
from core.service.records.fit import Diagnostics, FitReport, Run
from core.service.runs import RESUMABLE, latest_fit
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from core.text.verdicts import FIT
from pages.fit import log, model_check, parameters
from pages.ui import drawn, fit_needed, layout, navigation, reading, state, words
from pages.ui.fields import gated, sampler_form
from pages.ui.findings import plain, show_error
from pages.ui.reading import Opened

#: How each verdict is shown: the box and its icon.
_LOOKS = {
    "trustworthy": (st.success, ":material/check_circle:"),
    "doubtful": (st.warning, ":material/warning:"),
    "failed": (st.error, ":material/error:"),
}
#: Target acceptance to try, one after the other, where trajectories diverge.
_FINER = (0.95, 0.99)


def show(here: Opened, run: Run) -> None:
    """A run that has ended."""
    if run.status.state == "done":
        try:
            _verdict(here, run)
        except MMMError as error:
            show_error(error)
    else:
        _stopped(run)
        _still(here)


def _stopped(run: Run) -> None:
    """A run that ended without a result, and what to do about it."""
    ended = run.status.state
    text = run.status.message or say("The run stopped before its end.")
    text = plain(fmt.sentence(reworded(text)))
    hint = plain(reworded(run.status.hint))
    box = st.info if ended == "cancelled" else st.error
    title = say("Fit {ended}", ended=say(words.STATES.get(ended, ended)))
    box(f"{text} {hint}".strip(), title=title, icon=":material/error:")
    label = say("Try again") if ended == "failed" else say("Resume where it stopped")
    if ended in RESUMABLE and gated.button(
        label,
        key="fit.resume",
        icon=":material/resume:",
    ):
        runs.resume(run)
        st.rerun()
    with st.expander(say("For analysts"), key="fit.stopped"):
        log.show(run)


def _still(here: Opened) -> None:
    """The fit that other screens show while the newest run has no result."""
    fit = latest_fit(here.folder)
    if fit is None:
        return
    layout.remark("Channels and Plan show the fit before it:")
    try:
        fit_needed.standing(here, fit, reading.fit(fit.folder))
    except MMMError as error:
        show_error(error)


def _verdict(here: Opened, run: Run) -> None:
    check = reading.diagnostics(run.folder)
    verdict = check.verdict
    box, icon = _LOOKS.get(verdict, _LOOKS["failed"])
    reasons = [f"\n- {plain(reworded(reason))}" for reason in check.reasons]
    reasons = ["\n", *reasons] if reasons else []
    stale = reading.out_of_date(here, run.folder)
    text = say(FIT.get(verdict, FIT["failed"])) + "".join(reasons)
    box(text, title=say("Verdict: {verdict}", verdict=say(verdict)), icon=icon)
    notes = [f"- {plain(reworded(note))}" for note in check.notes]
    if notes:
        st.markdown("\n".join([say("**Before you move budget**"), *notes]))
    if stale:
        st.warning(
            say(
                "Out of date: {stale} since this fit. Fit again to bring the results "
                "up to date.",
                stale=plain(", ".join(map(reworded, stale))),
            ),
            icon=":material/update:",
        )
    if not stale:
        _better(here, run, check)
    _settings(here, run)
    model_check.show(run, reading.fit(run.folder))
    with st.expander(say("For analysts"), key="fit.convergence"):
        left, right = st.columns([3, 2], gap="medium")
        with left:
            make = partial(figures.convergence, check.parameters)
            drawn.show("fit.convergence", make, run=run)
        with right:
            _facts(run, check)
        parameters.show(here, run)
        log.show(run)


def _better(here: Opened, run: Run, check: Diagnostics) -> None:
    """What would make the fit better, each with its button; nothing for a good one."""
    if check.verdict == "trustworthy":
        return
    st.markdown(say("**What would make it better**"))
    with st.container(horizontal=True, vertical_alignment="center"):
        _smaller_steps(here, check)
        if draws := more_draws(run, check):
            _add_draws(run, *draws)
            if not check.converged:
                return
        navigation.go_button(navigation.MODEL, say("Review the model"), primary=False)
        label = say("Check the data")
        navigation.go_button(navigation.DATA, label, primary=False, why="better")
        navigation.go_button(
            navigation.EXPERIMENTS, say("Add a lift test"), primary=False
        )


def _settings(here: Opened, run: Run) -> None:
    """How long the fit took, and whether the next one has other settings."""
    about = reading.report(run.folder)
    whole, _ = _times(about)
    sentences = [say("This fit took {whole}.", whole=words.duration(whole))]
    settings = asdict(here.project.sampler)
    if settings != run.sampler.as_dict():
        changed = sampler_form.changed(here.project.sampler) or say("the usual ones")
        sentences.append(say("Settings of the next fit: {changed}.", changed=changed))
    st.caption(" ".join(sentences))


def more_draws(run: Run, check: Diagnostics) -> tuple[int, int] | None:
    """Draws per chain that a fit has and that its verdict asks for.

    Returns:
        None where they are enough, or where none can be added.
    """
    target, draws = check.draws_wanted, run.sampler.draws
    if target is None or draws is None or target <= draws:
        return None
    return (draws, target) if can_go_on(run.folder) else None


def _add_draws(run: Run, kept: int, wanted: int) -> None:
    """Add draws to those that are there."""
    if gated.button(
        say("Add {wanted} draws per chain", wanted=f"{wanted - kept:,}"),
        key="fit.more",
        type="primary",
        icon=":material/add:",
        help=say(
            "A new fit that continues this one: its first {kept} draws per chain are "
            "those of this fit, which is kept as it is.",
            kept=f"{kept:,}",
        ),
    ):
        state.open_run(None)
        fits.add_draws(run, wanted)
        st.rerun()


def _smaller_steps(here: Opened, check: Diagnostics) -> None:
    """Fit again with smaller steps, where trajectories diverged."""
    sampler = here.project.sampler
    finer = next((each for each in _FINER if sampler.target_accept < each), None)
    if finer is None or not any("diverged" in reason for reason in check.reasons):
        return
    if gated.button(
        say("Fit again with smaller steps"),
        key="fit.finer",
        icon=navigation.FIT.icon,
        help=say(
            "Sets target acceptance to {finer}: trajectories then diverge less, and "
            "the fit takes longer.",
            finer=fmt.ratio(finer),
        ),
    ):
        project = replace(here.project, sampler=replace(sampler, target_accept=finer))
        reading.save(here, project)
        state.start_afresh("sampler")  # or the form would put its own back
        state.open_run(None)
        runs.start(here.folder, "fit", project)
        st.rerun()


def _facts(run: Run, check: Diagnostics) -> None:
    """The figures behind the verdict, each with what it should be."""
    about = reading.report(run.folder)
    worst = check.worst_name or check.worst_parameter or "–"
    facts = {
        say("Chains × (warm-up + draws)"): sampler_form.of_run(
            run.sampler, about.warmup
        ),
        say("R-hat, below 1.01"): _figure(check.rhat_max, ".4f"),
        say("Bulk ESS, 400 or more"): _figure(check.ess_bulk_min, ",.0f"),
        say("Tail ESS, 400 or more"): _figure(check.ess_tail_min, ",.0f"),
        say("Worst parameter"): plain(reworded(worst)),
        say("Divergences, at most 1 in 10,000"): f"{check.divergences:,}",
        say("Computed in"): say(
            "{precision} on {device}",
            precision=about.precision,
            device=about.device,
        ),
        say("Seed"): "" if about.seed is None else f"{about.seed}",
        say("Time"): _parts(about),
    }
    st.table(facts, border="horizontal", alt=say("Figures behind the verdict"))


def _figure(value: float | None, form: str) -> str:
    """A figure of the sampler; draws that are no numbers have none."""
    return fmt.NONE if value is None else format(value, form)


def _times(about: FitReport) -> tuple[int, dict[str, int]]:
    """The time in all and its parts, which add up as they are written; seconds."""
    seconds = {say(name): about.seconds.get(key) or 0.0 for key, name in _PARTS.items()}
    # Where the parts end is rounded, so that they add up to what is written.
    ends = [round(end) for end in accumulate(seconds.values())]
    parts = {
        name: end - begin
        for name, begin, end in zip(seconds, [0, *ends], ends, strict=False)
    }
    return ends[-1], {name: part for name, part in parts.items() if part > 0}


def _parts(about: FitReport) -> str:
    """The parts of a fit's time in a line."""
    _, parts = _times(about)
    return ", ".join(f"{name} {words.clock(part)}" for name, part in parts.items())


#: Parts of a fit's time, in their order.
_PARTS = {
    "setup": marked("getting ready"),
    "compile": marked("compiling"),
    "mode": marked("finding the start"),
    "preview": marked("preview"),
    "warmup": marked("warm-up"),
    "draws": marked("draws"),
    "parameters": marked("working out parameters"),
    "results": marked("results"),
}
