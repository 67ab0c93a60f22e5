"""The model check of a fit: what it should have counted, against what was counted."""

import pandas as pd
import streamlit as st

from core.charts import checks as figures
from core.charts.drawing import style
from core.project.fits.runs import Run
from core.service.records.fit import Check, FitRecord, ModelCheck
from core.store.results import result_files
from core.text import scores
from pages.ui import drawn, layout, reading
from pages.ui.findings import plain

_RESULTS = {"ok": "as expected", "borderline": "borderline", "missed": "missed"}


def show(run: Run, fit: FitRecord) -> None:
    """One line, and the table when it is opened; nothing for fits of old versions."""
    check, loo = fit.model_check, fit.loo
    if check is None or loo is None:
        return
    with st.expander(_headline(check), icon=_icon(check), key="fit.check"):
        if st.toggle("As pictures", key="fit.check.pictures"):
            _pictures(run, fit)
        st.dataframe(
            pd.DataFrame([_row(each) for each in check.checks]),
            column_config=_COLUMNS,
            hide_index=True,
            height="content",
            key="fit.check.table",
            alt="Model check: data against what the model expects",
        )
        st.caption(
            f"From {check.n_draws:,} simulations of the KPI by the fitted model. p "
            "is the share of simulations at or above the observed number; near 0 or 1 "
            "the model misses that side of the data. One check in twenty is borderline "
            "by chance."
        )
        st.caption(
            f"Leave-one-out (PSIS-LOO): elpd {scores.score(loo.scored)}, "
            f"{loo.p_loo:.0f} effective parameters, Pareto k above "
            f"{loo.k_limit:.2f} in {scores.bad_k(loo.scored)} cells. It scores how "
            "well gaps are filled in, not forecasts; the Compare screen sets fits side "
            "by side."
        )
        for warning in loo.warnings:
            st.caption(f":orange[:material/warning:] {plain(warning)}")


def _pictures(run: Run, fit: FitRecord) -> None:
    """The checks as pictures; those that need what older fits have not are left out."""
    theme, check = layout.theme(), fit.model_check
    units = fit.units
    makers = {"checks": lambda: figures.checks(check, theme=theme)}
    if "replicated.nc" in result_files(run.folder):
        replicated = reading.result_dataset(run.folder, "replicated")
        unit = style.label(units.outcome if not units.has_value else units.kpi_name)
        makers["densities"] = lambda: figures.densities(
            replicated, unit=unit, theme=theme
        )
    weeks = reading.result_dataset(run.folder, "weeks")
    if "predicted_ci" in weeks:
        makers["residuals"] = lambda: figures.residuals(weeks, theme=theme)
    columns = st.columns([2, 3], gap="medium")
    for name, make in makers.items():
        with columns[name != "checks"]:
            figure = drawn.of_run(make, run, "check", name)
            layout.chart(figure, f"fit.check.{name}")


def _headline(check: ModelCheck) -> str:
    checks = check.checks
    missed = [each for each in checks if each.status == "missed"]
    if missed:
        worst = plain("; ".join(dict.fromkeys(each.text for each in missed[:2])))
        return f"Model check: {len(missed)} of {len(checks)} missed: {worst}"
    border = sum(each.status == "borderline" for each in checks)
    if border:
        return f"Model check: passed, {border} of {len(checks)} borderline"
    return f"Model check: the data look as the model expects ({len(checks)} checks)"


def _icon(check: ModelCheck) -> str:
    return (
        ":material/warning:" if check.status == "missed" else ":material/check_circle:"
    )


def _row(check: Check) -> dict[str, str]:
    return {
        "label": check.label,
        "actual": scores.check_number(check.unit, check.actual),
        "range": scores.check_range(check.unit, check.lo, check.hi),
        "p": scores.p_value(check.p),
        "result": _RESULTS.get(check.status, check.status),
        "advice": check.advice,
    }


_COLUMNS = {
    "label": st.column_config.TextColumn("Check", pinned=True),
    "actual": st.column_config.TextColumn("Data", alignment="right", width=90),
    "range": st.column_config.TextColumn(
        "Model, 90 %",
        alignment="right",
        width=130,
        help="Simulated from the fitted model (posterior predictive).",
    ),
    "p": st.column_config.TextColumn("p", alignment="right", width=64),
    "result": st.column_config.TextColumn("Result", width=100),
    "advice": st.column_config.TextColumn("What to do"),
}
