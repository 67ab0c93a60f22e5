"""Geo totals: a row for the whole country among its geos, which would count twice.

Its name says nothing for sure ("Total", "DE", "Gesamt", an empty cell), so every geo is
tested for being the sum of the others, of some of them, or their average.
"""

import numpy as np
import pandas as pd

from core.data.cells.labels import as_written
from core.data.layout.kinds.contents import columns_of
from core.data.layout.kinds.dating import read_dates
from core.data.layout.kinds.exports import File
from core.data.layout.kinds.vocabulary import is_total
from core.data.reading.numbers import as_numbers
from core.errors import SchemaError
from core.text.languages.language import marked
from core.text.sentences import count, listed

#: How close a sum is to its total where cells are rounded, as a share of it.
_SAME = 1e-3
#: The same where a total has what no geo has: visitors from nowhere.
_NEAR = 0.05
#: Share of dates on which a column must agree.
_DATES = 0.95
#: A total and two parts: of two geos that are alike, only a name says which is which.
_FEWEST = 3
#: Of more geos, a region is looked for beside at most one level above it.
_MANY = 40


def without_geo_totals(file: File) -> File:
    """The rows of single geos, and what was left out.

    Raises:
        SchemaError: Geos are there at several levels: cities, regions and the country.
    """
    rest = _without_one(file)
    while rest is not file and len(rest.frame) < len(file.frame):
        file, rest = rest, _without_one(rest)
    return rest


def _without_one(file: File) -> File:
    """The rows without one geo that is a sum of others, or their average."""
    if file.date is None:
        return file
    columns = columns_of(file)
    if columns.geo is None:
        return file
    sums, names = _sums(file, columns.geo, columns.numbers)
    if not sums:
        return file
    for position, name in enumerate(names):
        shares = [_agreement(values, position) for values in sums]
        levels, is_exact = _levels([share for share in shares if share is not None])
        if not levels:
            continue
        is_named = name is None or is_total(name)
        if _has_fixed_shares(sums, position) and not is_named:
            continue
        if levels > 1:
            raise _several_levels(file, columns.geo, name)
        if len(names) < _FEWEST and not is_named:
            continue
        if is_exact or is_named:
            return _without(file, columns.geo, name)
        return _near(file, columns.geo, name)
    average = _average(sums, names)
    if average is not None:
        words = marked("the average of the other geos")
        return _without(
            file, columns.geo, names[average], words, marked("it is no place")
        )
    whole, parts = _subtotal(sums)
    if whole is None or names[whole] is None:
        return file
    words = f"the sum of {listed([str(names[part]) for part in parts])}"
    return _without(file, columns.geo, names[whole], words)


def _average(sums: list[np.ndarray], names: list[str | None]) -> int | None:
    """The geo that is the mean of the others in most columns, on every date."""
    if len(names) <= _FEWEST:
        return None
    for position in range(len(names)):
        shares = [_agreement(values, position) for values in sums]
        shares = [share for share in shares if share is not None]
        agree = [
            (np.abs(share / (len(names) - 1) - 1) <= _SAME).mean() >= _DATES
            for share in shares
        ]
        fixed = _has_fixed_shares(sums, position)
        if agree and sum(agree) * 2 > len(agree) and not fixed:
            return position
    return None


def _subtotal(sums: list[np.ndarray]) -> tuple[int | None, list[int]]:
    """A geo that is the sum of some others, and these; None where there is none.

    Geos whose numbers are their own are linearly independent, which one decomposition
    shows; only where they are not is every geo held against the others.
    """
    rows = np.concatenate(sums, axis=1).T
    sizes = np.linalg.norm(rows, axis=0)
    live = np.flatnonzero(sizes > 0)
    if len(live) < _FEWEST or len(rows) <= 2 * len(live):
        return None, []
    _, spread, ways = np.linalg.svd(rows[:, live] / sizes[live], full_matrices=False)
    if spread[-1] > _SAME:
        return None, []
    # Only those that take part in a dependency can be a sum of others.
    live = live[(np.abs(ways[spread <= _SAME]) > _SAME).any(axis=0)]
    if len(live) < _FEWEST:
        return None, []
    # Where a country is there beside its regions, a region must not stand for it.
    for aside in (-1, *range(len(live))):
        for at in range(len(live)):
            others = [each for each in range(len(live)) if each not in (at, aside)]
            parts = _parts(rows[:, live], at, others)
            if parts:
                return int(live[at]), [int(live[part]) for part in parts]
        if len(live) > _MANY:
            break
    return None, []


