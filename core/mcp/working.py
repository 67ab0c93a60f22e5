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


def projects(desk: Desk, request: arguments.Nothing) -> dict[str, Any]:
    """The projects that may be used."""
    listed = desk.listed()
    advice = "Each project says what is next." if listed else "There is no project yet."
    return answers.plain({"projects": listed}, advice)


def fit(desk: Desk, request: arguments.Fit) -> dict[str, Any]:
    """Start a fit; at once."""
    desk.permit("run started")
    chosen = {name: getattr(request, name) for name in _SAMPLER}
    chosen = {name: value for name, value in chosen.items() if value is not None}
    run = runs.start(desk.project(request.project), "fit", sampler=chosen)
    return answers.plain({"run": run.name, "state": runs.status(run).state}, _WAIT)


def status(desk: Desk, request: arguments.Status) -> dict[str, Any]:
    """How a run stands; once it is done, what it reports and what moved."""
    folder = desk.project(request.project)
    if request.run:
        run = desk.run(request.project, request.run)
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
    return answers.estimated(about, judged(desk.fit(request.project, run.name)))


def suggest_priors(desk: Desk, request: arguments.SuggestPriors) -> dict[str, Any]:
    """Priors that other projects suggest; accepted where that is asked."""
    others = [desk.project(name) for name in desk.projects] or None
    folder = desk.project(request.project)
    if request.accept:
        desk.permit("priors accepted")
    suggestions = priors.suggested(folder, others)
    if request.accept:
        priors.accept(folder, suggestions, request.channels)
        suggestions = priors.suggested(folder, others)
    return answers.plain(prior_words.as_dict(suggestions), prior_words.NOTE)


def summary(desk: Desk, request: arguments.OfFit) -> dict[str, Any]:
    """What a finished fit says."""
    run = desk.fit(request.project, request.run)
    return answers.estimated(fits.summary(run), judged(run))


def forecast(desk: Desk, request: arguments.Forecast) -> dict[str, Any]:
    """The outcome of the next periods."""
    run = desk.fit(request.project, request.run)
    of = judged(run)
    record = None
    if request.plan:
        record = plans.load_plan(desk.project(request.project), request.plan)
    outlook = forecasts.forecast_apart(
        run,
        periods=request.periods,
        media=str(desk.file(request.media)) if request.media else None,
        multipliers=request.multiply,
        plan=record,
        goal=request.goal,
    )
    return answers.estimated(outlook.as_dict(), of)


def refresh(desk: Desk, request: arguments.Refresh) -> dict[str, Any]:
    """Take new rows in and start the fit that answers for them; at once."""
    desk.permit("data saved")
    folder, came = desk.project(request.project), ""
    if request.files:
        paths = [desk.file(name) for name in request.files]
        rows = refreshes.new_rows(folder, tables.opened(paths))
        came = rows.summary
        if rows.questions and not request.accept:
            advice = "Old rows would change: ask your user, then accept or correct."
            return answers.plain(refreshes.questions(folder, rows), advice)
        refreshes.take(rows)
    run = refreshes.start_next(folder)
    state = runs.status(run).state
    about = {"project": str(folder), "came": came, "run": run.name, "state": state}
    return answers.plain(about, "Its status says what moved, and why." + f" {_WAIT}")


def report(desk: Desk, request: arguments.Report) -> dict[str, Any]:
    """Write the report of a fit beside its project."""
    desk.permit("report written")
    run = desk.fit(request.project, request.run)
    path = reports.own_report(desk.project(request.project), request.out)
    plan = reports.plan_of(run, request.plan or None)
    reports.write(run, path, plan, request.language)
    about = {"out": str(path), "files": [str(path)], "run": str(run.folder)}
    return answers.plain(about, "Tell your user where it is.")


_READY = "Nothing blocks a fit."
_BLOCKED = "Settle the errors first: each finding's hint says how."


def check(desk: Desk, request: arguments.Check) -> dict[str, Any]:
    """What is wrong with the data of a project, or with files."""
    if bool(request.project) == bool(request.files):
        raise WorkspaceError("Name a project or files, one of them.")
    folder = desk.project(request.project) if request.project else None
    paths = [desk.file(name) for name in request.files]
    try:
        if folder is not None:
            findings = tables.findings(folder)
        else:
            findings = columns.findings(tables.opened(paths, request.sheet))[1]
        listed = [finding.as_dict() for finding in findings]
    except MMMError as error:
        first = {"severity": "error", "where": error.where, "message": error.message}
        listed = [finding.as_dict() for finding in error.findings]
        listed = listed or [first | {"hint": error.hint}]
    blocked = any(finding["severity"] == "error" for finding in listed)
    return answers.plain({"findings": listed}, _BLOCKED if blocked else _READY)


def recognise(desk: Desk, request: arguments.Columns) -> dict[str, Any]:
    """What files are taken for, what they leave open; a project of them, if asked."""
    if request.create:
        desk.permit("project created")
        desk.permit_new(request.create)
    paths = [desk.file(name) for name in request.files]
    files = tables.opened(paths, request.sheet)
    table = columns.recognised(files, request)
    if request.create:
        folder = shelf.project_folder(request.create)
        columns.create(folder, table)
        about = {"project": str(folder)} | table.as_dict()
        return answers.plain(about, "Check the project, then fit it.")
    _, findings = columns.findings(files, request)
    questions = [finding.as_dict() for finding in findings]
    advice = (
        "Ask your user what the findings leave open; their hints name options, which "
        "are arguments here (--kpi-is money is kpi_is='money'). Then create."
    )
    return answers.plain(table.as_dict() | {"questions": questions}, advice)


def promises(desk: Desk, request: arguments.InProject) -> dict[str, Any]:
    """What was promised, and what came of it."""
    folder = desk.project(request.project)
    record = kept.record(folder, keeps=desk.may_write)
    texts = {"project": str(folder)} | record.as_dict()
    return answers.plain(texts, " ".join(texts["said"]))
