"""The model check of a fit: what it should have counted, against what was counted."""

from functools import partial

import streamlit as st

from core.charts import checks as figures
from core.charts.drawing import style
from core.service.records.fit import FitRecord, ModelCheck, Run
from core.service.runs import result_files
from core.text import scores
from core.text.languages.language import say
from core.text.languages.reworded import reworded
from core.view.sections.evaluation import checks_of, missed_by
from pages.ui import drawn, layout, navigation, reading, sections, state
from pages.ui.findings import plain


def show(run: Run, fit: FitRecord) -> None:
    """One line, and the table when it is opened; nothing for fits of old versions."""
    check, loo = fit.model_check, fit.loo
    if check is None or loo is None:
        return
    with st.expander(_headline(check), icon=_icon(check), key="fit.check"):
        if st.toggle(say("As pictures"), key="fit.check.pictures"):
            _pictures(run, fit)
        sections.table(checks_of(check), "", "fit.check.table")
        for note in missed_by(check):
            sections.note(note)
        if check.status == "missed":
            _to_options()
        layout.remark(
            "From {n_draws} simulations of the KPI by the fitted model. p is the "
            "share of simulations at or above the observed number; near 0 or 1 the "
            "model misses that side of the data. One check in twenty is borderline "
            "by chance.",
            n_draws=f"{check.n_draws:,}",
        )
        layout.remark(
            "Leave-one-out (PSIS-LOO): elpd {scored}, {p_loo} effective "
            "parameters, Pareto k above {k_limit} in {bad_k} cells. It scores "
            "how well gaps are filled in, not forecasts; the Compare screen sets "
            "fits side by side.",
            scored=scores.score(loo),
            p_loo=f"{loo.p_loo:.0f}",
            k_limit=f"{loo.k_limit:.2f}",
            bad_k=scores.bad_k(loo),
        )
        for warning in loo.warnings:
            st.caption(f":orange[:material/warning:] {plain(reworded(warning))}")


def _to_options() -> None:
    """Where season, holidays and events are, which checks that are missed ask for."""
    if st.button(
        say("Season, holidays and events"),
        key="fit.check.options",
        icon=":material/tune:",
    ):
        state.put("model.view", "Options")
        navigation.go(navigation.MODEL)


def _pictures(run: Run, fit: FitRecord) -> None:
    """The checks as pictures; those that need what older fits have not are left out."""
    units = fit.units
    makers = {"checks": partial(figures.checks, fit.model_check)}
    if "replicated.nc" in result_files(run.folder):
        replicated = reading.result_dataset(run.folder, "replicated")
        unit = style.label(units.outcome if not units.has_value else units.kpi_name)
        makers["densities"] = partial(figures.densities, replicated, unit=unit)
    weeks = reading.result_dataset(run.folder, "weeks")
    if "predicted_ci" in weeks:
        makers["residuals"] = partial(figures.residuals, weeks)
    columns = st.columns([2, 3], gap="medium")
    for name, make in makers.items():
        with columns[name != "checks"]:
            drawn.show(f"fit.check.{name}", make, run=run)


def _headline(check: ModelCheck) -> str:
    checks = check.checks
    missed = [each for each in checks if each.status == "missed"]
    if missed:
        texts = dict.fromkeys(reworded(each.text) for each in missed[:2])
        worst = plain("; ".join(texts))
        return say(
            "Model check: {n_missed} of {n_checks} missed: {worst}",
            n_missed=len(missed),
            n_checks=len(checks),
            worst=worst,
        )
    border = sum(each.status == "borderline" for each in checks)
    if border:
        return say(
            "Model check: passed, {border} of {n_checks} borderline",
            border=border,
            n_checks=len(checks),
        )
    return say(
        "Model check: the data look as the model expects ({n_checks} checks)",
        n_checks=len(checks),
    )


def _icon(check: ModelCheck) -> str:
    return (
        ":material/warning:" if check.status == "missed" else ":material/check_circle:"
    )
