"""Marks: signs behind the lines of a plan in a terminal, and what they mean."""

from collections.abc import Sequence

from core.service.records.plan import Line

_MEANING = {
    "L": ("locked", "L: locked."),
    "!": (
        "beyond_seen",
        "!: more than was ever spent in a period; the curve is a guess.",
    ),
    "B": ("is_belief", "B: never ran in this fit; its response is a belief."),
}


def marks(line: Line, signs: str = "L!B") -> str:
    """The signs that a line has, of some."""
    return "".join(sign for sign in signs if getattr(line, _MEANING[sign][0]))


def legend(lines: Sequence[Line], signs: str = "L!B") -> list[str]:
    """What the signs of lines mean; those that none has are left out."""
    return [
        _MEANING[sign][1] for sign in signs if any(marks(line, sign) for line in lines)
    ]
