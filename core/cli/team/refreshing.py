"""Refreshing: new rows taken in, fitted, compared with the last fit and reported.

A webhook gets one JSON message after it, signed, and is never waited for long. The
body is what `refresh --json` prints. Where MIXWRIGHT_WEBHOOK_SECRET is set, the
header X-Mixwright-Signature is `sha256=` and the HMAC of the body under it.
"""

import argparse
import hashlib
import hmac
import os
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from core import PROGRAM, quoted
from core import text as fmt
from core.cli.answer import AT_FAULT, HOLDS, Answer, as_json, clean, tell
from core.cli.progress import Progress
from core.cli.tables.layout_options import answers_again
from core.cli.tables.sources import all_tables
from core.errors import SpecError
from core.service import fits, refreshes
from core.service.places import project_folder
from core.service.refreshes import Condition, Incoming, condition
from core.service.runs import open_run

#: Changed cells that are shown; --json has them all.
_SHOWN = 20


def refreshed(options: argparse.Namespace) -> Answer:
    """Take new rows in, fit, and say what moved and why."""
    conditions = [condition(text) for text in options.conditions]
    webhook = options.webhook and address(options.webhook)
    folder = project_folder(options.project)
    incoming = _incoming(options, folder)
    if incoming is not None:
        for line in _notes(incoming):
            tell(line)
        if incoming.questions and not options.yes:
            return _asked(folder, incoming)
        refreshes.take(incoming)
    fit = refreshes.fit_next(folder, Progress())
    about = {
        "project": str(folder),
        "came": incoming.summary if incoming else "",
        "run": str(fit.run),
        "is_new": fit.is_new,
        "moves": fit.moves,
    }
    answer = _answer(folder, about, conditions)
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
    head = [*lines[:_SHOWN], *([f"{more} more; --json has them"] if more > 0 else [])]
    remark = (
        f"{folder.name} is unchanged. Accept these changes with --yes, or correct the "
        "files."
    )
    text = "\n".join(("Changes to old rows:", *(f"  {line}" for line in head)))
    data = refreshes.questions(folder, incoming)
    return Answer(data, clean(text), AT_FAULT, (remark,))


def _answer(
    folder: Path, about: dict[str, Any], conditions: Sequence[Condition]
) -> Answer:
    # Only here: the fit is on its way before what tells of it is loaded.
    from core.cli.fits.results import diagnostics_text
    from core.cli.section_text import section_text
    from core.service import plans
    from core.view import refresh_words
    from core.view.origin import changed_plans

    run = Path(about["run"])
    diagnostics = fits.record(open_run(run)).diagnostics
    verdict = diagnostics.verdict
    record = about["moves"]
    is_new = bool(about["is_new"])
    holding = [
        each.text for each in conditions if is_new and each.holds(record, verdict)
    ]
    report = run / "report.html"
    about |= {
        "verdict": verdict,
        "report": str(report) if report.is_file() else None,
        "conditions": {each.text: each.text in holding for each in conditions},
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
        command = f"{PROGRAM} report {quoted(run)} --out report.html"
        missing = f"not written; {command} writes it."
        parts.append(f"Report: {about['report'] or missing}")
    parts += [f"Holds: {text}" for text in holding]
    return Answer(about, clean("\n\n".join(parts)), HOLDS if holding else 0)


SECRET = "MIXWRIGHT_WEBHOOK_SECRET"
SIGNATURE = "X-Mixwright-Signature"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A message goes to the address that was named, or nowhere."""

    def redirect_request(self, *args: Any, **keywords: Any) -> None:
        return None


def address(text: str) -> str:
    """An address that a message can be sent to.

    Raises:
        SpecError: It is none.
    """
    try:
        parts = urlsplit(text)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_one = is_one and parts.port != 0 and text.isprintable() and " " not in text
    except ValueError:  # brackets or a port that are none
        is_one = False
    if not is_one:
        raise SpecError(
            f"{text} is not the address of a webhook.",
            hint="Write one such as https://example.com/hooks/mixwright.",
            where="--webhook",
        )
    return text


def notified(url: str, message: Mapping[str, Any], timeout: float) -> str:
    """Send a message; what came of it, in one sentence.

    Nothing raises, and after `timeout` nobody waits: the refresh is done.

    Args:
        url: Where to.
        message: The answer of the refresh.
        timeout: Seconds for everything together.
    """
    body = as_json(dict(message)).encode()
    outcome: list[str] = []
    thread = threading.Thread(
        target=lambda: outcome.append(_sent(url, body, timeout)), daemon=True
    )
    thread.start()
    thread.join(timeout)
    host = urlsplit(url).hostname
    told_so = outcome[0] if outcome else f"no answer within {timeout:g} s"
    return f"Webhook {host}: {told_so}."


def signature(body: bytes, secret: str) -> str:
    """The header's value for a body."""
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return f"sha256={digest}"


def _sent(url: str, body: bytes, timeout: float) -> str:
    headers = {"Content-Type": "application/json", "User-Agent": "Mixwright"}
    secret = os.environ.get(SECRET)
    if secret:
        headers[SIGNATURE] = signature(body, secret)
    request = urllib.request.Request(url, data=body, headers=headers, method="POST")
    try:
        with urllib.request.build_opener(_NoRedirect).open(
            request, timeout=timeout
        ) as answer:
            return f"answered {answer.status}"
    except urllib.error.HTTPError as error:
        return f"answered {error.code}"
    except (OSError, ValueError, HTTPException) as error:
        reason = getattr(error, "reason", None) or error or type(error).__name__
        return f"could not be reached ({reason})"
