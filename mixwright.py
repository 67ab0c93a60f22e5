"""Mixwright in Python: from a table to a plan, in a notebook or a script.

    import mixwright as mw

    table = mw.read("sales.csv")                # findings, and the roles of columns
    project = mw.project("Sales", table)        # a folder; the app shows it too
    result = mw.fit(project, draws=1000)        # in a separate process
    result.table()                              # ROI, contribution, ... with intervals
    plan = mw.plan(result, budget=12e6)         # the best split, its odds, its advice
    mw.report(result, "report.html", plan=plan)

The app, the command line and this module work on the same project folders. Tables come
out as pandas, draws as xarray; what goes in are plain values and frozen records. Every
error is an `mw.MMMError` whose message names the culprit and the remedy.

Install the wheel (README) into a separate environment. It brings one package, which
loads `core` from within itself; in a clone this module loads the `core` beside it.
"""

import sys
import warnings
from collections.abc import Mapping, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

_CORE = Path(__file__).resolve().parent / "core"


def _load_core() -> None:
    """Make `core` importable, and nothing else of the clone.

    A clone on the path would bring `pages`, `tests` and `tools` with it; an installed
    package called core could hide somebody else's.

    Raises:
        ImportError: There is no core beside this file, or another core is loaded.
    """
    loaded = sys.modules.get("core")
    if loaded is not None:
        if Path(str(loaded.__file__)).resolve().parent != _CORE:
            raise ImportError(
                f"Another package called core is loaded, from {loaded.__file__}. "
                "Import mixwright in its own environment."
            )
        return
    if not (_CORE / "__init__.py").is_file():
        raise ImportError(
            f"{__file__} has no core beside it. Install the wheel: "
            "make wheel, then pip install out/wheel/mixwright-*.whl"
        )
    found = spec_from_file_location(
        "core", _CORE / "__init__.py", submodule_search_locations=[str(_CORE)]
    )
    sys.modules["core"] = module_from_spec(found)
    found.loader.exec_module(sys.modules["core"])


_load_core()

from core.errors import MMMError, WorkspaceError  # noqa: E402
from core.notebook.records import (  # noqa: E402
    Comparison,
    Forecast,
    Project,
    Refreshed,
    Result,
    Table,
)
from core.service.ask import Bound, PlanAsk  # noqa: E402

if TYPE_CHECKING:
    import pandas as pd

    from core.service.experiments.lift_tests import Precisions, Ranking, Reading
    from core.service.records.plan import PlanRecord

__all__ = [
    "Bound",
    "actuals",
    "compare",
    "design_tests",
    "MMMError",
    "fit",
    "forecast",
    "plan",
    "portfolio",
    "project",
    "promises",
    "read",
    "read_test",
    "refresh",
    "report",
    "result",
    "suggest_priors",
]


def read(*files: str | Path, sheets: tuple[str, ...] = (), **answers: Any) -> Table:
    """Read a table, or several files of one market.

    Args:
        files: CSV, Excel or Parquet files, or zip archives of them.
        sheets: Which sheets of workbooks, or files in archives, to read.
        answers: What Mixwright should not guess: `kpi`, `dates`, `decimal`, ...; see
            `core.data.layout.stated.StatedColumns`, whose roles of columns are those of
            the table's `mapping` here.

    Returns:
        The table, a row per period and geo, with the role of each column.

    Raises:
        DataError: A file is not a table, or no column is a date or a KPI.
        WorkspaceError: There is no such file, or none was named.
    """
    from core.notebook.arguments import checked
    from core.service.records.columns import FIELDS, StatedColumns
    from core.service.records.data import mapping_of_table, read_files
    from core.service.tables import opened

    names = [each.name for each in FIELDS if each.part not in ("files", "roles")]
    stated = checked(StatedColumns, answers, "read", names)
    if not files:
        raise WorkspaceError(
            "There is no file to read.", hint="Name one or more.", where="files"
        )
    table = read_files(opened(files, sheets), stated)
    mapping = mapping_of_table(table)
    return Table(table.frame, mapping, table.layout, table.findings)


