"""Findings: what a check saw, how bad it is, where, and what to do about it."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Literal

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True)
class Finding:
    """One observation about the data or the options.

    Attributes:
        severity: `error` blocks a fit, `warning` deserves a look, `info` is to read.
        where: The file, column, row, geo, channel or date it is about.
        message: What was seen, in one sentence that names the culprit.
        hint: The remedy, in one sentence; empty where nothing has to be done.
    """

    severity: Severity
    where: str
    message: str
    hint: str = ""

    def as_dict(self) -> dict[str, str]:
        """The finding as the command line prints it."""
        return asdict(self)


def blocks(findings: Iterable[Finding]) -> bool:
    """Whether any finding blocks a fit."""
    return any(finding.severity == "error" for finding in findings)
