"""What init recognised in a table, in words."""

import argparse
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from core import PROGRAM, quoted
from core import text as fmt
from core.cli.answer import clean, table
from core.service.records.columns import ColumnMapping
from core.text.sentences import listed

if TYPE_CHECKING:
    import pandas as pd


def in_words(
    folder: Path,
    frame: "pd.DataFrame",
    mapping: ColumnMapping,
    options: argparse.Namespace,
    currency: str,
) -> str:
    """What was recognised, for people, and what to do where it is wrong.

    Args:
        folder: The project's.
        frame: Its table.
        mapping: The role of each column.
        options: Of the command line.
        currency: Of spend and revenue; empty where unknown.
    """
    roles = [("time", mapping.time), ("geo", mapping.geo), ("KPI", mapping.kpi)]
    roles += [
        ("value per KPI unit", mapping.revenue_per_kpi),
        ("population", mapping.population),
        ("controls", ", ".join(mapping.controls)),
        ("events from", ", ".join(options.events)),
        ("not used", listed(_unused(frame, mapping, options.events), limit=12)),
        (
            "currency",
            currency or 'not known; currency = "EUR" atop project.toml says it',
        ),
    ]
    lines = [f"{role + ':':<20}{column}" for role, column in roles if column]
    channels = table(
        ("Channel", "Kind", "Columns"),
        [
            (c.name, c.kind, ", ".join(dict.fromkeys(c.columns())))
            for c in mapping.channels
        ],
        texts=3,
    )
    file = folder / "project.toml"
    end = f"Change what is wrong in {file}, then: {PROGRAM} check {quoted(folder)}"
    n_rows = fmt.count(len(frame), "row")
    head = f"{folder}: {n_rows}. {_kind(frame, mapping, options)}"
    return clean("\n".join([head, *lines, "", channels, "", end]))


def _unused(
    frame: "pd.DataFrame", mapping: ColumnMapping, events: Collection[str]
) -> list[str]:
    """Columns that nothing reads, as a wrong guess would leave them."""
    from core.service.data.roles import explained

    return [
        entry.column
        for entry in explained(frame, mapping)
        if entry.role == "ignored" and entry.column not in events
    ]


def _kind(frame: "pd.DataFrame", mapping: ColumnMapping, options) -> str:
    """What the KPI counts, and why that was guessed."""
    from core.service.data.roles import kind_explained, kind_of_kpi

    if options.kpi_is is not None or options.value is not None:
        return kind_of_kpi(mapping)
    explanation, is_sure = kind_explained(frame, mapping)
    remedy = "" if is_sure else " Set kpi_type in project.toml if it is wrong."
    return f"{explanation}{remedy}"