def project(where: str | Path, table: Table | None = None, **options: Any) -> Project:
    """Open a project, or create one from a table.

    If a project with this table already exists, it is opened as it is.

    Args:
        where: A folder, or the name of a project of the app (in MIXWRIGHT_HOME).
        table: The table of a new project; None opens an existing one.
        options: `currency` ("EUR"; guessed unless set), `spec` (a `ModelSpec`),
            `sampler` (`SamplerSettings`) and other settings of a new project.

    Returns:
        The project: its folder, settings, data, findings and fits.

    Raises:
        WorkspaceError: There is no such project, or it has another table.
        SchemaError: The table has no media.
    """
    from core.service.places import project_folder

    _open_workspace()
    if table is None:
        return Project(project_folder(str(where)))
    from core.notebook.creation import created

    return Project(created(where, table, **options))


def _open_workspace() -> None:
    """Open the workspace, whichever version wrote it.

    Raises:
        WorkspaceError: A newer version did.
    """
    from core.service.projects.version import opened

    if done := opened():
        warnings.warn(done, stacklevel=3)


def fit(project: Project, *, here: bool = False, **settings: Any) -> Result:
    """Fit a project's model and wait for the result.

    Args:
        project: What to fit.
        here: In this process rather than in a separate one. That loads JAX into this
            process, where it stays and keeps its memory.
        settings: Settings of the sampler that differ from the project's: `chains`,
            `warmup`, `draws`, `seed`, `precision`, `device`, `target_accept`,
            `max_tree_depth`.

    Progress goes to standard error. Interrupting stops the fit after its current block
    of draws; `core fit PROJECT --resume RUN` continues it.

    Returns:
        The result: `table()`, `posterior`, `curves()`, `verdict` and more.

    Raises:
        DataError: The data cannot be modelled.
        SpecError: Options, priors or settings do not fit the data.
        SamplingError: Sampling failed or was stopped.
    """
    if here:
        from core.service.fitting.in_process import fit_here

        return Result(fit_here(project.folder, settings))
    from core.notebook.progress import Lines
    from core.service import fits, runs

    if hasattr(sys, "ps1"):  # somebody types, and will fit again
        runs.keep_warm()
    return Result(fits.fit(project.folder, settings, Lines()))


def result(where: str | Path | Project) -> Result:
    """A finished fit.

    Args:
        where: The folder or the name of a run, or a project (its newest fit).

    Returns:
        The result, as `fit` returns it.

    Raises:
        WorkspaceError: There is none, or it is not finished.
    """
    from core.service.places import finished_fit

    _open_workspace()

    folder = where.folder if isinstance(where, Project) else where
    return Result(finished_fit(str(folder)))


def plan(
    result: Result,
    *,
    periods: int | None = None,
    start: str | None = None,
    as_fitted: bool = False,
    save: str | None = None,
    **ask: Any,
) -> "PlanRecord":
    """The best split of a budget over channels, geos or weeks, with its odds.

    Args:
        result: The fit to plan with.
        periods: How many periods to plan; None for a year of them.
        start: The first period starts on this day or later, YYYY-MM-DD; None for the
            first one after the data.
        as_fitted: Plan the data's own periods instead.
        save: A name under which to save the plan in its project.
        ask: `over` ("channels", "geos", "weeks"), `budget` (currency; None for spend in
            these periods a year earlier), `bounds` (least and most spend as multiples
            of it, (0.7, 1.3)), `limits` (a list of `Bound`), `objective` ("mean",
            "p10", "cvar10", "reach:X"), `spend` (amounts to evaluate instead of a
            search), ...; see `core.service.ask.PlanAsk`.

    Returns:
        The plan: `plan.table()` lists its channels (currency), `plan.geos` its geos;
        `plan.outcome` and `plan.gain` (outcome units), `plan.advice`, `plan.bound` and
        more are named as in `mixwright plan --json`.

    Raises:
        PlanError: The limits contradict each other; the hint has the smallest change
            that resolves it.
    """
    from core.notebook.arguments import named, plain
    from core.notebook.progress import Lines
    from core.service import plans
    from core.service.records.plan import HorizonRequest

    ask = named(PlanAsk, ask, "plan")
    asked = HorizonRequest(plain(periods), start, as_fitted)
    if asked != HorizonRequest():
        ask["horizon"] = asked
    record = plans.plan(result.run, PlanAsk(**ask), Lines())
    return record if save is None else plans.save(result.run, record, save)


