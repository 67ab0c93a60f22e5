"""Resources: what an agent may read: the summary and plan of projects, and guides."""

import json
from functools import cache
from pathlib import Path
from urllib.parse import quote, unquote

from core.errors import WorkspaceError
from core.mcp import arguments, planning, working
from core.mcp.desk import Desk, judged
from core.service import plans
from core.service.projects import shelf

_DOCS = Path(__file__).parents[2] / "docs"
_ROOT = "mixwright://"
#: Pages of docs/ that are for who works on Mixwright.
_INNER = ("decisions",)

TEMPLATES = {
    f"{_ROOT}projects/{{project}}/summary": "What the newest fit of a project says",
    f"{_ROOT}projects/{{project}}/plan": "The plan of record, else the last saved",
    f"{_ROOT}guides/{{name}}": "A guide",
}


@cache
def guides() -> dict[str, Path]:
    """The pages that this installation has, by name."""
    pages = [*sorted(_DOCS.glob("guides/*.md")), *sorted(_DOCS.glob("*.md"))]
    return {page.stem: page for page in pages if page.stem not in _INNER}


def listed(desk: Desk) -> dict[str, str]:
    """What there is to read: names by address."""
    names = {f"{_ROOT}guides/{name}": f"Guide: {name}" for name in guides()}
    for about in desk.listed()[:200]:
        place = f"{_ROOT}projects/{quote(about['project'])}"
        if about["fit"] is not None:
            names[f"{place}/summary"] = f"Summary of {about['project']}"
        names[f"{place}/plan"] = f"Plan of {about['project']}"
    return names


def read(desk: Desk, uri: str) -> tuple[str, str]:
    """The text of an address, and its kind.

    Raises:
        MMMError: There is nothing to read there.
    """
    parts = uri.removeprefix(_ROOT).split("/") if uri.startswith(_ROOT) else []
    match [unquote(part) for part in parts]:
        case ["guides", name] if name in guides():
            return guides()[name].read_text(encoding="utf-8"), "text/markdown"
        case ["projects", name, "summary"]:
            about = working.summary(desk, arguments.OfFit(project=name))
            return json.dumps(about), "application/json"
        case ["projects", name, "plan"]:
            folder = desk.project(name)
            record = plans.load_plan(folder, shelf.decided_plan(folder))
            fit = desk.fit(name, record.run_id)
            about = planning.of_record(record, judged(fit).reasons)
            return json.dumps(about), "application/json"
    raise WorkspaceError(
        f"There is nothing to read at {uri!r}.",
        hint=f"There is {', '.join(TEMPLATES)}.",
        where=uri,
    )
