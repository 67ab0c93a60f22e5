"""Refreshing: new rows taken in, fitted, compared with the last fit and reported."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core import PROGRAM
from core import text as fmt
from core.cli.answer import AT_FAULT, HOLDS, Answer, clean, tell
from core.cli.fits.results import diagnostics_text
from core.cli.progress import Progress
from core.cli.section_text import section_text
from core.cli.tables.layout_options import answers_again
from core.cli.tables.sources import all_tables
from core.cli.team.webhook import address, notified
from core.service import fits, plans, refreshes
from core.service.places import project_folder
from core.service.refreshes import Condition, Incoming, condition
from core.service.runs import open_run
from core.view import refresh_words
from core.view.origin import changed_plans

#: Changed cells that are shown; --json has them all.
_SHOWN = 20


def refreshed(options: argparse.Namespace) -> Answer:
    """Take new rows in, fit, and say what moved and why."""
    wanted = [condition(text) for text in options.conditions]
    webhook = options.webhook and address(options.webhook)
    folder = project_folder(options.project)
    incoming = _incoming(options, folder)
    if incoming is not None:
        for line in _notes(incoming):
            tell(line)
        if incoming.questions and not options.yes:
            return _asked(folder, incoming)
        refreshes.take(incoming)
    done = refreshes.fit_next(folder, Progress())
    about = {
        "project": str(folder),
        "came": incoming.summary if incoming else "",
        "run": str(done.run),
        "is_new": done.is_new,
        "moves": done.moves,
    }
    answer = _answer(folder, about, wanted)
    if webhook:
        remark = notified(webhook, answer.data, options.webhook_timeout)
        answer = Answer(answer.data, answer.text, answer.code, (remark,))
    return answer


def _incoming(options: argparse.Namespace, folder: Path) -> Incoming | None:
    """What files or the query bring; None where the project has its table already."""
    from core.service.projects.settings import load_project

    query = load_project(folder).query
    if not options.sources and query is None:
        return None
    files = all_tables(options, query, is_saved=True)
    return refreshes.new_rows(folder, files, answers_again(options), dict(options.rate))


def _notes(incoming: Incoming) -> list[str]:
    lines = [incoming.summary]
    lines += [f"{each.message} {each.hint}".rstrip() for each in incoming.findings]
    if incoming.came.absent:
        few = fmt.listed(list(incoming.came.absent), limit=3)
        lines.append(f"{few} are missing from the new files. They stay in the project.")
    return lines


def _asked(folder: Path, incoming: Incoming) -> Answer:
    """The answer where somebody has to say yes first."""
    lines = list(incoming.questions)
    more = len(lines) - _SHOWN
    shown = [*lines[:_SHOWN], *([f"{more} more; --json has them"] if more > 0 else [])]
    remark = (
        f"{folder.name} is unchanged. Accept these changes with --yes, or correct the "
        "files."
    )
    text = "\n".join(("Changes to old rows:", *(f"  {line}" for line in shown)))
    data = refreshes.questions(folder, incoming)
    return Answer(data, clean(text), AT_FAULT, (remark,))


def _answer(folder: Path, about: dict[str, Any], wanted: Sequence[Condition]) -> Answer:
    run = Path(about["run"])
    diagnostics = fits.record(open_run(run)).diagnostics
    verdict = diagnostics.verdict
    record = about["moves"]
    is_new = bool(about["is_new"])
    held = [each.text for each in wanted if is_new and each.holds(record, verdict)]
    report = run / "report.html"
    about |= {
        "verdict": verdict,
        "report": str(report) if report.is_file() else None,
        "conditions": {each.text: each.text in held for each in wanted},
    }
    if not is_new:
        text = (
            f"{folder.name}: no new rows, so nothing changes. Newest fit: {run.name}."
        )
        return Answer(about, text)
    parts = (
        [section_text(each) for each in refresh_words.sections(record, "text")]
        if record
        else ["This is the first fit, so there is nothing to compare it with."]
    )
    turned = plans.changed(folder)
    about["plans_changed"] = [stood.again for _, stood in turned]
    parts += changed_plans(turned)
    parts += [diagnostics_text(diagnostics)]
    if record:
        missing = f"not written; {PROGRAM} report {run} --out report.html writes it."
        parts.append(f"Report: {about['report'] or missing}")
    parts += [f"Holds: {text}" for text in held]
    return Answer(about, clean("\n\n".join(parts)), HOLDS if held else 0)
