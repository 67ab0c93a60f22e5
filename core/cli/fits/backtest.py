"""backtest: how well the model would have forecast, against simple references."""

import argparse
import time
from functools import partial
from pathlib import Path

from msgspec import to_builtins

from core import text as fmt
from core.cli.answer import Answer, as_json, clean, table, tell
from core.cli.progress import stopping_all
from core.errors import SamplingError, SpecError
from core.service.places import project_folder, typed_out
from core.service.projects.comparisons import (
    list_backtests,
    new_backtest,
    read_backtest,
)
from core.service.records.backtest import BacktestRecord
from core.service.runs import interrupt_of, status, submit_all
from core.text import scores
from core.view.sections import evaluation

_LOOK = 0.3  # seconds between two looks at the parts
_FORECASTS = {
    "model": "This model",
    "seasonal_naive": "Last year's values",
    "knots": "Meridian's baseline",
}
_HEADS = ("Forecast", "wMAPE", "Bias", "In 50 %", "In 90 %")


def backtest_command(options: argparse.Namespace) -> Answer:
    """Backtest a project's model."""
    for name, least in (("folds", 1), ("horizon", 1), ("chains", 1), ("draws", 50)):
        if getattr(options, name) < least:
            raise SpecError(f"--{name} must be {least} or more.", where=name)
    out = None if options.out is None else typed_out(options.out)
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
            _FORECASTS[name],
            fmt.percent(score.wmape),
            f"{'+' if score.bias > 0 else ''}{fmt.percent(score.bias)}",
            fmt.share(score.coverage_50),
            fmt.share(score.coverage_90),
        )
        for name, score in study.scores.items()
    ]
    lines = [
        f"{fmt.count(len(study.folds), 'forecast')} of "
        f"{fmt.count(study.horizon, 'period')}, each refitted "
        "to the periods before it",
        "",
        table(_HEADS, rows),
        "",
        *(
            f"{each.label}: {each.value}"
            for each in evaluation.backtest_of(study)[1:-1]
            if each.value != fmt.NONE
        ),
        "",
        *evaluation.left_out(study),
    ]
    if not study.is_structural:
        lines.append(scores.HELD_KNOT)
    if study.refresh is not None:
        for part in evaluation.refits_of(study.refresh, "periods"):
            lines += ["", part.title, table(part.heads, part.rows, texts=part.texts)]
    return clean("\n".join(lines))
