"""backtest: how well the model would have forecast, against simple references."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.charts import format as fmt
from core.cli.answer import Answer, as_json, clean, table, tell
from core.cli.forecast import use_jax
from core.cli.places import project_folder
from core.errors import SpecError, WorkspaceError

_TITLES = {
    "model": "This model",
    "seasonal_naive": "Seasonal naive",
    "knots": "Knots, last one held",
}


def backtest_command(options: argparse.Namespace) -> Answer:
    """Backtest a project's model."""
    for name, least in (("folds", 1), ("horizon", 1), ("chains", 1), ("draws", 50)):
        if getattr(options, name) < least:
            raise SpecError(f"--{name} must be {least} or more.", where=name)
    out = None if options.out is None else Path(options.out).expanduser()
    if out is not None and not out.resolve().parent.is_dir():
        raise WorkspaceError(f"There is no folder {out.resolve().parent}.")
    told = backtested(options)
    remarks = ()
    if out is not None:
        from core.workspace.atomic import write_bytes

        write_bytes(out, as_json(told).encode())
        remarks = (f"Written to {out}.",)
    return Answer(told, backtest_text(told), remarks=remarks)


def backtested(options: argparse.Namespace) -> dict[str, Any]:
    """The backtest as --json prints it."""
    use_jax(precision="float32")
    from dataclasses import replace

    from core.analysis.backtest import Case, backtest
    from core.analysis.refresh import refresh
    from core.data.parquet import read_table
    from core.fit.settings import SamplerSettings
    from core.workspace.project import data_file, load_project

    folder = project_folder(options.project)
    project = load_project(folder)
    case = Case(
        read_table(data_file(folder, project)),
        project.mapping,
        replace(project.spec, experiments=project.lift_tests()),
        SamplerSettings(
            chains=options.chains,
            warmup=max(200, options.draws),
            draws=options.draws,
            seed=options.seed,
            precision="float32",
        ),
    )
    told = {"project": str(folder)} | backtest(
        case,
        folds=options.folds,
        horizon=options.horizon,
        with_knots=not options.no_knots,
        told=tell,
    )
    return told | {"refresh": refresh(case, told=tell) if options.refresh else None}


def backtest_text(told: Mapping[str, Any]) -> str:
    """The backtest for people."""
    rows = [
        (
            _TITLES[name],
            _percent(given["wmape"]),
            _percent(given["bias"], signed=True),
            _share(given["coverage_50"]),
            _share(given["coverage_90"]),
        )
        for name, given in told["scores"].items()
    ]
    titles = ["Forecast", "wMAPE", "Bias", "In 50 %", "In 90 %"]
    lines = [
        f"{len(told['folds'])} forecasts of {told['horizon']} periods, each refitted "
        "to the periods before it",
        "",
        table(titles, rows),
        "",
        *(_skill(name, value) for name, value in told["skill"].items()),
        *(f"Left out {one['origin']}: {one['why']}" for one in told["skipped"]),
    ]
    if not told["is_structural"]:
        lines.append("A baseline of knots does not forecast: its last knot was held.")
    if told.get("refresh"):
        lines += ["", *_refresh(told["refresh"])]
    return clean("\n".join(lines))


def _skill(name: str, value: float | None) -> str:
    if value is None:
        return f"{_TITLES[name]} made no error to compare with."
    word = "better" if value >= 0 else "worse"
    return (
        f"Skill against {_TITLES[name].lower()}: {value:+.2f} "
        f"({abs(value):.0%} {word})".replace("%", "\u00a0%")
    )


def _refresh(told: Mapping[str, Any]) -> list[str]:
    """ROI with the last periods dropped."""
    drops = [str(n) for n in told["drops"]]
    rows = [
        (
            row["name"],
            *(
                fmt.estimate(row["roi"][n], "ratio") if n in row["roi"] else fmt.NONE
                for n in drops
            ),
            f"{row['moved']:.1f} sd",
        )
        for row in told["channels"]
    ]
    titles = ["ROI without the last", *(n if n != "0" else "none" for n in drops)]
    return [table([*titles, "Moved by"], rows)]


def _share(value: float | None) -> str:
    return fmt.NONE if value is None else fmt.share(value)


def _percent(value: float, *, signed: bool = False) -> str:
    return f"{100 * value:{'+' if signed else ''}.1f}\u00a0%"
