"""Lift tests: the next one chosen, and what one did."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
from msgspec import to_builtins

from core.data.assemble import assemble
from core.data.experiments.entry import Entry
from core.data.files.isolated import kept_table, load_table
from core.data.input_data import InputData
from core.errors import MMMError, SpecError
from core.estimate import Estimate
from core.experiments.design.edited import edited
from core.experiments.design.market import expected_effect
from core.experiments.design.precision import Precision, precisions
from core.experiments.design.ranking import WEAK, Design, Options, rank
from core.experiments.kept import KeptTest
from core.experiments.life import entry_of
from core.experiments.panel import Panel, panel_of, panel_of_table
from core.experiments.reading.checks import Check
from core.experiments.reading.geo_test import GeoTest
from core.experiments.reading.readout import Readout, read_out
from core.project.fits.runs import Run, latest_fit
from core.project.lift_tests.lift_tests import (
    change_lift_test,
    keep_lift_test,
    lift_test,
    lift_tests,
)
from core.project.lift_tests.tested_fits import (
    LiftTestEffect,
    market_of_run,
    what_tests_did,
)
from core.project.promises.keeping import attempt, keep_test
from core.project.settings.definition import Project
from core.project.settings.project import (
    data_file,
    load_project,
    project_sha256,
    save_project,
)
from core.service.experiments.board import standing
from core.service.records.lift_test import Listing
from core.store.fit_results import read_fit
from core.text import Units


@dataclass(frozen=True)
class Reading:
    """What a test did.

    Attributes:
        readout: Its lift, intervals and checks.
        panel: What it was read from: the KPI by geo and period.
        expected: What the model expects of it, in outcome units; None where there is
            no fit to ask.
    """

    readout: Readout
    panel: Panel
    expected: Estimate | None = None

    def as_dict(self) -> dict[str, Any]:
        """As `tests read --json` prints it."""
        return to_builtins(self.readout.record()) | {"model": self.expected}


@dataclass(frozen=True)
class Ranking:
    """Tests by what their answers are worth, the best first.

    Attributes:
        fit: The fit that says so.
        designs: The tests.
        options: What was looked for.
        unit: Of outcomes.
        note: What limits all of them; empty for nothing.
        assignment: How the chosen geos compare, where they were chosen.
        warnings: What is to be known about that choice.
    """

    fit: Run
    designs: tuple[Design, ...]
    options: Options
    unit: str
    note: str = ""
    assignment: dict[str, Any] | None = None
    warnings: tuple[str, ...] = ()

    def as_dict(self, most: int | None = None) -> dict[str, Any]:
        """As `tests design --json` prints it.

        Args:
            most: How many designs at most; None for all.
        """
        record = {
            "run": str(self.fit.folder),
            "unit": self.unit,
            "horizon_weeks": self.options.horizon,
            "designs": [each.as_dict() for each in self.designs[:most]],
            "note": self.note,
        }
        if self.assignment is not None:
            record["assignment"] = self.assignment | {"warnings": list(self.warnings)}
        return record


#: Said with designs that no fit has ranked.
WITHOUT_FIT = (
    "Without a fit nobody knows what a channel returns, so cost and value of a test "
    "are left out, and these are the same for every channel. Fit the data to rank "
    "tests by what they bring."
)


@dataclass(frozen=True)
class Precisions:
    """Where and how long a market could be tested before it has a fit.

    Attributes:
        designs: The most precise first.
        unit: Of outcomes.
        note: What limits all of them.
    """

    designs: tuple[Precision, ...]
    unit: str
    note: str

    def as_dict(self, most: int | None = None) -> dict[str, Any]:
        """As `tests design --json` prints it.

        Args:
            most: How many designs at most; None for all.
        """
        designs = [each.as_dict() for each in self.designs[:most]]
        return {"run": None, "unit": self.unit, "designs": designs, "note": self.note}


def listed(project: Path) -> Listing:
    """The tests of a project by state, and what is next.

    Args:
        project: Its folder.
    """
    panel = None
    if lift_tests(project):
        with contextlib.suppress(MMMError):  # said where the data are checked
            panel = panel_of_project(project)
    last = "" if panel is None else panel.last_day
    did, words = _did(project)
    by_test = {each.test_id: each for each in did if each.test_id}
    tests = [
        replace(each, did=by_test.get(each.test.test_id))
        for each in standing(project, last, panel)
    ]
    return Listing(tests, did, words)


def _did(folder: Path) -> tuple[list[LiftTestEffect], Units]:
    """What the tests of the last fit did, and its units.

    A fit that cannot be read says nothing: the commands about fits say why.
    """
    try:
        run = latest_fit(folder)
        if run is None:
            return [], Units()
        return what_tests_did(run), read_fit(run.folder).units
    except MMMError:
        return [], Units()


def read(source: Path, test: GeoTest, *, seed: int = 0) -> Reading:
    """What a test of geos did.

    Args:
        source: The folder of a project, or a table of the KPI by geo and period.
        test: Where and when it ran.
        seed: Of the placebos.

    Raises:
        SpecError: Its geos, dates or channels are not those of the data.
        MMMError: The data cannot be read by geo and period.
    """
    is_project = source.is_dir()
    panel = panel_of_project(source) if is_project else panel_of_file(source)
    readout = read_out(panel, test, seed=seed)
    expected = _expected(source, test, readout) if is_project else None
    return Reading(readout, panel, expected)


def keep(
    project: Path,
    reading: Reading,
    name: str,
    *,
    test_id: str | None = None,
    entry: Entry | None = None,
) -> None:
    """Keep what a test did in its project.

    Args:
        project: Its folder.
        reading: What the test did.
        name: Of the test, where it is a new one.
        test_id: Of a test that the project has; None for a new one.
        entry: Its result as the model was given it; None where it was not.

    Raises:
        WorkspaceError: The project cannot be written.
    """
    record = {"readout": reading.readout.record(), "in_model": entry is not None}
    if entry is not None:
        record["entry"] = entry
    if test_id is not None:
        change_lift_test(project, test_id, record)
        return
    test = reading.readout.test
    result = KeptTest(
        name=name,
        channels=tuple(test.channels),
        geos=tuple(test.treated),
        start=test.start,
        end=test.end,
        **record,
    )
    keep_lift_test(project, result)


def give_to_model(
    project: Path, reading: Reading, *, despite_warnings: bool = False
) -> Entry:
    """Add the result of a test to the experiments of a project's model.

    Args:
        project: Its folder.
        reading: What the test did.
        despite_warnings: Whether to take a result that its own checks warn of.

    Returns:
        The result as `[[experiment]]` has it.

    Raises:
        SpecError: The checks warn, the result is none that a model can use, or the
            model has one of this test.
        WorkspaceError: The project was changed meanwhile, or cannot be written.
    """
    entry = entry_for_model(reading.readout, despite_warnings=despite_warnings)
    base, settings = project_sha256(project), load_project(project)
    if entry.cells in [each.cells for each in settings.experiments]:
        raise SpecError(
            "The model already has a result of this test, and would count it twice.",
            hint="Delete that [[experiment]] in project.toml, or its row on "
            "Experiments, to give it this one.",
            where="to_model",
        )
    experiments = (*settings.experiments, entry)
    save_project(project, replace(settings, experiments=experiments), base_sha=base)
    return entry


def warnings_of(readout: Readout) -> tuple[Check, ...]:
    """Checks that warn: the model takes such a result only where somebody says so."""
    return tuple(check for check in readout.checks if check.status == "warning")


def entry_for_model(readout: Readout, *, despite_warnings: bool = False) -> Entry:
    """A result as `[[experiment]]` has it, unless its own checks warn of it.

    Args:
        readout: What the test did.
        despite_warnings: Whether to take one that its own checks warn of.

    Raises:
        SpecError: They warn, or the result is none that a model can use.
    """
    entry, warnings = entry_of(readout), warnings_of(readout)
    if warnings and not despite_warnings:
        reasons = " ".join(f"{check.name}: {check.message}" for check in warnings)
        raise SpecError(
            f"The result is not given to the model, because its checks warn. {reasons}",
            hint="Correct what they name, or use it despite the warnings: tick the "
            "box, or add --despite-warnings.",
            where="to_model",
        )
    return entry


def design(
    fit: Run,
    channels: Sequence[str] = (),
    options: Options | None = None,
    on_progress: Callable[[float], None] = lambda share: None,
) -> Ranking:
    """Tests by what they would bring to the plan, the best first.

    Args:
        fit: A finished fit.
        channels: To test; every paid one where none is named.
        options: What tests are looked for.
        on_progress: Told the share that is done.

    Raises:
        SpecError: There is no such channel, or no design is feasible.
    """
    options = options or Options()
    market = market_of_run(fit)
    designs = rank(market, channels, options, on_progress)
    note = WEAK if market.cells is None else ""
    ranking = Ranking(fit, tuple(designs), options, market.panel.unit, note)
    if not options.geos or market.cells is None:
        return ranking
    choice = edited(market, designs[0], options.geos, options)
    return replace(
        ranking,
        assignment=choice.assignment.as_dict(),
        warnings=tuple(choice.warnings),
    )


def precision(
    source: Path,
    channels: Sequence[str] = (),
    options: Options | None = None,
    on_progress: Callable[[float], None] = lambda share: None,
) -> Precisions:
    """How small a lift tests of a market would find, without a fit.

    Args:
        source: The folder of a project, or a table of the KPI by geo and period.
        channels: To test, which changes nothing but is checked.
        options: What tests are looked for.
        on_progress: Told the share that is done.

    Raises:
        SpecError: There is no such channel or geo, or no design is feasible.
        MMMError: The data cannot be read by geo and period.
    """
    panel = panel_of_project(source) if source.is_dir() else panel_of_file(source)
    panel.refuse_unspent(channels)
    designs = precisions(panel, options or Options(), on_progress)
    note = f"{WEAK} {WITHOUT_FIT}" if len(panel.geos) == 1 else WITHOUT_FIT
    return Precisions(designs, panel.unit, note)


def plan_test(project: Path, test: KeptTest) -> str:
    """Keep a test that is planned, and what the newest fit expects of it.

    Args:
        project: Its folder.
        test: Without identifier.

    Returns:
        Its identifier.

    Raises:
        WorkspaceError: The project cannot be written.
    """
    test_id = keep_lift_test(project, test)
    attempt(keep_test, project, msgspec.structs.replace(test, test_id=test_id))
    return test_id


def panel_of_file(path: Path) -> Panel:
    """The panel of a table.

    Raises:
        MMMError: It cannot be read by geo and period.
    """
    return panel_of_table(load_table(path, path.name), path.name)


def panel_of_project(folder: Path) -> Panel:
    """The panel of a project; one without media has no spend in it.

    Raises:
        MMMError: Its data cannot be read by geo and period.
    """
    project = load_project(folder)
    mapping = project.mapping
    if mapping.channels or mapping.geo is None:
        return panel_of(market_data(folder, project))
    roles = {"time": mapping.time, "geo": mapping.geo, "kpi": mapping.kpi}
    source = data_file(folder, project)
    return panel_of_table(
        kept_table(source),
        source.name,
        roles,
        dates=mapping.dates,
        decimal=dict(mapping.decimal),
    )


def market_data(folder: Path, project: Project) -> InputData:
    """The market of a project, or of a run's frozen inputs.

    Raises:
        DataError: Its table has errors.
    """
    return assemble(kept_table(data_file(folder, project)), project.mapping)


def _expected(folder: Path, test: GeoTest, readout: Readout) -> Estimate | None:
    """The model's own prediction of a test; None where there is no fit to ask."""
    run = latest_fit(folder)
    if run is None or not test.channels:
        return None
    market = market_of_run(run)
    return expected_effect(market, readout) if market.cells is not None else None