def portfolio(
    file: str | Path, *, save: str | None = None, **asked: Any
) -> "PlanRecord":
    """The best split of one budget over the fits of several projects.

    Args:
        file: A portfolio file; see docs/planning.md, Portfolios.
        save: A name under which each project's part is saved in that project.
        asked: `budget`, `objective`, `bounds`, `supported` instead of the file's.

    Returns:
        The plan, its channels named `Project: Channel`; `plan.projects` has what is
        each project's.

    Raises:
        PlanError: The file is not understood, or the projects do not go together.
        WorkspaceError: A project has no finished fit.
    """
    from core.notebook.progress import Lines
    from core.service.places import typed_path
    from core.service.portfolio import markets, plans

    watch = Lines()
    known = markets.markets(markets.load(typed_path(file)), watch)
    record = plans.plan(known, asked)
    if save is not None:
        plans.save(known, record, save, watch)
    return record


def suggest_priors(
    project: Project, *, accept: bool | Sequence[str] = False
) -> "pd.DataFrame":
    """Priors on ROI that the fits and lift tests of other projects suggest.

    Args:
        project: The project that they are for; it is left out.
        accept: Whether to write them to its project.toml, or for which channels.

    Returns:
        By paid channel: its `kind`, the prior `now`, `low` and `high` of the 90 % range
        that is suggested (missing where there is none), and the `sentence` that names
        the sources with their weights. `attrs["left_out"]` has what does not count and
        why.

    Raises:
        AccessError: The one who acts may not change the project.
        SpecError: A channel to accept for has no suggestion.
    """
    import pandas as pd

    from core.service.suggestions import priors
    from core.view.suggestions import prior_words

    _open_workspace()
    found = priors.suggested(project.folder)
    if accept:
        chosen = () if accept is True else tuple(accept)
        priors.accept(project.folder, found, chosen)
        found = priors.suggested(project.folder)
    about = prior_words.as_dict(found)
    rows = []
    for each in about["channels"]:
        own = (each["suggestion"] or {}).get("prior", {})
        row = {key: each[key] for key in ("kind", "now", "is_accepted", "sentence")}
        ends = {key: own.get(key) for key in ("low", "high")}
        rows.append({"channel": each["name"]} | row | ends)
    table = pd.DataFrame(rows).set_index("channel")
    table.attrs["left_out"] = prior_words.left_out(found.left_out)
    return table


def forecast(
    result: Result,
    *,
    periods: int | None = None,
    media: str | Path | None = None,
    multipliers: Mapping[str, float] | None = None,
    goal: float | None = None,
) -> Forecast:
    """The outcome of the next periods; loads JAX into this process.

    Args:
        result: The fit to forecast with.
        periods: How many; None for 26, or fewer if the data are shorter.
        media: A file with the media of these periods; None for media as a year earlier.
        multipliers: Multiples of channels' media, by name.
        goal: An outcome for all periods together whose odds to compute.

    Returns:
        `weeks`, `parts`, `total` and `goal`, in outcome units (revenue, or the KPI if
        its value is unknown).

    Raises:
        SpecError: The baseline cannot be extrapolated, or there are too many periods.
        DataError: The file of media cannot be used.
    """
    import pandas as pd

    from core.notebook.arguments import plain
    from core.service import forecasts

    made = forecasts.forecast(
        result.run,
        periods=plain(periods),
        media=None if media is None else str(media),
        multipliers=plain(multipliers),
        goal=plain(goal),
    )
    record = made.as_dict()
    weeks = pd.DataFrame(record["weeks"])
    weeks["time"] = pd.to_datetime(weeks["time"])
    parts = pd.DataFrame(record["parts"]).set_index("name")
    total, goal = record["total"], record["goal"]
    return Forecast(weeks.set_index("time"), parts, total, goal, record)


def refresh(project: Project, *files: str | Path, accept: bool = False) -> Refreshed:
    """Add new rows to a project, fit it, and say what moved.

    Args:
        project: The project.
        files: Its new rows, or its whole history again; none to fit it as it is.
        accept: Accept changes to old rows.

    Returns:
        The new fit, and what moved since the last one and why.

    Raises:
        DataError: The files do not fit the project, or they change old rows.
        SamplingError: Sampling failed or was stopped.
    """
    from core.notebook.progress import Lines
    from core.service import refreshes
    from core.service.runs import open_run
    from core.service.tables import opened

    done = refreshes.refresh(
        project.folder, opened(files), Lines(), accepts_changes=accept
    )
    return Refreshed(Result(open_run(done.run)), done.is_new, done.moves)


