"""refresh: new rows taken in, fitted, compared with the last fit and reported."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core import text as fmt
from core.cli.answer import AT_FAULT, HOLDS, Answer, clean, table, tell
from core.cli.fits.fit import fitted, watched
from core.cli.fits.results import diagnostics_text
from core.cli.places import project_folder
from core.cli.plans.actuals import actuals_text
from core.cli.tables.query_options import all_tables
from core.cli.team.webhook import address, notified
from core.text import refresh as words
from core.workspace.fits.results import read_json
from core.workspace.projects.seen import mark_seen
from core.workspace.refresh.condition import Condition, condition
from core.workspace.refresh.incoming import Incoming, incoming, take
from core.workspace.refresh.next_fit import new_refresh, next_fit, refreshed

#: Changed cells that are shown; --json has them all.
_SHOWN = 20


def refresh(options: argparse.Namespace) -> Answer:
    """Take new rows in, fit, and say what moved and why."""
    wanted = [condition(text) for text in options.conditions]
    webhook = options.webhook and address(options.webhook)
    folder = project_folder(options.project)
    given = _incoming(options, folder)
    if given is not None:
        for line in _notes(given):
            tell(line)
        if given.questions and not options.yes:
            return _asked(folder, given)
        take(given)
    told = {"project": str(folder), "came": given.summary if given else ""}
    told |= _fit(folder)
    answer = _answer(folder, told, wanted)
    if webhook:
        remark = notified(webhook, answer.data, options.webhook_timeout)
        answer = Answer(answer.data, answer.text, answer.code, (remark,))
    return answer


def _incoming(options: argparse.Namespace, folder: Path) -> Incoming | None:
    """What files or the query bring; None where the project has its table already."""
    from core.workspace.projects.project import load_project

    query = load_project(folder).query
    if not options.sources and query is None:
        return None
    return incoming(folder, all_tables(options, query))


def _notes(given: Incoming) -> list[str]:
    lines = [given.summary]
    lines += [f"{each.message} {each.hint}".rstrip() for each in given.findings]
    if given.came.absent:
        few = fmt.listed(list(given.came.absent), limit=3)
        lines.append(f"{few} are missing from the new files. They stay in the project.")
    return lines


def _asked(folder: Path, given: Incoming) -> Answer:
    """The answer where somebody has to say yes first."""
    lines = list(given.questions)
    more = len(lines) - _SHOWN
    shown = [*lines[:_SHOWN], *([f"{more} more; --json has them"] if more > 0 else [])]
    remark = (
        f"{folder.name} is unchanged. Accept these changes with --yes, or correct the "
        "files."
    )
    text = "\n".join(("Changes to old rows:", *(f"  {line}" for line in shown)))
    data = {
        "project": str(folder),
        "came": given.summary,
        "questions": lines,
        "changed": [vars(cell) for cell in given.came.changed],
        "idle": list(given.came.idle),
    }
    return Answer(data, clean(text), AT_FAULT, (remark,))


def _fit(folder: Path) -> dict[str, Any]:
    """The fit that answers for the project now, and what moved with it."""
    following = next_fit(folder)
    run = following.run
    if run is not None and following.is_done:
        record = None if following.is_told else refreshed(run.folder)
        mark_seen(run.folder)
        return {"run": str(run.folder), "is_new": record is not None, "moves": record}
    if run is None:
        path = new_refresh(folder, following.last)
        fitted(path)
    elif following.must_resume:
        path = run.folder
        fitted(path, resume=True)
    else:
        path = run.folder
        watched(path)
    return {"run": str(path), "is_new": True, "moves": refreshed(path)}


def _answer(folder: Path, told: dict[str, Any], wanted: Sequence[Condition]) -> Answer:
    run = Path(told["run"])
    diagnostics = read_json(run, "fit")["diagnostics"]
    verdict = str(diagnostics["verdict"])
    record = told["moves"]
    is_new = bool(told["is_new"])
    held = [each.text for each in wanted if is_new and each.holds(record, verdict)]
    report = run / "report.html"
    told |= {
        "verdict": verdict,
        "report": str(report) if report.is_file() else None,
        "conditions": {each.text: each.text in held for each in wanted},
    }
    if not is_new:
        text = (
            f"{folder.name}: no new rows, so nothing changes. Newest fit: {run.name}."
        )
        return Answer(told, text)
    parts = (
        [refresh_text(record)]
        if record
        else ["This is the first fit, so there is nothing to compare it with."]
    )
    parts += [diagnostics_text(diagnostics)]
    parts += [f"Report: {report}"] if told["report"] else []
    parts += [f"Holds: {text}" for text in held]
    return Answer(told, clean("\n\n".join(parts)), HOLDS if held else 0)


def refresh_text(record: Mapping[str, Any]) -> str:
    """What moved, for people."""
    units = fmt.units(record)
    parts = [words.moved(record), table(*words.table(record, units))]
    parts += [words.first_answer(record), words.plan_of_record(record, units)]
    actuals = record["actuals"]
    parts.append(actuals_text(actuals) if actuals else words.plan_so_far(record, units))
    return "\n\n".join(part for part in parts if part)
