"""Names of channels in rows: merged cells, and spellings that count as one.

A spreadsheet shows one cell across several rows; its export has the name in the first
of them and nothing below it. Such rows would all be of a channel without a name.
"""

import numpy as np
import pandas as pd

from core.data.layout.kinds.exports import File
from core.data.layout.recipe import Source
from core.data.reading.findings import Finding
from core.text.sentences import count, listed

#: Share of empty cells from which names may stand for the rows below them.
_MANY = 0.05
#: Share of dates on which two spellings both have rows, where they may be two names.
_BESIDE = 0.5


def merged_names(source: Source, file: File) -> list[Finding]:
    """Columns of names that are empty below the first row of each group.

    Rows without a name of their own are no such rows: written with the name above
    them, they would be the same row twice, or they are of variables that no row with a
    name is of, such as the revenue below the spend of channels.
    """
    names = [*source.channel, *filter(None, [source.variable])]
    frame = file.frame
    findings = []
    for name in names:
        empty = frame[name].isna().to_numpy()
        if not len(empty) or empty[0] or empty.mean() < _MANY:
            continue
        if source.variable not in (None, name) and _are_nobodys(source, frame, empty):
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


def alike_names(source: Source, file: File) -> list[Finding]:
    """Names that differ in case or spaces only, which are one channel.

    Where both have rows on the same dates they may be two campaigns.
    """
    if source.kind != "campaigns" or len(source.channel) != 1 or source.groups:
        return []
    name, frame = source.channel[0], file.frame
    cells = frame[name].dropna().astype("str")
    spellings: dict[str, list[str]] = {}
    for text in cells.unique():
        spellings.setdefault(" ".join(text.casefold().split()), []).append(text)
    findings = []
    for texts in spellings.values():
        if len({" ".join(text.split()) for text in texts}) < 2:  # noqa: PLR2004
            continue
        dates = [set(frame[source.date][cells.index[cells == t]]) for t in texts]
        shared = set.intersection(*dates)
        often = len(shared) > _BESIDE * min(map(len, dates))
        shown = listed(sorted(texts))
        message = f"{shown} of {name} in {file.called} count as one channel."
        hint = (
            f"They have rows on {count(len(shared), 'date')} in common: if they are "
            "two campaigns, give one of them another name."
        )
        kind = "warning" if often else "info"
        findings.append(Finding(kind, file.where(name), message, hint if often else ""))
    return findings


def _are_nobodys(source: Source, frame: pd.DataFrame, empty: np.ndarray) -> bool:
    """Whether rows without a name have variables of their own, each once per date."""
    variables = frame[source.variable]
    keys = [source.date, *filter(None, [source.geo]), source.variable]
    once = not frame.loc[empty, keys].duplicated().any()
    return once and set(variables[empty]).isdisjoint(variables[~empty])


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
