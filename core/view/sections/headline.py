"""Headline numbers: each with its label, its interval and its unit, as a number too."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from core import text as fmt


@dataclass(frozen=True)
class Headline:
    """One number at the top of a screen, a report or a workbook.

    Attributes:
        label: What it is.
        value: The number as people read it.
        ci: Its 90 % interval in brackets, or a word on the number; may be empty.
        number: The number itself, a share as a fraction.
        ends: Both ends of its interval; None where it is no estimate.
        kind: What kind of number it is.
    """

    label: str
    value: str
    ci: str
    number: float
    ends: tuple[float, float] | None
    kind: fmt.Kind


def estimated(  # noqa: PLR0913
    label: str,
    estimate: Mapping[str, Any],
    kind: fmt.Kind,
    unit: str = "",
    *,
    centre: Literal["mean", "median"] = "mean",
    signed: bool = False,
) -> Headline:
    """A headline that is an estimate.

    Args:
        label: What it is.
        estimate: With `lo`, `hi` and the centre.
        kind: What kind of number it is.
        unit: Currency code of money, or the unit of a number.
        centre: The number before the brackets.
        signed: Show a plus sign.
    """
    text = fmt.estimate(estimate, kind, unit, centre=centre, signed=signed)
    value, _, bracket = text.partition(" (")
    ends = float(estimate["lo"]), float(estimate["hi"])
    return Headline(label, value, f"({bracket}", float(estimate[centre]), ends, kind)


def exact(label: str, number: float, kind: fmt.Kind, currency: str = "") -> Headline:
    """A headline that is known: a budget, a probability."""
    text = fmt.value(number, kind, currency)
    return Headline(label, text, "", float(number), None, kind)
