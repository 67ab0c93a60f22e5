"""Row totals: rows of an export that sum up other rows, which would count twice.

An export broken down by device has "All" beside mobile and desktop; one of several
levels has a campaign's row beside those of its ads; one by attribution window has the
same cost in every row. Names differ, so each value of a text column is tested for
being the sum of the others, date by date.
"""

import numpy as np
import pandas as pd

from core.data.cells.labels import as_written
from core.data.cells.words import word_set
from core.data.layout.kinds.contents import columns_of
from core.data.layout.kinds.exports import File
from core.data.layout.kinds.vocabulary import (
    LEVELS,
    MEASURES,
    is_total,
    is_variable,
    level,
    measure,
    spoken,
)
from core.data.reading.numbers import as_numbers
from core.errors import SchemaError
from core.text.sentences import count, listed, verb

#: How close a sum is to its total, as a share of it: cells are rounded.
_SAME = 2e-3
#: Share of dates on which they agree.
_DATES = 0.95
#: Different sums, at least: equal flat budgets are no copies.
_DISTINCT = 5
#: Spread of a part's share of a total, at least, where parts are no fixed shares.
_VARIES = 0.01
#: Values of a column that are all tested; of more, only those with a total's name.
_VALUES = 60
_ALL = word_set("row_totals.all")
#: Two or more measures that agree on every date are no chance.
_SURE = 2


def without_row_totals(file: File) -> File:
    """The rows of single values, and what was left out.

    Raises:
        SchemaError: Rows repeat the same amounts for each value of a column.
    """
    if file.date is None or not file.frame[file.date].duplicated().any():
        return file
    columns = columns_of(file)
    measured = [name for name in columns.numbers if measure(name) in _SUMMED]
    if not measured or any(map(is_variable, columns.texts)):
        return file
    for name in columns.texts:
        file = _without_total(file, name, measured, columns.geo)
    texts = columns_of(file).texts
    for name in columns.texts:
        rest = [other for other in texts if other != name]
        _refuse_copies(file, name, rest, measured)
    return file


_SUMMED = tuple(what for what in MEASURES if what != "reach")  # people are not added


def _without_total(file: File, name: str, measured: list[str], geo: str | None) -> File:
    """The rows without a value of a column that is the sum of its others."""
    values, cells = _cells(file.frame[name])
    if len(values) < 2:
        return file
    tested = [at for at, text in enumerate(values) if _is_whole(text)]
    if len(values) <= _VALUES:
        tested += [at for at in range(len(values)) if at not in tested]
    keys = _keys(file.frame, [str(file.date), *([geo] if geo else [])])
    amounts = [np.nan_to_num(as_numbers(file.frame[m]).values) for m in measured]
    levels = len(values) <= len(LEVELS) + 1 and all(map(_is_level, values))
    finest = max(range(len(values)), key=lambda at: (cells == at).sum())
    for at in tested:
        mine = cells == at
        # A campaign's rows are as much as its ad groups', and as its ads'.
        parts = len(values) - 1 if levels else 1
        if not _is_sum(mine, keys, amounts, parts):
            continue
        if levels and at == finest:
            continue
        sure = len(values) > 2 and len(measured) >= _SURE
        if not (_is_whole(values[at]) or levels):
            if len(values) > _VALUES or _is_proportional(mine, keys, cells, amounts):
                continue
        if sure or levels or _is_whole(values[at]):
            rest = _left_out(file, name, values[at], mine)
            return _without_total(rest, name, measured, geo)
        return _near(file, name, values[at])
    return file


def _is_sum(
    mine: np.ndarray, keys: np.ndarray, amounts: list[np.ndarray], parts: int
) -> bool:
    """Whether some rows are the sum of the others, in every measure and date."""
    on = np.unique(keys[mine])
    for values in amounts:
        own = np.bincount(keys[mine], values[mine], keys.max() + 1)[on]
        others = np.bincount(keys[~mine], values[~mine], keys.max() + 1)[on] / parts
        live = (own != 0) | (others != 0)
        if not live.any():
            continue
        gap = np.abs(own - others)[live] <= _SAME * np.abs(own[live])
        if len(np.unique(own[live].round(2))) < _DISTINCT or gap.mean() < _DATES:
            return False
    return any(values[mine].any() for values in amounts)


