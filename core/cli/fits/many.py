"""fit-many: many projects at once, one line for each as it ends."""

import argparse
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from core import text as fmt
from core.cli.answer import NOT_SAMPLED, Answer, clean, table, tell
from core.cli.fits.fit import sampler_settings
from core.cli.progress import Progress, stopping_all
from core.errors import MMMError
from core.service import fits
from core.service.places import finished_fit, project_folder
from core.service.records.fit import SamplerSettings
from core.service.runs import (
    RunStatus,
    default_executor,
    interrupt_of,
    new_run,
    status,
    submit_all,
)
from core.service.suggestions import together
from core.view.suggestions import prior_words

_LOOK = 0.3  # seconds between two looks at the runs
_AT_ONCE = 8  # runs made before they are submitted, in one go


@dataclass(frozen=True)
class Ended:
    """How one project's fit has ended.

    Attributes:
        project: The project as it was named.
        state: Final state of its run; `failed` if there is none.
        run: The run's directory; None if the project could not be fitted at all.
        verdict: Of the fit, where there is one.
        seconds: That the fit took.
        message: What went wrong, and what to do.
    """

    project: str
    state: str
    run: str | None = None
    verdict: str | None = None
    seconds: float | None = None
    message: str = ""

    @property
    def line(self) -> str:
        """It in one line."""
        took = "" if self.seconds is None else f"{self.seconds:.0f} s"
        parts = [self.state, self.verdict or "", took, self.message]
        return f"{self.project}: {', '.join(part for part in parts if part)}"


def fit_many(options: argparse.Namespace) -> Answer:
    """Fit every project given, as many at once as there is room for."""
    where = options.executor or default_executor()
    settings = sampler_settings(options)
    SamplerSettings(**settings)  # what no run can have is refused once, before any
    ended: dict[str, Ended] = {}
    runs: dict[str, Path] = {}
    names = list(dict.fromkeys(options.projects))
    for at in range(0, len(names), _AT_ONCE):
        some = {}
        for name in names[at : at + _AT_ONCE]:
            try:
                some[name] = new_run(project_folder(name), "fit", sampler=settings)
            except MMMError as error:
                _tell(ended, Ended(name, "failed", message=str(error)))
        refused = submit_all(list(some.values()), executor=where)
        for name, run in some.items():
            if run in refused:
                message = str(refused[run])
                _tell(ended, Ended(name, "failed", str(run), message=message))
            else:
                runs[name] = run
    interrupt_of(list(runs.values()), partial(_wait, runs, ended), stopping_all)
    outcomes = [ended[name] for name in names]
    n_failed = sum(row.state != "done" for row in outcomes)
    data = {
        "executor": where,
        "n_failed": n_failed,
        "projects": [vars(r) for r in outcomes],
    }
    text = _fits_text(outcomes)
    if options.together:
        finished = [row.run for row in outcomes if row.state == "done" and row.run]
        joint = _together(finished)
        data["together"] = [prior_words.joint_as_dict(each) for each in joint]
        text += f"\n\n{prior_words.together(joint)}"
    return Answer(data, clean(text), NOT_SAMPLED if n_failed else 0)


def _together(runs: list[str]):
    """The fits as one, a `Joint` each; none where there is only one."""
    fits = [finished_fit(run) for run in runs]
    return together.together(fits, Progress()) if len(fits) > 1 else ()


def _wait(runs: Mapping[str, Path], ended: dict[str, Ended]) -> None:
    """Until every run has ended; tells each as it does."""
    while waiting := [name for name in runs if name not in ended]:
        for name in waiting:
            now = status(runs[name])
            if not now.is_live:
                _tell(ended, _ended(name, runs[name], now))
        time.sleep(_LOOK)


def _ended(name: str, run: Path, now: RunStatus) -> Ended:
    if now.state != "done":
        message = f"{now.message} {now.hint}".strip()
        return Ended(name, now.state, str(run), message=message)
    try:
        report = fits.read_report(run)
    except MMMError as error:
        return Ended(name, "failed", str(run), message=str(error))
    verdict = "" if report.diagnostics is None else report.diagnostics.verdict
    return Ended(name, "done", str(run), verdict, report.total_seconds)


def _tell(ended: dict[str, Ended], outcome: Ended) -> None:
    ended[outcome.project] = outcome
    tell(outcome.line)


def _fits_text(outcomes: list[Ended]) -> str:
    """The answer for people."""
    rows: list[list[Any]] = [
        [
            row.project,
            row.state,
            row.verdict or fmt.NONE,
            fmt.NONE if row.seconds is None else f"{row.seconds:.0f}",
            Path(row.run).name if row.run else fmt.NONE,
        ]
        for row in outcomes
    ]
    n_done = sum(row.state == "done" for row in outcomes)
    titles = ("Project", "State", "Verdict", "Seconds", "Run")
    return f"{table(titles, rows, texts=3)}\n{n_done} of {len(outcomes)} fitted."
