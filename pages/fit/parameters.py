"""Parameters of a fit for who wants to look closely: draws, priors, pairs, the file."""

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
import xarray as xr

from core import text as fmt
from core.charts import parameters as figures
from core.charts.fits import progress
from core.service.records.fit import Run
from core.service.runs import result_files
from core.text.languages.language import say
from core.text.languages.reworded import reworded
from core.text.sentences import listed
from pages.ui import drawn, layout, navigation, reading, tables
from pages.ui.findings import plain
from pages.ui.reading import Opened

_KEY = "fit.parameters"


def show(here: Opened, run: Run) -> None:
    """What somebody asks for; nothing for fits of before there was the file."""
    if "parameters.nc" not in result_files(run.folder):
        return
    if not st.toggle(
        say("Parameters: draws, priors and posteriors"),
        key=f"{_KEY}.shown",
        help=navigation.tip(
            "For analysts: traces, ranks, pairs and the posterior as a file."
        ),
    ):
        return
    with st.container(border=True, key=_KEY):
        table = reading.result_dataset(run.folder, "parameters")
        names = {
            str(code): figures.name_of(table, str(code))[0]
            for code in table["parameter"].values
        }
        _leaving(table, names)
        _parameters_table(table, names)
        _one(table, names, run)
        _pairs(table, names, run)
        _download(here, run)


def _leaving(table: xr.Dataset, names: dict[str, str]) -> None:
    """Which posteriors lie where their prior holds next to nothing likely."""
    is_out = table["leaves"].values > 0
    if not is_out.any():
        return
    outside = [reworded(names[str(code)]) for code in table["parameter"].values[is_out]]
    st.warning(
        say(
            "The posterior leaves its prior: {outside}. Less than 2.5 % of the prior "
            "lies beyond the middle of the posterior. Widen the prior on the Model "
            "screen if it was not well founded, or check the data of that channel.",
            outside=plain(listed(outside)),
        ),
        icon=":material/warning:",
    )


def _parameters_table(table: xr.Dataset, names: dict[str, str]) -> None:
    parameters = []
    for code in table["parameter"].values:
        own = table.sel(parameter=code)
        low, high = own["prior_ci"].values
        parameters.append(
            {
                "name": reworded(names[str(code)]),
                "unit": reworded(figures.name_of(table, str(code))[1]),
                "prior": fmt.interval(low, high, "number"),
                "mean": float(own["mean"]),
                "sd": float(own["sd"]),
                "rhat": float(own["rhat"]),
                "ess": float(own["ess_bulk"]),
                "code": str(code),
            }
        )
    tables.grid(
        tables.written(pd.DataFrame(parameters), {"mean": fmt.number}),
        say("Every parameter with its prior and its posterior"),
        _columns(),
        key=f"{_KEY}.table",
    )


def _one(table: xr.Dataset, names: dict[str, str], run: Run) -> None:
    """Trace, ranks, and prior beside posterior of one parameter."""
    chosen = st.selectbox(
        say("Parameter"),
        list(names),
        format_func=lambda code: reworded(names[code]),
        key=f"{_KEY}.one",
        width=320,
    )
    samples = table["draws"].sel(parameter=chosen)
    at = [int(number) for number in table["draw"].values]
    makers = {
        "density": partial(figures.prior_posterior, table, chosen),
        "ranks": partial(figures.ranks, table, chosen),
        "trace": partial(progress.trace, samples, name=names[chosen], at=at),
    }
    for column, (name, make) in zip(st.columns(3), makers.items(), strict=True):
        with column:
            drawn.show(f"{_KEY}.{name}", make, chosen, run=run)


def _pairs(table: xr.Dataset, names: dict[str, str], run: Run) -> None:
    """Some parameters against each other; those of the first channel to begin with."""
    of = [str(group) for group in table["of"].values]
    first = [code for code, own in zip(names, of, strict=True) if own and own == of[0]]
    chosen = st.multiselect(
        say("Pairs of"),
        list(names),
        default=first[: figures.MOST_PAIRED],
        format_func=names.get,
        max_selections=figures.MOST_PAIRED,
        key=f"{_KEY}.pairs",
        placeholder=say("Choose"),
    )
    if len(chosen) < 2:
        layout.remark("Choose two to four parameters.")
        return
    make = partial(figures.pairs, table, chosen)
    drawn.show(f"{_KEY}.pairs.chart", make, *chosen, run=run)


def _download(here: Opened, run: Run) -> None:
    def file() -> bytes:
        from core.report.posterior_file import posterior_netcdf

        return posterior_netcdf(run.folder)

    layout.download(
        say("Posterior (NetCDF)"),
        file,
        f"{here.name} posterior.nc",
        f"{_KEY}.file",
        help=say(
            "Every draw of every parameter, with the sampler's statistics. "
            "arviz.from_netcdf opens it."
        ),
    )


def _columns() -> dict[str, Any]:
    """Columns of the table."""
    return {
        "name": st.column_config.TextColumn(say("Parameter"), pinned=True),
        "unit": st.column_config.TextColumn(say("Unit")),
        "prior": st.column_config.TextColumn(say("Prior, 90 %"), alignment="right"),
        "mean": st.column_config.NumberColumn(say("Posterior mean")),
        "sd": st.column_config.NumberColumn("sd", format="%.2g", width=80),
        "rhat": st.column_config.NumberColumn("R-hat", format="%.3f", width=80),
        "ess": st.column_config.NumberColumn(say("Bulk ESS"), format="%.0f", width=90),
        "code": st.column_config.TextColumn(say("Name in the file")),
    }
