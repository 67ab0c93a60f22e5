"""The work of a plan of weeks. Runs in the worker."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.fit.posterior import save_dataset
from core.jobs.frozen import load_model
from core.plan.flighting import flight
from core.plan.record.weeks import as_dict, outcome_draws
from core.plan.scenario.weeks import flight_wish
from core.workspace.derived import asked
from core.workspace.results import open_dataset, read_json, write_result


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
    wish = flight_wish(table)
    project, model = load_model(fit, "float64")
    diagnostics = read_json(fit, "summary").get("diagnostics") or {}
    made = flight(
        model,
        open_dataset(fit, "posterior"),
        wish,
        currency=project.currency,
        verdict=diagnostics.get("verdict"),
        report=tell,
    )
    if should_stop():
        return
    tell("saving", 0.97)
    told = {
        "draws": outcome_draws(made),
        "run": str(run),
        "fit": fit.name,
        "kpi_name": project.mapping.kpi,
        "has_value": int(model.data.revenue_per_kpi is not None),
    }
    with write_result(run) as result:
        save_dataset(made, result / "flight.nc")
        (result / "flight.json").write_text(
            json.dumps(told | as_dict(made), indent=1, allow_nan=False)
        )
