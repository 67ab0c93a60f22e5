"""Grouping: which channel each row of a file of campaigns belongs to.

Names are made once per different combination of cells, never per row.
"""

import re
from fnmatch import fnmatchcase

import numpy as np
import pandas as pd

from core.data.cells.labels import as_written
from core.data.layout.recipe import Source
from core.errors import SchemaError

OTHER = "Other"
_FIRST = re.compile(r"^\W*([^\W_]+)")


def channels(frame: pd.DataFrame, source: Source) -> tuple[np.ndarray, list[str]]:
    """The channel of every row, as a position in the list of names.

    Names that differ in case or spaces only are one channel.

    Raises:
        SchemaError: The pattern is not a regular expression.
    """
    codes, cells = _distinct(frame, source.channel)
    pattern = _compiled(source)
    names = [_named(parts, source, pattern) for parts in cells]
    places: dict[str, int] = {}
    labels: list[str] = []
    position = np.empty(max(len(names), 1), dtype=np.int64)
    for at, name in enumerate(names):
        key = " ".join(name.casefold().split())
        if key not in places:
            places[key] = len(labels)
            labels.append(name)
        position[at] = places[key]
    return position[codes], labels


def _distinct(
    frame: pd.DataFrame, columns: tuple[str, ...]
) -> tuple[np.ndarray, list[tuple[str, ...]]]:
    """The combination of cells of every row, and each combination once."""
    together = np.zeros(len(frame), dtype=np.int64)
    labels: list[list[str]] = []
    for name in columns:
        codes, values = pd.factorize(as_written(frame[name]).to_numpy(dtype=object))
        together = together * (len(values) + 1) + codes + 1
        labels.append(["", *(" ".join(str(value).split()) for value in values)])
    unique, codes = np.unique(together, return_inverse=True)
    cells = []
    for number in unique:
        rest, parts = int(number), []
        for texts in reversed(labels):
            rest, at = divmod(rest, len(texts))
            parts.append(texts[at])
        cells.append(tuple(reversed(parts)))
    return codes.reshape(-1), cells


def _named(
    parts: tuple[str, ...], source: Source, pattern: re.Pattern[str] | None
) -> str:
    """The channel that a combination of cells stands for."""
    full = " ".join(dict.fromkeys(part for part in parts if part))
    name = full
    if pattern is not None:
        match = pattern.search(full)
        name = (
            next((text for text in match.groups() if text), match[0]) if match else ""
        )
        name = name.strip()
    elif source.first_word:
        match = _FIRST.match(full)
        name = match[1] if match else full
    name = name or OTHER
    for group, patterns in source.groups:
        if any(_fits(name, glob) or _fits(full, glob) for glob in patterns):
            return group
    has_prefix = name.casefold().startswith(source.prefix.casefold())
    return name if not source.prefix or has_prefix else f"{source.prefix} {name}"


def _fits(name: str, glob: str) -> bool:
    name, glob = name.casefold(), glob.casefold()
    return name == glob or fnmatchcase(name, glob)


def _compiled(source: Source) -> re.Pattern[str] | None:
    if source.pattern is None:
        return None
    try:
        return re.compile(source.pattern)
    except re.error as error:
        raise SchemaError(
            f"The pattern {source.pattern} for channels of {source.name} cannot be "
            f"read: {error}.",
            hint="Write a regular expression such as ^([A-Za-z]+)_ whose first group "
            "is the channel.",
            where=source.name,
        ) from error
