"""backtest: how well the model would have forecast, against simple references."""

import argparse
import os
import time
from functools import partial
from pathlib import Path

from msgspec import to_builtins

from core import text as fmt
from core.cli.answer import Answer, as_json, clean, table, tell
from core.cli.progress import stopping_all
from core.errors import SamplingError, SpecError, WorkspaceError
from core.service.places import project_folder, typed_path
from core.service.projects.comparisons import (
    list_backtests,
    new_backtest,
    read_backtest,
)
from core.service.records.backtest import BacktestRecord, Stability
from core.service.runs import interrupt_of, status, submit_all
from core.text import scores

_LOOK = 0.3  # seconds between two looks at the parts
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
    out = None if options.out is None else typed_path(options.out)
    if out is not None and not os.path.isdir(out.absolute().parent):
        raise WorkspaceError(f"There is no folder {out.absolute().parent}.")
    study = backtested(options)
    printed = {"project": str(project_folder(options.project))} | to_builtins(study)
    remarks = ()
    if out is not None:
        from core.service.reports import write_files

        write_files({out: as_json(printed)})
        remarks = (f"Written to {out}.",)
    return Answer(printed, backtest_text(study), remarks=remarks)


def backtested(options: argparse.Namespace) -> BacktestRecord:
    """The backtest: its parts in the queue, and what they found.

    Raises:
        SamplingError: It was stopped, or no part of it could be fitted.
        MMMError: The project cannot be backtested.
    """
    folder = project_folder(options.project)
    runs = new_backtest(
        folder,
        folds=options.folds,
        horizon=options.horizon,
        with_knots=not options.no_knots,
        refresh=options.refresh,
        sampler={
            "chains": options.chains,
            "warmup": max(200, options.draws),
            "draws": options.draws,
            "seed": options.seed,
        },
    )
    refused = submit_all(runs)
    waiting = [run for run in runs if run not in refused]
    tell(f"{fmt.count(len(waiting), 'fit')}, as many at once as there is room for.")
    if interrupt := interrupt_of(waiting, partial(_wait, waiting), stopping_all):
        raise SamplingError("The backtest was stopped.") from interrupt
    first = runs[0].name
    backtest = next(
        backtest
        for backtest in list_backtests(folder)
        if first in [run.run_id for run in backtest.runs]
    )
    result = read_backtest(backtest)
    if not result.folds:
        why = result.skipped[0].why if result.skipped else ""
        raise SamplingError("No part of the backtest could be fitted.", hint=why)
    return result


def _wait(runs: list[Path]) -> None:
    """Until every part has ended; tells each as it does."""
    ended: set[Path] = set()
    while len(ended) < len(runs):
        for run in runs:
            now = status(run)
            if run in ended or now.is_live:
                continue
            ended.add(run)
            tell(f"{len(ended)} of {len(runs)}: {now.state} {now.message}".rstrip())
        time.sleep(_LOOK)


def backtest_text(study: BacktestRecord) -> str:
    """The backtest for people."""
    rows = [
        (
            _TITLES[name],
            fmt.percent(found.wmape),
            fmt.percent(found.bias, signed=True),
            _share(found.coverage_50),
            _share(found.coverage_90),
        )
        for name, found in study.scores.items()
    ]
    titles = ["Forecast", "wMAPE", "Bias", "In 50 %", "In 90 %"]
    lines = [
        f"{fmt.count(len(study.folds), 'forecast')} of "
        f"{fmt.count(study.horizon, 'period')}, each refitted "
        "to the periods before it",
        "",
        table(titles, rows),
        "",
        *(_skill(name, value) for name, value in study.skill.items()),
        *(f"Left out {origin.origin}: {origin.why}" for origin in study.skipped),
    ]
    if not study.is_structural:
        lines.append(
            "A baseline of knots cannot forecast, so its last knot was held constant."
        )
    if study.refresh is not None:
        lines += ["", *_refresh(study.refresh)]
    return clean("\n".join(lines))


def _skill(name: str, value: float | None) -> str:
    if value is None:
        return f"{_TITLES[name]} made no error to compare with."
    return f"Error against {_TITLES[name].lower()}: {scores.skill(value)}"


def _refresh(refresh: Stability) -> list[str]:
    """ROI and share of the best split with the last periods dropped."""
    drops = [str(n) for n in refresh.drops]
    heads = [n if n != "0" else "none" for n in drops]
    lines = []
    for by_drop, moved, title in (
        ("roi", "moved", "ROI without the last"),
        ("share", "share_moved", "Share of the best split"),
    ):
        rows = [
            (
                row.name,
                *(scores.refitted(getattr(row, by_drop).get(n)) for n in drops),
                _sds(getattr(row, moved)),
            )
            for row in refresh.channels
            if getattr(row, by_drop)
        ]
        if rows:
            lines += [table([title, *heads, "Moved by"], rows), ""]
    return lines[:-1]


def _sds(moved: float | None) -> str:
    return fmt.NONE if moved is None else f"{moved:.1f} sd"


def _share(value: float | None) -> str:
    return fmt.NONE if value is None else fmt.share(value)
