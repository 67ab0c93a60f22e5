"""Findings of limits: what is wrong with a request, collected, and refused together."""

from collections.abc import Sequence

from core.data.reading.findings import Finding
from core.errors import PlanError
from core.text.near import near_name


def fault(where: str, message: str, hint: str) -> Finding:
    """What stands against a request, and what would help."""
    return Finding("error", where, message, hint)


def unknown(kind: str, name: str, names: Sequence[str]) -> Finding:
    """A channel or geo that the fit does not have.

    Args:
        kind: `channel` or `geo`.
        name: The one that was named.
        names: Those there are.
    """
    near = near_name(name, names)
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    listed = f"It has {', '.join(names[:8])}{more}."
    return fault(
        name,
        f"There is no {kind} {name} with spend in this fit.",
        f"Did you mean {near}?" if near else listed,
    )


def refuse(findings: Sequence[Finding]) -> None:
    """Raise what stands against a request.

    Raises:
        PlanError: There is a finding.
    """
    if findings:
        others = len(findings) - 1
        more = f" ({others} more like it.)" if others else ""
        raise PlanError.of(findings, after=more)
