"""Lift tests as a table to edit: what is saved, what is still being typed.

Rows that say everything are saved at once. Rows that do not are kept in the session
until they do, so that nothing is lost on the way.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd
from msgspec.structs import asdict

from core.service.records.columns import Finding
from core.service.records.data import InputData
from core.service.records.lift_test import (
    DAYS,
    FIELDS,
    LISTS,
    NUMBERS,
    OPTIONAL,
    Entry,
    is_complete,
)
from core.text.languages.language import marked
from pages.ui import reading, state
from pages.ui.reader import tongue
from pages.ui.reader.once import once
from pages.ui.reading import Opened
from pages.ui.tables import csv

#: What fields of the table and of the form ask for.
MULTIPLE = marked(
    "Media of the arm that is compared with, as a multiple of what ran: 0 for none "
    "(the default), 0.5 for half, 1.5 for half as much again."
)
AMOUNT = marked("Spend of the other arm, where the channel was off in the test.")
HALF_LIFE = marked(
    "Weeks after which the test counts as half as many observations. Empty: it always "
    "counts in full."
)
_EVERY = (*FIELDS, *OPTIONAL)


def editor_key() -> str:
    """Key of the editor."""
    return f"experiments.table.{state.edition('experiments')}"


def base(here: Opened) -> list[Entry]:
    """The rows that the editor begins with: those saved, and those being typed."""
    edition, tests = state.draft("experiments.base", (None, []))
    if edition != state.edition("experiments"):
        tests = list(here.project.experiments)
        rebase(tests, afresh=False)
    elif not state.has(editor_key()):  # back from another screen
        tests = state.draft("experiments.now", tests)
        rebase(tests, afresh=False)
    return tests


def rebase(tests: list[Entry], *, afresh: bool = True) -> None:
    """Make rows the base of the editor and forget what was typed."""
    if afresh:
        state.start_afresh("experiments")
    state.keep("experiments.base", (state.edition("experiments"), tests))
    state.keep("experiments.now", tests)


def now() -> list[Entry]:
    """The rows as they were when the editor was last drawn."""
    return state.draft("experiments.now", [])


def add(tests: Iterable[Entry]) -> int:
    """Add rows below those that are there, unless they are; returns how many."""
    there = now()
    new = [row for row in tests if not (is_complete(row) and row in there)]
    rebase([*there, *new])
    return len(new)


def frame_of(tests: Iterable[Entry]) -> pd.DataFrame:
    """Rows as the editor takes them."""
    frame = pd.DataFrame(_records(tests), columns=list(_EVERY))
    for key in DAYS:
        frame[key] = pd.to_datetime(frame[key])
    for key in NUMBERS:
        frame[key] = frame[key].astype("float64")
    frame["channel"] = frame["channel"].astype("object")
    return frame


def _records(tests: Iterable[Entry]) -> list[dict[str, Any]]:
    """Every cell of tests, with lists as an editor takes them."""
    rows = [asdict(test) for test in tests]
    return [row | {key: list(row[key]) for key in LISTS} for row in rows]


def rows_of(frame: pd.DataFrame) -> list[Entry]:
    """Rows of the editor, with None where a cell is empty."""
    return [_cells(cells) for cells in frame.to_dict("records")]


def _cells(cells: Mapping[str, Any]) -> Entry:
    row: dict[str, Any] = {}
    for key in _EVERY:
        value = cells.get(key)
        if key in LISTS:
            row[key] = tuple(map(str, value)) if _is_list(value) else ()
            continue
        if value is None or pd.isna(value):
            row[key] = None
        elif key in DAYS:
            row[key] = str(pd.Timestamp(value).date())
        else:
            row[key] = float(value) if key in NUMBERS else str(value)
    return Entry(**row)


def _is_list(value: object) -> bool:
    return value is not None and not isinstance(value, str | float)


def save(here: Opened, tests: list[Entry]) -> bool:
    """Save the complete rows; whether project.toml changed.

    Raises:
        WorkspaceError: It was changed in another window, or cannot be written.
    """
    state.keep("experiments.now", tests)
    entries = tuple(row for row in tests if is_complete(row))
    if entries == tuple(here.project.experiments):
        return False
    reading.save(here, replace(here.project, experiments=entries))
    return True


def findings(here: Opened, tests: Iterable[Entry]) -> list[Finding]:
    """What is wrong with tests, given the project's channels and data."""
    from core.service.experiments.results import faults

    return faults(list(tests), here.project.mapping, data(here))


@once(
    lambda here: (here.data_sha, here.project.mapping),
    most=2,
    wait=tongue.Later("Reading the data"),
)
def data(here: Opened) -> InputData | None:
    """The market of the open project; None where its table has errors."""
    from core.service.tables import market

    return market(reading.table(here), here.project.mapping)


def as_csv(tests: Iterable[Entry], *, has_geos: bool) -> bytes:
    """The table as a file that can be read again."""
    tests = list(tests)
    used = [key for key in OPTIONAL if any(getattr(row, key) for row in tests)]
    keys = [key for key in (*FIELDS, *used) if has_geos or key != "geos"]
    frame = pd.DataFrame(_records(tests), columns=keys)
    for key in {*LISTS} & {*keys}:
        frame[key] = frame[key].map(lambda names: "; ".join(names or ()))
    return csv(frame)


def template(here: Opened, *, has_geos: bool) -> bytes:
    """A file to begin from: the columns, and a row that waits for its result."""
    channels = here.project.mapping.channels
    names = [channel.name for channel in channels if channel.kind != "non_media"]
    first = Entry(channel=next(iter(names), None))
    return as_csv([first], has_geos=has_geos)
