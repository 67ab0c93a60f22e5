"""A plan of geos as a table: a row per geo and channel."""

import csv
import io
from collections.abc import Mapping
from typing import Any

from core.text import escaping

_AMOUNTS = ("current", "planned", "low", "high")


def csv_text(told: Mapping[str, Any]) -> str:
    """Spend per geo and channel as CSV, amounts to the cent, geos one after another."""
    rows = csv.writer(text := io.StringIO(), lineterminator="\n")
    keys = ("current", "planned", "multiplier", "low", "high")
    keys += ("probability_up", "beyond_seen")
    rows.writerow(["geo", "channel", *keys])
    order = {row["name"]: place for place, row in enumerate(told["geos"])}
    for cell in sorted(told["cells"], key=lambda cell: order[cell["geo"]]):
        rows.writerow(
            [
                escaping.inert(cell["geo"]),
                escaping.inert(cell["channel"]),
                *(_written(key, cell[key]) for key in keys),
            ]
        )
    return text.getvalue()


def _written(key: str, value: Any) -> str:
    if key in _AMOUNTS:
        return f"{value:.2f}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4f}"
