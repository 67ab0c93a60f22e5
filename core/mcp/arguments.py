"""Arguments: what each tool takes; a mistake is a sentence that names it."""

import math
from collections.abc import Iterator
from typing import Annotated, Any, Literal, get_type_hints

import msgspec
from msgspec import Meta, Struct

from core.errors import MMMError
from core.service.planning.asked import SWITCHES, Asked, Over
from core.service.records.columns import StatedColumns

Name = Annotated[str, Meta(max_length=300)]
Names = Annotated[list[Name], Meta(max_length=200)]
Files = Annotated[
    list[Annotated[str, Meta(max_length=4096)]],
    Meta(max_length=50, description="file names in the folders of data"),
]
Run = Annotated[Name, Meta(description="a run's id; default the newest finished fit")]
Series = Annotated[list[float], Meta(max_length=1000)]
Kind = Literal["dark", "dim", "heavy-up"]


class Nothing(Struct, forbid_unknown_fields=True):
    """No arguments."""


class InProject(Struct, forbid_unknown_fields=True, kw_only=True):
    """What is about a project."""

    project: Name


class OfFit(InProject, kw_only=True):
    """What is about a fit of a project."""

    run: Run = ""


class Horizon(OfFit, kw_only=True):
    """What is about periods to come."""

    over: Over | None = None
    periods: Annotated[int, Meta(description="default a year")] | None = None
    start: Annotated[str, Meta(description="YYYY-MM-DD", max_length=40)] = ""
    as_fitted: Annotated[bool, Meta(description="the data's own periods")] = False


#: Every yes or no of a plan, as the command's flags have them.
Switched = msgspec.defstruct(
    "Switched",
    [
        (each.argument, Annotated[bool, Meta(description=each.about)], False)
        for each in SWITCHES
    ],
    bases=(Horizon,),
    kw_only=True,
    forbid_unknown_fields=True,
)


#: What is asked of a plan, as Python has it.
ASKED = (
    *("budget", "objective", "find", "bounds", "geo_bounds", "geo_totals"),
    *("limits", "scenario"),
)
_HINTS = get_type_hints(Asked, include_extras=True)
Requested = msgspec.defstruct(
    "Requested",
    [(name, _HINTS[name] | None, None) for name in ASKED],
    bases=(Switched,),
    kw_only=True,
)


class Plan(Requested, kw_only=True):
    """Arguments of plan."""

    save: Annotated[Name, Meta(description="save it under this name (writes)")] = ""
    propose: Annotated[bool, Meta(description="and propose it for approval")] = False


class Evaluate(Horizon, kw_only=True):
    """Arguments of evaluate."""

    spend: Annotated[
        dict[Name, float | Series | dict[Name, float]],
        Meta(
            max_length=1000,
            description="money by channel; for weeks a list by channel; for geos by "
            "geo and channel",
        ),
    ]


class Forecast(OfFit, kw_only=True):
    """Arguments of forecast."""

    periods: int | None = None
    multiply: Annotated[
        dict[Name, float],
        Meta(max_length=1000, description="multiples of channels' media"),
    ] = {}
    plan: Annotated[Name, Meta(description="id of a saved plan")] = ""
    media: Annotated[str, Meta(description="file of media", max_length=4096)] = ""
    goal: Annotated[float, Meta(description="outcome to reach")] | None = None


class Check(Struct, forbid_unknown_fields=True, kw_only=True):
    """Arguments of check."""

    project: Name = ""
    files: Files = []
    sheet: Names = []


class Columns(StatedColumns, frozen=True, kw_only=True):
    """What files are, with answers to what they leave open."""

    files: Files
    create: Annotated[
        Name, Meta(description="make a project of this name (writes)")
    ] = ""


class Fit(InProject, kw_only=True):
    """Arguments of fit."""

    chains: int | None = None
    warmup: int | None = None
    draws: int | None = None
    seed: int | None = None
    precision: Literal["float32", "float64"] | None = None


class Status(InProject, kw_only=True):
    """Arguments of status."""

    run: Annotated[Name, Meta(description="default the newest fit")] = ""


class Design(OfFit, kw_only=True):
    """Arguments of design_tests."""

    channel: Names = []
    weeks: Annotated[list[int], Meta(max_length=12)] = []
    kind: Annotated[list[Kind], Meta(max_length=3)] = []
    geos: Names = []
    leave_out: Names = []
    control: Names = []
    start: Name = ""
    top: Annotated[int, Meta(ge=1, le=50)] = 5
    save: Annotated[
        Name, Meta(description="plan the best under this name (writes)")
    ] = ""


