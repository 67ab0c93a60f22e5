"""Working: tools on files and columns, fits as they stand, and what a fit says."""

from typing import Any

from msgspec import to_builtins

from core.errors import MMMError, WorkspaceError
from core.mcp import answers, arguments
from core.mcp.desk import Desk, judged
from core.service import fits, forecasts, plans, refreshes, reports, runs, tables
from core.service.projects import columns, shelf
from core.service.projects import promises as kept
from core.service.suggestions import priors
from core.view.progress import progress_text
from core.view.suggestions import prior_words

_SAMPLER = ("chains", "warmup", "draws", "seed", "precision")
_WAIT = "Ask for its status now and then; it goes on by itself."


def projects(desk: Desk, asked: arguments.Nothing) -> dict[str, Any]:
    """The projects that may be used."""
    listed = desk.listed()
    advice = "Each project says what is next." if listed else "There is no project yet."
    return answers.plain({"projects": listed}, advice)


def fit(desk: Desk, asked: arguments.Fit) -> dict[str, Any]:
    """Start a fit; at once."""
    desk.permit("run started")
    chosen = {name: getattr(asked, name) for name in _SAMPLER}
    chosen = {name: value for name, value in chosen.items() if value is not None}
    run = runs.start(desk.project(asked.project), "fit", sampler=chosen)
    return answers.plain({"run": run.name, "state": runs.status(run).state}, _WAIT)


def status(desk: Desk, asked: arguments.Status) -> dict[str, Any]:
    """How a run stands; once it is done, what it reports and what moved."""
    folder = desk.project(asked.project)
    if asked.run:
        run = desk.run(asked.project, asked.run)
    else:
        newest = runs.newest(folder, "fit")
        if newest is None:
            raise WorkspaceError(f"{folder.name} was never fitted.", hint="Fit it.")
        run = newest.folder
    now = runs.status(run)
    about: dict[str, Any] = {
        "run": run.name,
        "state": now.state,
        "message": now.message,
        "hint": now.hint,
        "progress": progress_text(now),
        "position": now.position,
    }
    if now.state != "done":
        return answers.plain(about, _WAIT if now.is_live else now.hint or "Fit again.")
    if not fits.is_fit(run):
        return answers.plain(about, "Its result is there: ask for it again.")
    about |= {
        "fit": to_builtins(fits.report_of(run)),
        "moves": refreshes.refreshed(run),
    }
    return answers.estimated(about, judged(desk.fit(asked.project, run.name)))


def suggest_priors(desk: Desk, asked: arguments.SuggestPriors) -> dict[str, Any]:
    """Priors that other projects suggest; accepted where that is asked."""
    others = [desk.project(name) for name in desk.projects] or None
    folder = desk.project(asked.project)
    if asked.accept:
        desk.permit("priors accepted")
    suggestions = priors.suggested(folder, others)
    if asked.accept:
        priors.accept(folder, suggestions, asked.channels)
        suggestions = priors.suggested(folder, others)
    return answers.plain(prior_words.as_dict(suggestions), prior_words.NOTE)


def summary(desk: Desk, asked: arguments.OfFit) -> dict[str, Any]:
    """What a finished fit says."""
    run = desk.fit(asked.project, asked.run)
    return answers.estimated(fits.summary(run), judged(run))


def forecast(desk: Desk, asked: arguments.Forecast) -> dict[str, Any]:
    """The outcome of the next periods."""
    run = desk.fit(asked.project, asked.run)
    of = judged(run)
    record = None
    if asked.plan:
        record = plans.load_plan(desk.project(asked.project), asked.plan)
    outlook = forecasts.forecast_apart(
        run,
        periods=asked.periods,
        media=str(desk.file(asked.media)) if asked.media else None,
        multipliers=asked.multiply,
        plan=record,
        goal=asked.goal,
    )
    return answers.estimated(outlook.as_dict(), of)


def refresh(desk: Desk, asked: arguments.Refresh) -> dict[str, Any]:
    """Take new rows in and start the fit that answers for them; at once."""
    desk.permit("data saved")
    folder, came = desk.project(asked.project), ""
    if asked.files:
        paths = [desk.file(name) for name in asked.files]
        rows = refreshes.new_rows(folder, tables.opened(paths))
        came = rows.summary
        if rows.questions and not asked.accept:
            advice = "Old rows would change: ask your user, then accept or correct."
            return answers.plain(refreshes.questions(folder, rows), advice)
        refreshes.take(rows)
    run = refreshes.start_next(folder)
    state = runs.status(run).state
    about = {"project": str(folder), "came": came, "run": run.name, "state": state}
    return answers.plain(about, "Its status says what moved, and why." + f" {_WAIT}")


def report(desk: Desk, asked: arguments.Report) -> dict[str, Any]:
    """Write the report of a fit beside its project."""
    desk.permit("report written")
    run = desk.fit(asked.project, asked.run)
    path = reports.own_report(desk.project(asked.project), asked.out)
    plan = reports.plan_of(run, asked.plan or None)
    reports.write(run, path, plan, asked.language)
    about = {"out": str(path), "files": [str(path)], "run": str(run.folder)}
    return answers.plain(about, "Tell your user where it is.")


_READY = "Nothing blocks a fit."
_BLOCKED = "Settle the errors first: each finding's hint says how."


def check(desk: Desk, asked: arguments.Check) -> dict[str, Any]:
    """What is wrong with the data of a project, or with files."""
    if bool(asked.project) == bool(asked.files):
        raise WorkspaceError("Name a project or files, one of them.")
    folder = desk.project(asked.project) if asked.project else None
    paths = [desk.file(name) for name in asked.files]
    try:
        if folder is not None:
            found = tables.findings(folder)
        else:
            found = columns.findings(tables.opened(paths, asked.sheet))[1]
        listed = [finding.as_dict() for finding in found]
    except MMMError as error:
        first = {"severity": "error", "where": error.where, "message": error.message}
        listed = [finding.as_dict() for finding in error.findings]
        listed = listed or [first | {"hint": error.hint}]
    blocked = any(finding["severity"] == "error" for finding in listed)
    return answers.plain({"findings": listed}, _BLOCKED if blocked else _READY)


def recognise(desk: Desk, asked: arguments.Columns) -> dict[str, Any]:
    """What files are taken for, what they leave open; a project of them, if asked."""
    if asked.create:
        desk.permit("project created")
        desk.permit_new(asked.create)
    paths = [desk.file(name) for name in asked.files]
    files = tables.opened(paths, asked.sheet)
    table = columns.recognised(files, asked)
    if asked.create:
        folder = shelf.project_folder(asked.create)
        columns.create(folder, table)
        made = {"project": str(folder)} | table.as_dict()
        return answers.plain(made, "Check the project, then fit it.")
    _, found = columns.findings(files, asked)
    questions = [finding.as_dict() for finding in found]
    advice = (
        "Ask your user what the findings leave open; their hints name options, which "
        "are arguments here (--kpi-is money is kpi_is='money'). Then create."
    )
    return answers.plain(table.as_dict() | {"questions": questions}, advice)


def promises(desk: Desk, asked: arguments.InProject) -> dict[str, Any]:
    """What was promised, and what came of it."""
    folder = desk.project(asked.project)
    record = kept.record(folder, keeps=desk.may_write)
    texts = {"project": str(folder)} | record.as_dict()
    return answers.plain(texts, " ".join(texts["said"]))
