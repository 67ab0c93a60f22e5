"""Where the public reference data and numbers are, and what to do without them."""

import json
import os
from functools import cache
from pathlib import Path

import pytest

from core.data.mapping import ChannelColumns, ColumnMapping

#: Folder with `data/` and `cases/`, beside the repository unless told otherwise.
REFERENCE = Path(
    os.environ.get(
        "MIXWRIGHT_REFERENCE",
        Path(__file__).resolve().parents[2] / "shared" / "reference",
    )
)

#: Marks a test that cannot run without them.
needs_reference = pytest.mark.skipif(
    not (REFERENCE / "data").is_dir(),
    reason=f"no reference data at {REFERENCE}: set MIXWRIGHT_REFERENCE",
)


def reference_data(name: str) -> Path:
    """Path of a reference table."""
    return REFERENCE / "data" / name


def case_names() -> list[str]:
    """Names of the reference cases; none where there is no reference data."""
    return sorted(path.parent.name for path in REFERENCE.glob("cases/*/case.json"))


@cache
def case(name: str) -> dict:
    """What a reference case is: its table, columns, options and priors."""
    return json.loads((REFERENCE / "cases" / name / "case.json").read_text())


def case_mapping(columns: dict) -> ColumnMapping:
    """The `columns` of a case as a mapping."""
    channels = [
        *(
            ChannelColumns(
                entry["channel"], "media", media=entry["media"], spend=entry["spend"]
            )
            for entry in columns["media"]
        ),
        *(
            ChannelColumns(
                entry["channel"],
                "reach_frequency",
                reach=entry["reach"],
                frequency=entry["frequency"],
                spend=entry["spend"],
            )
            for entry in columns["rf"]
        ),
        *(
            ChannelColumns(entry["channel"], "organic_media", media=entry["media"])
            for entry in columns["organic_media"]
        ),
        *(
            ChannelColumns(
                entry["channel"],
                "organic_reach_frequency",
                reach=entry["reach"],
                frequency=entry["frequency"],
            )
            for entry in columns["organic_rf"]
        ),
        *(
            ChannelColumns(name, "non_media", column=name)
            for name in columns["non_media_treatments"]
        ),
    ]
    return ColumnMapping(
        time=columns["time"],
        kpi=columns["kpi"],
        geo=columns["geo"],
        kpi_type=columns["kpi_type"],
        revenue_per_kpi=columns["revenue_per_kpi"],
        population=columns["population"],
        controls=tuple(columns["controls"]),
        channels=tuple(channels),
    )
