"""What the model options are about, and the keys of their widgets."""

from dataclasses import dataclass

from core.service.records.columns import ColumnMapping
from core.service.records.model import Market
from pages.ui import state


@dataclass(frozen=True)
class Scope:
    """What the options are about.

    Attributes:
        market: Periods and geos.
        mapping: Controls and treatments.
        is_analyst: Whether families and parameters are shown.
        default_knots: Number of knots of a new project with this table.
    """

    market: Market
    mapping: ColumnMapping
    is_analyst: bool
    default_knots: int | None = None


def key(name: str) -> str:
    """Key of the widget of an option."""
    return f"model.option.{name}.{state.edition('options')}"