def _is_proportional(
    mine: np.ndarray, keys: np.ndarray, cells: np.ndarray, amounts: list[np.ndarray]
) -> bool:
    """Whether every part is the same share of the rows on each date.

    Of money that is split by fixed shares, a half is the sum of the rest.
    """
    values = amounts[0]
    own = np.bincount(keys[mine], values[mine], keys.max() + 1)
    for at in np.unique(cells[~mine]):
        part = np.bincount(keys, values * (cells == at), keys.max() + 1)
        if np.std(part[own > 0] / own[own > 0]) > _VARIES:
            return False
    return True


def _refuse_copies(file: File, name: str, rest: list[str], measured: list[str]) -> None:
    """Refuse rows that repeat the same amounts for each value of a column.

    Args:
        file: The table.
        name: The column.
        rest: The other columns of text, which tell rows of one date apart.
        measured: Columns of amounts.

    Raises:
        SchemaError: Cost stands once for each attribution window.
    """
    values, cells = _cells(file.frame[name])
    if level(name) or not 1 < len(values) <= _VALUES:
        return
    keys = _keys(file.frame, [str(file.date), *rest])
    dates = _keys(file.frame, [str(file.date)])
    if keys.max() == dates.max():  # the date alone tells: a KPI beside its parts
        return
    if len(values) == 2 and len(measured) < _SURE:
        return
    for column in measured:
        amounts = np.nan_to_num(as_numbers(file.frame[column]).values)
        table = np.full((len(values), keys.max() + 1), np.nan)
        table[cells, keys] = amounts
        whole = np.isfinite(table).all(axis=0)
        equal = np.ptp(table[:, whole], axis=0) == 0
        distinct = len(np.unique(table[0, whole]))
        if whole.mean() < _DATES or distinct < _DISTINCT or equal.mean() < _DATES:
            return
    message = (
        f"{listed(measured)} of {file.called} {verb(len(measured), 'are')} the same "
        f"for every {name} ({listed([str(v) for v in values])}), so the sum would "
        f"count {'twice' if len(values) == 2 else f'{len(values)} times'}."
    )
    hint = f"Keep the rows of one {name}, or export without it."
    raise SchemaError(message, hint=hint, where=file.where(name))


def _cells(column: pd.Series) -> tuple[list[str], np.ndarray]:
    """The values of a column, an empty one among them, and the place of each row's."""
    texts = as_written(column).astype("str").str.strip().where(column.notna(), "")
    codes, values = pd.factorize(texts)
    return [str(value) for value in values], codes


def _keys(frame: pd.DataFrame, names: list[str]) -> np.ndarray:
    """A number for each combination of cells."""
    return frame.groupby(names, dropna=False, sort=False).ngroup().to_numpy()


def _is_whole(text: str) -> bool:
    """Whether a cell has the name of a total, or none."""
    sentence = spoken(text)
    return not sentence or is_total(text) or sentence[0] in _ALL


def _is_level(text: str) -> bool:
    """Whether a cell names a level of an account: `Campaign`, `Ad set`, `Total`."""
    plain = not any(sign.isdigit() for sign in text) and len(spoken(text)) < 3
    return _is_whole(text) or bool(level(text) and plain)


def _left_out(file: File, name: str, value: str, mine: np.ndarray) -> File:
    called = f"{name} {value}" if value else f"Rows without {name}"
    is_ = "is" if value else "are"
    message = (
        f"{called} of {file.called} {is_} the sum of the other rows and {is_} left out "
        f"({count(int(mine.sum()), 'row')}): it would count twice."
    )
    return file.noted(message, name, frame=file.frame[~mine])


def _near(file: File, name: str, value: str) -> File:
    message = (
        f"{name} {value} of {file.called} is the sum of the other rows on every date. "
        "If it is their total, it counts twice."
    )
    hint = f"Delete the rows of {value} if it is a total."
    return file.noted(message, name, hint=hint)