def compare(first: Result, second: Result) -> Comparison:
    """Two fits side by side, in units of their Monte-Carlo error.

    Raises:
        WorkspaceError: A result is damaged or missing.
    """
    from core.service import fits

    return Comparison(fits.compare([first.run, second.run]))


def actuals(
    project: Project, plan: "PlanRecord", file: str | Path, *more: str | Path
) -> Mapping[str, Any]:
    """A saved plan beside what happened.

    Args:
        project: Its project.
        plan: A plan that was saved.
        file: What was spent and came in.
        more: Further files of it, such as the exports that the data were made of.

    Returns:
        `planned`, `expected`, `actual` and `difference` in outcome units, the `parts`
        of the difference and its `channels`.

    Raises:
        DataError: They are not what is needed.
        PlanError: The plan begins after they end.
    """
    from msgspec import to_builtins

    from core.service import plans

    return to_builtins(plans.actuals(project.folder, plan, (file, *more)))


def promises(project: Project) -> Mapping[str, Any]:
    """What fits, plans and tests of a project promised, and what came of it.

    Args:
        project: The project.

    Returns:
        `promises`, each with its intervals and its `score`; `calibration`, by level how
        many intervals held and how many would be no surprise; and what it `said`.

    Raises:
        WorkspaceError: The project is damaged.
    """
    from core.service.projects import promises as kept

    return kept.record(project.folder).as_dict()


def design_tests(
    source: Result | Project | str | Path,
    channels: Sequence[str] = (),
    **options: Any,
) -> "Ranking | Precisions":
    """Lift tests by what their answers are worth to the plan, the best first.

    Args:
        source: The fit; or a project or a table of the KPI by geo and period, for which
            tests are ranked by how small a lift they find, without cost and value.
        channels: To test; every paid one where none is named.
        options: `weeks`, `kinds`, `geos`, `start`, ...; see
            `core.experiments.design.ranking.Options`.

    Returns:
        `designs`, each with where, when and power, and of a fit with cost and value.

    Raises:
        SpecError: There is no such channel, or no test is feasible.
    """
    from core.notebook.arguments import checked
    from core.service.experiments import lift_tests
    from core.service.experiments.lift_tests import Options
    from core.service.places import typed_path

    stated = checked(Options, options, "design_tests")
    names = (channels,) if isinstance(channels, str) else channels
    if isinstance(source, Result):
        return lift_tests.design(source.run, names, stated)
    where = source.folder if isinstance(source, Project) else typed_path(source)
    return lift_tests.precision(where, names, stated)


def read_test(
    source: Project | str | Path,
    treated: Sequence[str],
    start: str,
    end: str,
    *,
    channels: Sequence[str] = (),
    left_out: Sequence[str] = (),
    seed: int = 0,
) -> "Reading":
    """What a test of geos did.

    Args:
        source: A project, or a table of the KPI by geo and period.
        treated: Geos whose media was changed.
        start: First day, YYYY-MM-DD.
        end: Last day.
        channels: Whose spend was changed.
        left_out: Geos in neither group.
        seed: Of the placebos.

    Returns:
        `readout` (lift, incremental outcome, checks) and what the model `expected`.

    Raises:
        SpecError: Geos, dates or channels are not those of the data.
        DataError: The table cannot be read by geo and period.
    """
    from core.service.experiments import lift_tests
    from core.service.experiments.lift_tests import GeoTest
    from core.service.places import typed_path

    where = source.folder if isinstance(source, Project) else typed_path(source)
    test = GeoTest(tuple(treated), start, end, tuple(channels), tuple(left_out))
    return lift_tests.read(where, test, seed=seed)


def report(
    result: Result,
    path: str | Path,
    plan: "PlanRecord | None" = None,
    *,
    language: str | None = None,
) -> Path:
    """Write the report of a fit: .html, .pdf, .xlsx or .pptx; .nc for ArviZ.

    Args:
        result: The fit.
        path: The file; replaced if it exists.
        plan: A plan of this fit to include.
        language: "en", "de", "fr" or "es"; None for the project's [report] language.

    Returns:
        The path that was written.

    Raises:
        WorkspaceError: The ending or the language is not one of these, or the file
            cannot be written.
    """
    from core.service import reports

    path = reports.report_path(str(path))
    reports.write(result.run, path, plan, language)
    return path
