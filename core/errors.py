"""What can go wrong, as a tree.

* MMMError                 message: what is wrong; hint: what to do; where: the place
  x DataError              the file must change; carries every finding
    + SchemaError          a column is missing, doubled, or of the wrong type
    + CoverageError        dates or geos have gaps
    + ValueRangeError      a value is impossible (negative media, spend without media)
  x SpecError              an option or a prior must change
  x SamplingError          the fit could not produce draws (not finite, out of memory)
  x PlanError              no allocation satisfies the limits
  x WorkspaceError         a project, run or plan on disk is missing or damaged
    + ConflictError        somebody else saved the project since an edit of it began
  x AccessError            this person's role or quota does not allow it

A poor fit is not an error: it is a verdict with reasons.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

from core.process import uninterrupted

__all__ = [
    "AccessError",
    "ConflictError",
    "CoverageError",
    "DataError",
    "MMMError",
    "PlanError",
    "SamplingError",
    "SchemaError",
    "SpecError",
    "ValueRangeError",
    "WorkspaceError",
    "converted",
]


class MMMError(Exception):
    """Something the user can put right.

    Args:
        message: What is wrong, in one sentence that names the culprit.
        hint: What to do about it.
        where: File, column, geo, channel or date.
        findings: Every finding behind this error, where a check collected several.
    """

    def __init__(self, message: str, *, hint: str = "", where: str = "", findings=()):
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.where = where
        self.findings = tuple(findings)

    @classmethod
    def of(cls, findings: Sequence, *, after: str = "") -> "MMMError":
        """The error of several findings; it says the first.

        Args:
            findings: One and more, each with a message, a hint and a place.
            after: What stands after the message of the first.
        """
        first = findings[0]
        where, hint = first.where, first.hint
        return cls(first.message + after, hint=hint, where=where, findings=findings)

    def __str__(self) -> str:
        """Message and hint as one text."""
        return f"{self.message} {self.hint}".strip()


class DataError(MMMError):
    """The file must change."""


class SchemaError(DataError):
    """A column is missing, doubled, or of the wrong type."""


class CoverageError(DataError):
    """Dates or geos have gaps."""


class ValueRangeError(DataError):
    """A value is impossible."""


class SpecError(MMMError):
    """An option or a prior must change."""


class SamplingError(MMMError):
    """The fit could not produce draws."""


class PlanError(MMMError):
    """No allocation satisfies the limits."""


class WorkspaceError(MMMError):
    """A project, run or plan on disk is missing or damaged."""


class ConflictError(WorkspaceError):
    """Somebody else saved the project since an edit of it began."""


class AccessError(MMMError):
    """This person's role or quota does not allow it.

    Attributes:
        is_logged: Whether the audit log has the refusal already.
    """

    is_logged = False


_Kind = TypeVar("_Kind")


def converted(  # noqa: PLR0913
    content: Any,
    kind: type[_Kind],
    error: type[MMMError],
    fault: str,
    hint: str,
    whole: str,
) -> _Kind:
    """A record of what a file or JSON holds.

    Args:
        content: What it holds.
        kind: The record.
        error: What is raised where it is none.
        fault: The beginning of the message.
        hint: What to do about it.
        whole: The place where no part of the content is to blame.

    Raises:
        MMMError: It is none; `where` names the place.
    """
    import msgspec  # noqa: PLC0415  the supervisor stays on the standard library

    try:
        with uninterrupted():
            return msgspec.convert(content, kind)
    except msgspec.ValidationError as refused:
        place = str(refused).partition(" - at ")[2].strip("`$.") or whole
        raise error(f"{fault}: {refused}.", hint=hint, where=place) from refused
