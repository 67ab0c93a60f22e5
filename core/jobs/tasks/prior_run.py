"""The work of a prior predictive check. Runs in the worker."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from core.analysis.learning.prior_predictive import prior_predictive
from core.jobs.tasks.frozen import attributes, load_model
from core.store.results import write_record, write_result


def execute(
    run: Path,
    report: Callable[[dict[str, Any]], None],
    should_stop: Callable[[], bool],
) -> None:
    """Draw from the priors and write what they imply.

    Args:
        run: The run's directory.
        report: Takes progress as progress.json shows it.
        should_stop: Not asked: the check takes seconds.
    """
    del should_stop
    report({"phase": "preparing", "fraction": 0.1})
    project, model = load_model(run)
    report({"phase": "compiling", "fraction": 0.3})
    implied = prior_predictive(model, project.sampler.seed)
    about = attributes(project, model)
    units = {key: about[key] for key in ("currency", "kpi_name", "has_value")}
    implied = replace(implied, **units)
    with write_result(run) as result:
        write_record(result / "prior.json", implied)
