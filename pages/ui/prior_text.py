"""Priors as an analyst types them: `LogNormal(0.2, 0.9)`, and back."""

import difflib
import re

from core.errors import SpecError
from core.model.prior import PARAMETERS, Prior

_WRITTEN = re.compile(
    r"\s*(?:(?P<shift>[-+.\deE]+)\s*\+\s*)?(?P<family>\w+)\s*\((?P<n>[^()]*)\)\s*"
)
_EXAMPLE = "Write it like LogNormal(0.2, 0.9)."


def parse(text: str, where: str = "") -> Prior:
    """The prior that a text describes.

    Raises:
        SpecError: It is not a prior, or an impossible one.
    """
    found = _WRITTEN.fullmatch(text)
    if found is None:
        raise SpecError(
            f"{where}: {text.strip()[:60]!r} is not a prior.".lstrip(": "),
            hint=_EXAMPLE,
            where=where,
        )
    family = _family(found["family"], where)
    try:
        values = tuple(float(part) for part in found["n"].split(",") if part.strip())
        shift = float(found["shift"] or 0)
    except ValueError as error:
        raise SpecError(
            f"{where}: {found['n']!r} are not numbers.".lstrip(": "),
            hint=f"{family} takes {', '.join(PARAMETERS[family])}. {_EXAMPLE}",
            where=where,
        ) from error
    return Prior(family, values, shift)


def _family(name: str, where: str) -> str:
    by_lower = {family.lower(): family for family in PARAMETERS}
    if name.lower() in by_lower:
        return by_lower[name.lower()]
    near = difflib.get_close_matches(name.lower(), by_lower, 1, 0.5)
    nearest = f"Did you mean {by_lower[near[0]]}? " if near else ""
    raise SpecError(
        f"{where}: there is no prior family {name}.".lstrip(": "),
        hint=f"{nearest}Use one of {', '.join(PARAMETERS)}.",
        where=where,
    )
