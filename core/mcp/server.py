"""The server: tools and resources of a desk, for one client over standard streams.

An agent may read as resources the summary and plan of projects, and guides.
"""

import json
import logging
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server

from core import __version__
from core.errors import MMMError, WorkspaceError
from core.mcp import arguments, planning, working
from core.mcp.answers import one_line
from core.mcp.arguments import parsed, schema
from core.mcp.desk import REMEDY, Desk, judged
from core.mcp.tools import TOOLS
from core.service import plans
from core.service.projects import access, shelf

_LOGGER = logging.getLogger("mixwright")
_INSTRUCTIONS = (
    "Mixwright says what media spend returned and how to split the next budget. Every "
    "answer has a verdict on the fit, an advice, units and intervals: quote them with "
    "each number, and do not recommend what the advice does not. Begin with projects. "
    "Ask your user what a finding or question leaves open; do not guess."
)


def server_of(desk: Desk) -> Server[Any]:
    """The server of a desk.

    Args:
        desk: What its client may see and change.
    """
    worked = _one_at_a_time(desk)

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=catalogue(may_write=desk.may_write))

    async def call_tool(context: Any, params: Any) -> types.CallToolResult:
        return await worked(lambda: called(desk, params.name, params.arguments))

    async def list_resources(context: Any, params: Any) -> types.ListResourcesResult:
        names = await worked(lambda: listed_resources(desk))
        listed = [types.Resource(name=name, uri=uri) for uri, name in names.items()]
        return types.ListResourcesResult(resources=listed)

    async def list_templates(
        context: Any, params: Any
    ) -> types.ListResourceTemplatesResult:
        listed = [
            types.ResourceTemplate(name=name, uri_template=uri)
            for uri, name in TEMPLATES.items()
        ]
        return types.ListResourceTemplatesResult(resource_templates=listed)

    async def read_resource(context: Any, params: Any) -> types.ReadResourceResult:
        text, kind = await worked(lambda: _resource(desk, params.uri))
        content = types.TextResourceContents(uri=params.uri, mime_type=kind, text=text)
        return types.ReadResourceResult(contents=[content])

    mode = "It may write." if desk.may_write else f"It is read-only. {REMEDY}"
    return Server(
        "mixwright",
        version=__version__,
        instructions=f"{_INSTRUCTIONS} {mode} It acts as {access.who()}.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )


def _one_at_a_time(desk: Desk) -> Callable[[Callable[[], Any]], Awaitable[Any]]:
    """Has work done in a thread, one call after the other: words have one locale."""
    turn = anyio.Lock()

    async def worked(work: Callable[[], Any]) -> Any:
        def inside() -> Any:
            if desk.may_write:
                return work()
            with access.read_only(REMEDY):
                return work()

        async with turn:
            return await anyio.to_thread.run_sync(inside)

    return worked


def catalogue(*, may_write: bool) -> list[types.Tool]:
    """The tools that can be called, described.

    Args:
        may_write: Whether those that change something are among them.
    """
    return [
        types.Tool(
            name=name,
            description=tool.about,
            input_schema=schema(tool.takes),
            annotations=types.ToolAnnotations(read_only_hint=not tool.writes),
        )
        for name, tool in TOOLS.items()
        if may_write or not tool.writes
    ]


def called(
    desk: Desk, name: str, arguments: dict[str, Any] | None
) -> types.CallToolResult:
    """What a tool answers; what is wrong is a sentence, too.

    Args:
        desk: What may be seen and changed.
        name: Of the tool.
        arguments: As they came.
    """
    try:
        tool = TOOLS.get(name)
        if tool is None:
            names = ", ".join(TOOLS)
            raise MMMError(f"There is no tool {name!r}.", hint=f"Use one of {names}.")
        answer = tool.work(desk, parsed(name, tool.takes, arguments))
    except MMMError as error:
        return _refused(error)
    except Exception as error:
        _LOGGER.exception("Tool %s", one_line(name))
        message = f"Mixwright made a mistake: {type(error).__name__}."
        return _refused(MMMError(message, hint="The server's log says where."))
    text = types.TextContent(type="text", text=json.dumps(answer))
    return types.CallToolResult(content=[text], structured_content=answer)


def _refused(error: MMMError) -> types.CallToolResult:
    """An error as an answer: its sentence, its remedy, and all that was found."""
    results = [
        {"message": one_line(finding.message), "hint": one_line(finding.hint)}
        for finding in error.findings[:20]
    ]
    about = {"error": one_line(error.message), "hint": one_line(error.hint)}
    text = types.TextContent(type="text", text=one_line(str(error)))
    return types.CallToolResult(
        content=[text],
        structured_content=about | ({"findings": results} if results else {}),
        is_error=True,
    )


def _resource(desk: Desk, uri: str) -> tuple[str, str]:
    """What is to be read at an address; what is wrong is the text."""
    try:
        return read_resource(desk, uri)
    except MMMError as error:
        return one_line(str(error)), "text/plain"


async def serve(desk: Desk) -> None:
    """Serve one client over standard input and output until it goes.

    Args:
        desk: What it may see and change.
    """
    server = server_of(desk)
    async with stdio_server() as (reads, writes):
        await server.run(reads, writes, server.create_initialization_options())


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


def listed_resources(desk: Desk) -> dict[str, str]:
    """What there is to read: names by address."""
    names = {f"{_ROOT}guides/{name}": f"Guide: {name}" for name in guides()}
    for about in desk.listed()[:200]:
        place = f"{_ROOT}projects/{quote(about['project'])}"
        if about["fit"] is not None:
            names[f"{place}/summary"] = f"Summary of {about['project']}"
        names[f"{place}/plan"] = f"Plan of {about['project']}"
    return names


def read_resource(desk: Desk, uri: str) -> tuple[str, str]:
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
