"""The work of a plan of weeks. Runs in the worker."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.fit.posterior import write_netcdf
from core.jobs.tasks.frozen import load_model
from core.plan.flighting import flight
from core.plan.record.plan_record import as_dict, with_details
from core.plan.response.price import at_indexed_prices
from core.plan.scenario.weeks import week_request
from core.plan.week_terms import prices_of_plan
from core.project.fits.derived import asked
from core.project.plans.plans import with_fit
from core.store.fit_results import read_fit
from core.store.results import open_dataset, write_record, write_result


def execute(
    run: Path,
    report: Callable[[dict[str, Any]], None],
    should_stop: Callable[[], bool],
) -> None:
    """Find the best plan of weeks and write it.

    Args:
        run: The run's directory.
        report: Takes progress as progress.json shows it.
        should_stop: Whether the run was cancelled.
    """

    def tell(phase: str, fraction: float) -> None:
        report({"phase": phase, "fraction": fraction})

    tell("preparing", 0.02)
    fit, table = asked(run)
    project, model = load_model(fit, "float64")
    table = at_indexed_prices(table, prices_of_plan(model, week_request(table)))
    ask = week_request(table, model.data.outcome_unit)
    planned = flight(
        model,
        open_dataset(fit, "posterior"),
        ask,
        currency=project.currency,
        verdict=read_fit(fit).verdict,
        report=tell,
    )
    if should_stop():
        return
    tell("saving", 0.97)
    stated = json.loads(json.dumps(dict(table), default=str))  # dates as text
    record = with_fit(with_details(planned.record, scenario=stated), fit)
    with write_result(run) as result:
        write_netcdf(planned.stored, result / "flight.nc")
        write_record(result / "flight.json", as_dict(record))
