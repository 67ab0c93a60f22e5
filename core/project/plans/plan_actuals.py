"""A saved plan against what happened: its run's data and forecast, and a table."""

from pathlib import Path
from typing import TYPE_CHECKING

from core.data.mapping import PAID
from core.errors import PlanError, WorkspaceError
from core.plan.record.actuals import PlanBesideActuals
from core.plan.record.plan_record import PlanRecord
from core.project.settings.project import data_file, load_project
from core.store.results import open_dataset, result_files

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import pandas as pd
    import xarray as xr

    from core.data.input_data import InputData
    from core.plan.against.terms import Terms
    from core.plan.response.curves import Frequency

#: Periods of a template, where the data allow as many.
_TEMPLATE = 13


def variance(run: Path, plan: PlanRecord, frame: "pd.DataFrame") -> PlanBesideActuals:
    """Why the outcome was not the planned one.

    Args:
        run: Folder of the fit that the plan was made with.
        plan: The plan.
        frame: What was spent and came in, as `laid_out_for` gives it.

    Returns:
        The record of the difference, with the plan's name and units.

    Raises:
        DataError: The table is not what is needed.
        PlanError: The plan begins after the table ends.
        WorkspaceError: The fit has no forecast.
    """
    from core.data.ahead.actual_table import read_actuals
    from core.plan.against.actuals import against_actuals
    from core.plan.against.planned_forecast import begun_spend_in, with_begun
    from core.plan.against.planned_spend import planned_spend
    from core.project.plans.where_it_ran import divided_by

    if "forecast.nc" not in result_files(run):
        raise WorkspaceError(
            "The fit of this plan has no forecast, so that baseline and response "
            "cannot be told apart.",
            hint="Fit with the structural baseline, and plan again.",
            where="forecast.nc",
        )
    view = open_dataset(run, "forecast")
    project = load_project(run)
    actuals = read_actuals(
        data_of_fit(run), frame, project.mapping, currency=project.currency
    )
    planned = planned_spend(plan, view, actuals.n_times)
    begun = begun_spend_in(plan, view, actuals.n_times)
    about = {
        "plan_id": plan.plan_id,
        "name": plan.name,
        "plan_of": plan.over,
        "run_id": plan.run_id,
        "currency": str(view.attrs.get("currency", "")),
        "outcome_unit": str(view.attrs.get("outcome_unit", "")),
        "kpi_name": str(view.attrs.get("kpi_name", "")),
        "has_value": int(view.attrs.get("has_value", 1)),
        "is_repeated": bool(view.attrs.get("horizon_repeated", 0)),
        "believed": tuple(name for name, spend in begun.items() if spend.any()),
    }
    decay, bought, geos = carryover(run), terms(run, plan, view), None
    divided = divided_by(run, plan, view, actuals)
    if divided is not None:
        bought, geos = divided
    if not data_of_fit(run).is_national:
        by_geo = actuals.by_geo if geos is not None else ()
        names = [str(name) for name in view["paid"].to_numpy()]
        about["as_planned"] = tuple(name for name in names if name not in by_geo)
    whole = with_begun(plan, view, view)  # nobody says what these spent: as planned
    against = against_actuals(whole, planned, actuals, decay, bought, geos)
    return against.record(**about)


def laid_out_for(run: Path, tables: "Mapping[str, pd.DataFrame]") -> "pd.DataFrame":
    """What was spent and came in, of one or several files, in the columns of a fit.

    Files like those that the project's data were made of are read as those were.

    Args:
        run: Folder of the fit.
        tables: As they were loaded, by the name of their file.

    Raises:
        DataError: They are laid out in no way that is known.
    """
    from core.data.ahead.as_exported import laid_out

    project = load_project(run)
    columns = table_of_fit(run).columns
    last = data_of_fit(run).times[-1]
    return laid_out(tables, project.mapping, columns, project.layout, last)


def happened(run: Path, table: "pd.DataFrame") -> "pd.DataFrame":
    """The rows of a table after the data of a fit, in the columns that count.

    Args:
        run: Folder of the fit.
        table: The project's, as it is by now.

    Raises:
        DataError: The table is not what the fit's was.
    """
    from core.data.ahead.new_periods import parted

    mapping = load_project(run).mapping
    _, later = parted(table, mapping, data_of_fit(run).times[-1])
    columns = [mapping.time, mapping.geo, mapping.kpi, mapping.revenue_per_kpi]
    columns += [channel.spend for channel in mapping.of_kind(*PAID)]
    names = [name for name in dict.fromkeys(columns) if name in later.columns]
    return later[names].reset_index(drop=True)


def so_far(run: Path, plan: PlanRecord) -> PlanBesideActuals | None:
    """The same as `variance` for the periods that the project's data have by now.

    Args:
        run: Folder of the fit that the plan was made with.
        plan: The plan.

    Returns:
        None where the data have no period of the plan.

    Raises:
        MMMError: As `variance`.
    """
    from core.data.files.isolated import kept_table

    folder = run.parents[1]
    rows = happened(run, kept_table(data_file(folder, load_project(folder))))
    if rows.empty:
        return None
    try:
        return variance(run, plan, rows)
    except PlanError:  # the plan begins after these rows
        return None


def actuals_template(run: Path) -> str:
    """A table to fill in, CSV: the first periods after the data."""
    from core.data.ahead.actual_table import template
    from core.data.ahead.horizon import longest_horizon

    data = data_of_fit(run)
    n = min(_TEMPLATE, longest_horizon(data))
    return template(data, load_project(run).mapping, n).to_csv(index=False)


def carryover(run: Path) -> "dict[str, np.ndarray]":
    """What of each channel's media carries over, by lag.

    Args:
        run: Folder of a finished fit.
    """
    if "shapes.nc" not in result_files(run):
        return {}
    shapes = open_dataset(run, "shapes")["adstock"].transpose("channel", "lag")
    names = [str(name) for name in shapes["channel"].to_numpy()]
    return dict(zip(names, shapes.to_numpy().astype(float), strict=True))


def terms(run: Path, plan: PlanRecord, view: "xr.Dataset") -> "Terms":
    """How a plan buys its media in the periods of its fit's forecast.

    Args:
        run: Folder of the fit.
        plan: The plan.
        view: forecast.nc.
    """
    from core.plan.against.terms import terms_of
    from core.plan.response.price import best_frequencies

    frequencies = frequencies_of(run, plan) if best_frequencies(plan.scenario) else ()
    return terms_of(plan, view["time"].to_numpy(), frequencies, view.sizes["draw"])


def frequencies_of(run: Path, plan: PlanRecord) -> "tuple[Frequency, ...]":
    """What a fit's channels with reach and frequency bring at their best frequency.

    Args:
        run: Folder of the fit.
        plan: A plan, which is for periods to come or for the fit's own.
    """
    from core.plan.response.curves import response_curves

    # Of the fit's own periods or the year after them: other periods' hardly differ.
    has_ahead = "horizon_curves.nc" in result_files(run)
    is_ahead = has_ahead and not plan.horizon.as_fitted
    stored = open_dataset(run, "horizon_curves" if is_ahead else "curves")
    return tuple(response_curves(stored).frequencies)


def data_of_fit(run: Path) -> "InputData":
    """What the run was fitted on.

    Args:
        run: Folder of the fit.
    """
    from core.data.assemble import assemble

    return assemble(table_of_fit(run), load_project(run).mapping)


def table_of_fit(run: Path) -> "pd.DataFrame":
    """The table that the run was fitted on.

    Args:
        run: Folder of the fit.
    """
    from core.data.files.isolated import kept_table

    return kept_table(run / load_project(run).file)
