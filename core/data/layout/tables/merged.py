"""Merged cells: a name that stands only in the first of the rows that it is about.

A spreadsheet shows one cell across several rows; its export has the name in the first
of them and nothing below it. Such rows would all be of a channel without a name.
"""

import pandas as pd

from core.data.checks.findings import Finding
from core.data.layout.kinds.exports import File
from core.data.layout.recipe import Source
from core.text.sentences import count

#: Share of empty cells from which names may stand for the rows below them.
_MANY = 0.05


def merged_names(source: Source, file: File) -> list[Finding]:
    """Columns of names that are empty below the first row of each group.

    Rows without a name of their own are no such rows: written with the name above
    them, they would be the same row twice.
    """
    names = [*source.channel, *filter(None, [source.variable])]
    frame = file.frame
    findings = []
    for name in names:
        empty = frame[name].isna().to_numpy()
        if not len(empty) or empty[0] or empty.mean() < _MANY:
            continue
        if _is_unique(source, frame, names, name):
            rows = count(int(empty.sum()), "row")
            message = (
                f"{name} of {file.called} is empty in {rows}, as where cells are "
                "merged and a name stands only in the first row that it is about."
            )
            hint = "Write the name into every row, and load the file again."
            findings.append(Finding("error", file.where(name), message, hint))
    return findings


def _is_unique(
    source: Source, frame: pd.DataFrame, names: list[str], name: str
) -> bool:
    """Whether no row comes twice where empty cells have the name above them."""
    keys = frame[[source.date, *filter(None, [source.geo]), *names]].copy()
    keys[name] = keys[name].ffill()
    others = [
        text
        for text in frame.columns
        if text not in keys and not pd.api.types.is_numeric_dtype(frame[text].dtype)
    ]
    return not keys.assign(**{text: frame[text] for text in others}).duplicated().any()
