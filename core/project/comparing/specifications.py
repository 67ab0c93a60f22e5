"""Specifications side by side: fit, forecast, convergence and ROI of several runs."""

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from core.analysis.checking.elpd import expected_sum
from core.analysis.record.sections import LeaveOneOut
from core.errors import MMMError, WorkspaceError
from core.project.comparing.backtests import backtest_of
from core.project.comparing.records import (
    Backtested,
    Checked,
    Convergence,
    Elpd,
    Score,
    Specification,
    Specifications,
)
from core.project.fits.run_differences import has_same_data, options_that_differ
from core.project.fits.runs import Run
from core.project.settings.project import load_project
from core.store.fit_results import read_fit
from core.store.results import open_dataset, result_files
from core.text.languages.language import marked
from core.text.verdicts import specification

#: What the score is, and is not; shown beside it.
NOTE = marked(
    "elpd (PSIS-LOO) says how well a model fills in a period between its neighbours, "
    "not how well it forecasts; the backtest says that. Higher is better; differences "
    "below 4, or below two standard errors, do not count."
)


def compare_specifications(runs: Sequence[Run]) -> Specifications:
    """Two or more finished fits in one table.

    Args:
        runs: Fits, of the same data where their scores are to be compared.

    Raises:
        WorkspaceError: Fewer than two runs, or a result is damaged.
    """
    if len(runs) < 2:
        raise WorkspaceError("One fit cannot be compared.", hint="Name two or more.")
    records = [read_fit(run.folder) for run in runs]
    scores, remarks = _scores(runs)
    try:
        options = options_that_differ(runs)
    except MMMError:
        options = [{} for _ in runs]
    fits = []
    for place, (run, fit) in enumerate(zip(runs, records, strict=True)):
        check = fit.model_check
        score, difference = scores[place]
        fits.append(
            Specification(
                name=(chr(ord("A") + place) if place < 26 else str(place + 1)),
                run=str(run.folder),
                run_id=run.run_id,
                options=options[place],
                is_structural=_is_structural(run),
                convergence=Convergence(fit.verdict, fit.diagnostics.rhat_max),
                loo=score and _of_score(fit.loo, score),
                difference=difference,
                check=Checked(check.status, check.missed) if check else Checked(),
                backtest=_backtest(run),
                roi={
                    channel.name: channel.roi
                    for channel in fit.channels
                    if channel.has_roi
                },
            )
        )
    remarks += _about_tests(fits)
    return Specifications(
        rows=tuple(judged(row, fits) for row in fits),
        note=NOTE,
        remarks=tuple(remarks),
        **records[0].unit_names,
    )


def _is_structural(run: Run) -> bool | None:
    try:
        return load_project(run.folder).spec.is_structural
    except MMMError:
        return None


def _of_score(loo: LeaveOneOut | None, score: Score) -> Score:
    keys = ("p_loo", "n_bad_k", "n_smoothed", "k_max", "k_limit", "warnings")
    return replace(score, **{key: getattr(loo, key, None) for key in keys})


def _scores(
    runs: Sequence[Run],
) -> tuple[list[tuple[Score | None, Elpd | None]], list[str]]:
    """Score of each run on the cells that all of them saw, and difference to the best.

    Runs of other data, or made before scores were kept, have none; a score that is the
    only one has no difference.
    """
    none = None, None
    with_scores = [run for run in runs if "loo.nc" in result_files(run.folder)]
    remarks = []
    if len(with_scores) < len(runs):
        remarks.append(
            f"{len(runs) - len(with_scores)} of {len(runs)} fits were made before "
            "scores were kept; fit again to compare them."
        )
    same = [run for run in with_scores if has_same_data(with_scores[0], run)]
    if len(same) < len(with_scores):
        remarks.append("Scores are of the first fit's data; other data have none.")
    if len(same) < 2:
        same = with_scores[:1]
    tables = {run.run_id: _tables(run) for run in same}
    if not tables:
        return [none for _ in runs], remarks
    full = np.stack([table[0] for table in tables.values()])
    out = np.stack([table[1] for table in tables.values()])
    common = ~np.isnan(full).any(axis=0)
    if not (~np.isnan(full) == common).all():
        remarks.append("Fits hold out different cells; scores are of those all saw.")
    full, out = np.where(common, full, np.nan), np.where(common, out, np.nan)
    sums = [expected_sum(*pair) for pair in zip(full, out, strict=True)]
    best = int(np.argmax([total for total, _ in sums]))
    by_run = {}
    for place, run_id in enumerate(tables):
        apart = expected_sum(full[place] - full[best], out[place] - out[best])
        total, error = sums[place]
        score = Score(total, _known(error), n=int(common.sum()))
        to_best = Elpd(apart[0], _known(apart[1])) if place != best else Elpd(0.0, 0.0)
        by_run[run_id] = score, to_best if len(tables) > 1 else None
    return [by_run.get(run.run_id, none) for run in runs], remarks


