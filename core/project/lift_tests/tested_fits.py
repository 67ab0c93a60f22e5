"""Tested fits: what each lift test of a fit did, from its files and the fit before."""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from core.analysis.record.sections import LiftTestResult
from core.data.assemble import assemble
from core.data.experiments.entry import Entry
from core.data.files.isolated import kept_table
from core.data.input_data import InputData
from core.errors import MMMError
from core.estimate import Estimate, OptionalEstimate
from core.experiments.design.market import Market, market_of
from core.experiments.kept import KeptTest
from core.experiments.movement import PlanMoved, believed, plan_moved
from core.experiments.panel import panel_of
from core.project.fits.runs import Run, list_runs
from core.project.lift_tests.lift_tests import lift_tests
from core.project.settings.project import data_file, load_project
from core.store.fit_results import read_fit
from core.store.results import has_result, open_dataset, result_files
from core.text import date


class LiftTestEffect(Struct, frozen=True, kw_only=True):
    """What a test that a fit has seen did to the model and to the plan.

    Attributes:
        test_id: Of the kept test; None where none is kept.
        name: Its name.
        channel: Tested.
        start: First day.
        end: Last day.
        geos: Treated; empty for everywhere.
        result: The test's.
        without: What this fit says without it, from its draws; None where unknown.
        now: What it says with it.
        agrees: Whether both agree.
        standard_errors_apart: How far they are apart; None where unknown.
        expected: The value that its design promised; None where unknown.
        fit_before: Number of the last fit without the test; None without one.
        before: What that fit says of it; None where unknown.
        plan: How the plan moved since; None where unknown.
    """

    test_id: str | None
    name: str
    channel: str
    start: str
    end: str
    geos: tuple[str, ...]
    result: OptionalEstimate
    without: OptionalEstimate | None
    now: OptionalEstimate
    agrees: bool
    standard_errors_apart: float | None
    expected: float | None
    fit_before: int | None = None
    before: Estimate | None = None
    plan: PlanMoved | None = None


def data_of_run(run: Run) -> InputData:
    """The data that a fit saw.

    Raises:
        DataError: Its table has errors.
    """
    project = load_project(run.folder)
    return assemble(kept_table(data_file(run.folder, project)), project.mapping)


def market_of_run(run: Run) -> Market:
    """What a finished fit says about tests.

    Raises:
        MMMError: Its files are damaged.
    """
    has_geos = "geo_curves.nc" in result_files(run.folder)
    return market_of(
        panel_of(data_of_run(run)),
        open_dataset(run.folder, "curves"),
        open_dataset(run.folder, "geo_curves") if has_geos else None,
        open_dataset(run.folder, "shapes"),
    )


def what_tests_did(run: Run) -> list[LiftTestEffect]:
    """What each test that a fit has seen did to the model and to the plan.

    Args:
        run: A finished fit.

    Returns:
        One per test, in the order of the fit's summary.

    Raises:
        WorkspaceError: The fit has no result, or it is damaged.
    """
    tests = list(read_fit(run.folder).experiments)
    if not tests:
        return []
    folder = run.folder.parents[1]
    own_tests = lift_tests(folder)
    markets: dict[str, Market | None] = {}

    def market(of: Run) -> Market | None:
        if of.run_id not in markets:
            try:
                markets[of.run_id] = market_of_run(of)
            except MMMError:  # an older fit that can no longer be read
                markets[of.run_id] = None
        return markets[of.run_id]

    earlier = _earlier(run)
    effects = []
    for test in tests:
        before = next(
            (fit for fit, entries in earlier if not _is_among(test.entry, entries)),
            None,
        )
        effect = _effect(test, own_tests)
        if before is not None:
            effect = replace(effect, fit_before=before.number)
            was, now = market(before), market(run)
            if was is not None and now is not None:
                effect = replace(
                    effect,
                    before=believed(was, test.entry, now.panel),
                    plan=plan_moved(was, now),
                )
        effects.append(effect)
    return effects


def _earlier(run: Run) -> list[tuple[Run, list[Entry]]]:
    """Finished fits before one, the last first, with the tests that they have seen."""
    earlier = []
    for fit in list_runs(run.folder.parents[1], "fit"):
        is_before = (fit.number, fit.created) < (run.number, run.created)
        if not is_before or fit.run_id == run.run_id or not has_result(fit.folder):
            continue
        try:
            entries = [test.entry for test in read_fit(fit.folder).experiments]
        except MMMError:
            continue  # which tests it has seen is not known
        earlier.append((fit, entries))
    return earlier


def _is_among(test: Entry, tests: Iterable[Entry]) -> bool:
    return any(each.cells == test.cells for each in tests)


def _effect(test: LiftTestResult, tests: list[KeptTest]) -> LiftTestEffect:
    """A test by name, what it said, and what its design promised."""
    own = next(
        (
            lift_test
            for lift_test in tests
            if lift_test.entry and _is_among(test.entry, [lift_test.entry])
        ),
        None,
    )
    name = f"{' and '.join(test.channels)}, {date(test.start)}"
    design = None if own is None else own.design
    return LiftTestEffect(
        test_id=None if own is None else own.test_id,
        name=name if own is None else own.name or name,
        channel=test.channel,
        start=test.start,
        end=test.end,
        geos=test.geos,
        result=test.test,
        without=test.without,
        now=test.posterior,
        agrees=test.agrees,
        standard_errors_apart=test.standard_errors_apart,
        expected=None if design is None else design.value,
    )