def _parts(rows: np.ndarray, at: int, others: list[int]) -> list[int]:
    """The columns among some that add up to one; none where they do not."""
    sizes = np.linalg.norm(rows, axis=0)
    unit = rows / sizes
    weights, *_ = np.linalg.lstsq(unit[:, others], unit[:, at], rcond=_SAME)
    raw = weights * sizes[at] / sizes[others]
    parts = [part for part, weight in zip(others, raw, strict=True) if weight > 0.5]
    whole = rows[:, parts].sum(axis=1)
    if len(parts) < 2 or np.isclose(whole, rows[:, at], rtol=_SAME).mean() < _DATES:
        return []
    live = whole != 0
    shares = rows[live][:, parts] / whole[live][:, None]
    return parts if (np.std(shares, axis=0) > 0.01).any() else []


def _has_fixed_shares(sums: list[np.ndarray], position: int) -> bool:
    """Whether every column is split between geos by shares that never change.

    Of money that was allocated by population, one geo can have as much as the others.
    """
    for by_geo in sums:
        own = by_geo[position]
        shares = by_geo[:, own != 0] / own[own != 0]
        if shares.shape[1] > 1 and (np.std(shares, axis=1) > 0.01).any():
            return False
    return True


def _sums(
    file: File, geo: str, numbers: tuple[str, ...]
) -> tuple[list[np.ndarray], list[str | None]]:
    """Sums by geo and date of each column that differs between geos."""
    dates = read_dates(file.frame[str(file.date)]).values
    column = file.frame[geo]
    cells = as_written(column).astype("str").str.strip().where(column.notna())
    codes, uniques = pd.factorize(cells, use_na_sentinel=False)
    names = [None if pd.isna(name) or not name else str(name) for name in uniques]
    days, day_codes = np.unique(dates, return_inverse=True)
    shape = (len(names), len(days))
    place = codes * len(days) + day_codes.reshape(-1)
    sums = []
    for name in numbers:
        values = np.nan_to_num(as_numbers(file.frame[name], ".").values)
        by_geo = np.bincount(place, values, shape[0] * shape[1]).reshape(shape)
        present = np.bincount(place, minlength=by_geo.size).reshape(shape) > 0
        spread = np.ptp(np.where(present, by_geo, by_geo.max(axis=0)), axis=0)
        # Else every geo has the nation's number.
        if len(names) < _FEWEST or (spread > 0).mean() > 0.5:
            sums.append(by_geo)
    return sums, names


def _agreement(by_geo: np.ndarray, position: int) -> np.ndarray | None:
    """Sum of the other geos over this one's, by date; None where it has nothing."""
    own = by_geo[position]
    others = by_geo.sum(axis=0) - own
    either = (own != 0) | (others != 0)
    if either.sum() < 2 or not own.any():
        return None
    with np.errstate(divide="ignore"):
        return others[either] / own[either]


def _levels(shares: list[np.ndarray]) -> tuple[int, bool]:
    """How many times the others add up to a geo, and whether to the digit.

    Zero where they do not. Most columns must agree: an average price or a temperature
    of the country is no sum.
    """
    for levels in (1, 2):
        for most, is_exact in ((_SAME, True), (_NEAR, False)):
            agree = [
                (np.abs(share - levels) <= most * levels).mean() >= _DATES
                for share in shares
            ]
            if agree and sum(agree) * 2 > len(agree):
                return levels, is_exact
    return 0, False


def _without(
    file: File,
    geo: str,
    name: str | None,
    words: str = marked("the sum of the other geos"),
    why: str = marked("it would count twice"),
) -> File:
    column = file.frame[geo]
    cells = as_written(column).astype("str").str.strip().where(column.notna(), "")
    is_whole = (cells == (name or "")).to_numpy()
    called = f"{geo} {name}" if name else f"Rows without a {geo}"
    verb = "is" if name else "are"
    message = (
        f"{called} of {file.called} {verb} {words} and {verb} left out "
        f"({count(int(is_whole.sum()), 'row')}): {why}."
    )
    frame = file.frame[~is_whole]
    return file.noted(message, geo, frame=frame)


def _near(file: File, geo: str, name: str | None) -> File:
    message = (
        f"{geo} {name} of {file.called} is nearly the sum of the other geos on every "
        "date. If it is the whole country, it counts twice."
    )
    hint = f"Delete the rows of {name} if it is a total."
    return file.noted(message, geo, hint=hint)


def _several_levels(file: File, geo: str, name: str | None) -> SchemaError:
    return SchemaError(
        f"{geo} in {file.called} has places at several levels: {name or 'the whole'} "
        "and two sets of parts that each add up to it.",
        hint="Keep the rows of one level only: regions, or cities.",
        where=file.where(geo),
    )