def _tables(run: Run) -> tuple[np.ndarray, np.ndarray]:
    cells = open_dataset(run.folder, "loo")
    return cells["lpd"].to_numpy(), cells["loo"].to_numpy()


def _known(error: float) -> float | None:
    return error if np.isfinite(error) else None


def _backtest(run: Run) -> Backtested | None:
    """Scores of the newest backtest of the same specification and data."""
    backtest = backtest_of(run.folder.parent.parent, run)
    if backtest is None:
        return None
    return Backtested(
        wmape=backtest.model.wmape,
        coverage_90=backtest.model.coverage_90,
        skill=backtest.skill,
        horizon=backtest.horizon,
        origins=tuple(fold.origin for fold in backtest.folds),
        created=backtest.created,
    )


def _about_tests(fits: Sequence[Specification]) -> list[str]:
    """What makes backtests no fair comparison."""
    tested = [row.backtest for row in fits if row.backtest]
    windows = {(backtest.horizon, backtest.origins) for backtest in tested}
    if len(windows) > 1:
        return ["Backtests have different test windows; their errors differ by that."]
    return []


#: Differences of elpd that mean nothing: below so much, or so many standard errors
#: (Sivula, Magnusson and Vehtari 2020).
LEAST_DIFFERENCE, STANDARD_ERRORS = 4.0, 2.0
#: Share of cells with a heavy tail from which a score is not to be trusted.
MANY_BAD = 0.1
#: Errors of forecasts that are no more than this times the least are as good.
AS_GOOD = 1.1


def judged(row: Specification, fits: Sequence[Specification]) -> Specification:
    """One specification among others, with its judgement.

    Args:
        row: One of them.
        fits: All of them.
    """
    fit, ahead = fit_of(row), forecast_of(row, fits)
    text = specification(
        fit,
        ahead,
        verdict=row.convergence.verdict,
        is_structural=row.is_structural,
        skill=None if row.backtest is None else row.backtest.against_naive,
    )
    return replace(row, fit=fit, forecast=ahead, verdict=text)


def fit_of(row: Specification) -> str:
    """How it fits: by its score, which many heavy tails make doubtful."""
    loo, apart = row.loo, row.difference
    if not loo:
        return "unknown"
    if (loo.n_bad_k or 0) > MANY_BAD * (loo.n_smoothed or 1):
        return "doubtful"
    if not apart:
        return "alone"
    size = abs(apart.elpd)
    if size == 0:
        return "best"
    small = max(LEAST_DIFFERENCE, STANDARD_ERRORS * (apart.se or 0.0))
    return "same" if size < small else "worse"


def forecast_of(row: Specification, fits: Sequence[Specification]) -> str:
    """How it forecasts: against last year's values, and against the others."""
    backtest = row.backtest
    if row.is_structural is False:
        return "cannot"
    if not backtest:
        return "untested"
    skill = backtest.against_naive
    if skill is not None and skill < 0:
        return "cannot"
    able = [
        other.backtest.wmape
        for other in fits
        if other.backtest and other.is_structural is not False
    ]
    if backtest.wmape <= min(able):
        return "best"
    return "same" if backtest.wmape <= AS_GOOD * min(able) else "worse"
