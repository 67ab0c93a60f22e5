"""Spend per week as a table."""

import csv
import io
from typing import Any

from core.text import escaping


def csv_text(told: dict[str, Any]) -> str:
    """Spend per week, a row per week and a column per channel, as CSV."""
    rows = csv.writer(text := io.StringIO(), lineterminator="\n")
    rows.writerow(
        ["week", *(escaping.inert(str(row["name"])) for row in told["channels"])]
    )
    for place, week in enumerate(told["weeks"]):
        amounts = [f"{row['weeks'][place]:.2f}" for row in told["channels"]]
        rows.writerow([week, *amounts])
    return text.getvalue()
