"""A geo that is the sum of the others, whatever its name."""

import numpy as np
import pandas as pd

from core.data.layout.dating import read_dates
from core.data.layout.kinds.exports import File
from core.data.layout.kinds.vocabulary import is_total
from core.data.layout.recipe import Source
from core.data.reading.doubts import known_dates
from core.data.reading.numbers import as_numbers
from core.errors import SchemaError
from core.text.sentences import listed

#: Sums agree to this share, which rounding needs.
_SAME = 5e-3
_DATES = 3


def total_geo(source: Source, file: File) -> str | None:
    """The geo whose amounts are those of all others together, on every date.

    Raises:
        SchemaError: It is so in some columns, and has amounts of its own in others.
    """
    if source.geo is None:
        return None
    names = [column for _, column in source.amounts]
    names = [source.value] if source.kind == "variables" and source.value else names
    answer = source.dates or known_dates(file.frame)
    read = read_dates(file.frame[source.date], answer)
    if not names or (read.doubt is not None and answer is None):
        return None
    frame = pd.DataFrame({"date": read.values, "geo": _geos(file.frame[source.geo])})
    if frame["geo"].nunique() < 3 and not any(map(is_total, frame["geo"].unique())):
        return None
    about = ["date"]
    if source.kind == "variables":
        frame["about"] = file.frame[str(source.variable)].astype("str").to_numpy()
        about = ["date", "about"]
    for name in names:
        frame[name] = as_numbers(file.frame[name], source.decimal).values
    for geo in frame["geo"].unique():
        if geo and _is_total(frame, geo, names, about, file):
            return str(geo)
    return None


def _geos(column: pd.Series) -> np.ndarray:
    if pd.api.types.is_numeric_dtype(column.dtype):
        column = column.astype("Int64")
    return column.astype("str").str.strip().where(column.notna(), "").to_numpy()


def _is_total(
    frame: pd.DataFrame, geo: str, names: list[str], about: list[str], file: File
) -> bool:
    """Whether a geo is the sum of the others in every column of amounts."""
    mine = frame["geo"] == geo
    own = frame[mine].groupby(about)[names].sum()
    others = frame[~mine].groupby(about)[names].sum().reindex(own.index)
    most = frame[~mine].groupby(about)[names].max().reindex(own.index)
    agree, differ = [], []
    for name in names:
        left, right = own[name].to_numpy(), others[name].to_numpy()
        is_live = (left != 0) & np.isfinite(right)
        if is_live.sum() < _DATES:
            if np.nansum(np.abs(right)) > 0:
                differ.append(name)
            continue
        same = np.isclose(left[is_live], right[is_live], rtol=_SAME, atol=1.0)
        same &= np.abs(right[is_live]) > 1e-9
        if same.mean() > 0.9 and np.unique(left[is_live]).size > 1:
            agree.append(name)
        elif not (left <= most[name].to_numpy() * (1 + _SAME)).all():  # not a level
            differ.append(name)
    if agree and differ:
        raise SchemaError(
            f"{geo} of {file.called} is the sum of the other geos in {listed(agree)}, "
            f"but not in {listed(differ)}.",
            hint=f"Delete the rows of {geo}, or give {listed(differ)} to the geos.",
            where=file.where(names[0]),
        )
    return bool(agree)
