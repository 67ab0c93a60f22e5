"""actuals: compare a saved plan with what happened, and why it differs."""

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core import PROGRAM
from core import text as fmt
from core.cli.answer import Answer, clean, table
from core.errors import WorkspaceError
from core.plan.record.plan_record import PlanRecord
from core.service.places import finished_fit
from core.workspace.disk.places import is_id, projects_folder
from core.workspace.plans import load_plan


def actuals_command(options: argparse.Namespace) -> Answer:
    """Split actual less planned outcome into spend, response and baseline."""
    from core.data.files.isolated import load_table
    from core.workspace.plan_actuals import variance

    project, plan = found_plan(options.plan)
    run = finished_fit(str(project / "runs" / plan.run_id))
    path = Path(options.file).expanduser()
    if not os.path.isfile(path):
        raise WorkspaceError(f"There is no file {path}.", where=str(path))
    difference = variance(run.folder, plan, load_table(path, path.name))
    return Answer(difference, actuals_text(difference))


def found_plan(name: str) -> tuple[Path, PlanRecord]:
    """The project and the plan that a path or an identifier stands for.

    Raises:
        WorkspaceError: There is none, or it is damaged.
    """
    path = Path(name).expanduser()
    if os.path.isfile(path) and path.suffix == ".json" and is_id(path.stem):
        folder = path.resolve().parent.parent
        return folder, load_plan(folder, path.stem)
    if is_id(name):
        files = list(projects_folder().glob(f"*/plans/{name}.json"))
        if len(files) == 1:
            folder = files[0].parent.parent
            return folder, load_plan(folder, name)
    raise WorkspaceError(
        f"There is no plan {name}.",
        hint="Give the path of a file in a project's folder plans, or a plan's id. "
        f"{PROGRAM} plan RUN --save NAME saves one.",
        where=name,
    )


def actuals_text(against: Mapping[str, Any]) -> str:
    """The difference for people."""
    from core.workspace.plan_actuals import MEANS

    units = fmt.units(against)

    def signed(part: Mapping[str, Any]) -> str:
        return units.estimate(part, bare=True, signed=True)

    parts = [(part["name"].capitalize(), signed(part)) for part in against["parts"]]
    rows = [
        (
            str(row["name"]),
            fmt.exact(row["planned_spend"], units.symbol, decimals=0),
            fmt.exact(row["actual_spend"], units.symbol, decimals=0),
            signed(row["spend"]),
            signed(row["response"]),
        )
        for row in against["channels"]
    ]
    below = fmt.probability(against["probability_below"])
    lines = [
        f"{against['name'] or 'Plan'}, {against['periods']} periods from "
        f"{against['start']} to {against['end']}; brackets are 90 % intervals",
        "",
        f"Planned: {units.estimate(against['planned'], bare=True)}",
        f"Expected at what was spent: {units.estimate(against['expected'], bare=True)}",
        f"Actual: {units.show(against['actual'])}; {below} of what the model thought "
        "possible lay below",
        "",
        table(
            ["Actual less planned", units.outcome_name],
            [*parts, ("Together", signed(against["difference"]))],
        ),
        "",
        table(
            ["Channel", "Planned spend", "Actual spend", "By spend", "By response"],
            rows,
        ),
        MEANS[against["plan_of"]],
        *[
            f"{row['name']} did not run a year earlier, so what its spend brought is "
            "in the baseline."
            for row in against["channels"]
            if not row["is_valued"]
        ],
    ]
    return clean("\n".join(lines))