class ReadTest(Struct, forbid_unknown_fields=True, kw_only=True):
    """Arguments of read_test."""

    project: Name = ""
    file: Annotated[
        str, Meta(max_length=4096, description="a table instead of a project")
    ] = ""
    treated: Names
    start: Name
    end: Name
    channel: Names = []
    leave_out: Names = []


class Refresh(InProject, kw_only=True):
    """Arguments of refresh."""

    files: Files = []
    accept: Annotated[bool, Meta(description="old rows may change")] = False


class Report(OfFit, kw_only=True):
    """Arguments of report."""

    out: Annotated[Name, Meta(description="a name ending .html, .pdf, .xlsx or .pptx")]
    plan: Annotated[Name, Meta(description="id of a saved plan to include")] = ""
    language: Annotated[
        Literal["en", "de", "fr", "es"] | None,
        Meta(description="default the project's"),
    ] = None


class Approval(InProject, kw_only=True):
    """Arguments of approval."""

    plan: Annotated[Name, Meta(description="a saved plan's id")] = ""
    step: Literal["propose", "approve", "decline", "comment"] | None = None
    text: Annotated[str, Meta(max_length=2000)] = ""


class SuggestPriors(InProject, kw_only=True):
    """Arguments of suggest_priors."""

    accept: Annotated[bool, Meta(description="write them to the project")] = False
    channels: Annotated[
        Names, Meta(description="which to accept; default all with a suggestion")
    ] = []


def parsed(tool: str, kind: type[Struct], arguments: dict[str, Any] | None) -> Any:
    """The arguments of a call.

    Args:
        tool: Its name.
        kind: What it takes.
        arguments: As they came.

    Raises:
        MMMError: One is missing, unknown, of another type, too long or not finite.
    """
    fields = ", ".join(kind.__struct_fields__) or "nothing"
    try:
        request = msgspec.convert(arguments or {}, kind)
    except msgspec.ValidationError as error:
        raise MMMError(
            f"{tool} cannot take this: {str(error)[:300]}.",
            hint=f"It takes {fields}.",
            where=tool,
        ) from error
    if not all(map(math.isfinite, _numbers(arguments or {}))):
        raise MMMError(
            f"{tool} cannot take numbers without end.", hint="Leave them out."
        )
    return request


def schema(kind: type[Struct]) -> dict[str, Any]:
    """JSON schema of a tool's arguments, as short as it can be."""
    (own,), parts = msgspec.json.schema_components([kind])
    own = parts.pop(own["$ref"].rpartition("/")[2])
    own = _short(own)
    own.pop("description", None)
    if parts:
        own["$defs"] = {name: _short(part) for name, part in parts.items()}
    refs = str(own).replace("#/components/schemas/", "#/$defs/")
    return own if refs == str(own) else _with_refs(own)


def _with_refs(part: Any) -> Any:
    if isinstance(part, dict):
        return {key: _with_refs(value) for key, value in part.items()}
    if isinstance(part, list):
        return [_with_refs(value) for value in part]
    if isinstance(part, str):
        return part.replace("#/components/schemas/", "#/$defs/")
    return part


def _short(part: Any) -> Any:
    """A schema without titles, defaults, limits of length and alternatives of null."""
    if isinstance(part, list):
        return [_short(value) for value in part]
    if not isinstance(part, dict):
        return part
    dropped = ("title", "default", "maxLength", "maxItems", "maxProperties")
    entries = {
        key: _short(value)
        for key, value in part.items()
        if key not in dropped or isinstance(value, dict)
    }
    options = [
        option for option in entries.get("anyOf", ()) if option != {"type": "null"}
    ]
    if len(options) == 1:
        del entries["anyOf"]
        return options[0] | entries
    if options:
        entries["anyOf"] = options
    if None in entries.get("enum", ()):
        entries["enum"] = [choice for choice in entries["enum"] if choice is not None]
    return entries


def _numbers(value: Any) -> Iterator[float]:
    """Every number in what came."""
    if isinstance(value, dict):
        for part in value.values():
            yield from _numbers(part)
    elif isinstance(value, list):
        for part in value:
            yield from _numbers(part)
    elif isinstance(value, int | float):
        yield value
