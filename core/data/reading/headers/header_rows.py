"""Headers of several rows: a channel above `Spend` and `Impressions`, or units below.

Workbooks say `Search` once, in a merged cell, above two columns called Spend and
Impressions; or `Spend` above the channels; or `EUR` below a name. All of these rows are
the name.
"""

import datetime as dt
import re
from collections.abc import Sequence

from core.data.cells.words import CURRENCY, MEDIA, SPEND, word_set, words
from core.data.reading.headers.repeated_headers import is_part

_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]|[€$£#%]")
#: What a row of data says where it has no number.
_NOTHING = word_set("header_rows.nothing")
#: What Excel writes into the corners of a pivot table.
_SUM_OF = re.compile(r"(?:sum of|summe von|somme de|suma de|somma di)\s+(.+)", re.I)
_LABELS = re.compile(
    r"row labels|zeilenbeschriftungen|étiquettes de lignes|etiquetas de fila|"
    r"etichette di riga",
    re.I,
)
_GRAND_TOTAL = ("grand total", "gesamtergebnis", "total général", "total general")
#: A unit or a name is short; a longer text is a remark.
_LONG = 40
#: A remark such as the day of an export, which names no group.
_DATE = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}")
#: Rows above the names of a table, at most.
_TITLES = 50
#: Columns of numbers below a second row of names, at least.
_LEAST = 2


def with_group_names(above: Sequence[str], header: Sequence[str]) -> list[str]:
    """Names with those of the groups that stand in the row above.

    Groups stand right of the first column, each above the first of its columns; a cell
    merged over both rows is the name itself. A title stands alone, wherever; a group
    that stands alone says a measure that the names below it lack, or whose the measures
    below it are. A name that says its group already is left as it is.
    """
    pivot = _of_pivot(above, header)
    if pivot:
        return pivot
    groups = _filled_right([cell.strip() for cell in above], len(header))
    places = [at for at, cell in enumerate(above) if cell.strip()]
    is_merged = len(places) > 1 and bool(header) and not header[0].strip()
    if not places or (places[0] == 0 and not is_merged) or _is_title(above, header):
        return list(header)
    own = [cell.strip() for cell in above] + [""] * len(header)
    header = [name if name.strip() else own[at] for at, name in enumerate(header)]
    return [
        (f"{name} {group}" if _is_measure(group) else f"{group} {name}")
        if group and name.strip() and not _has(name, group)
        else name
        for group, name in zip(groups, header, strict=True)
    ]


def with_rows_below(rows: Sequence[Sequence[str]]) -> tuple[list[str], int] | None:
    """Names that go on in the rows below them, and how many rows these are.

    Below a row of channels may stand one of measures, and below that one of units.
    None where the row below the names is data.

    Args:
        rows: The names, and what is below them.
    """
    places = [at for at, row in enumerate(rows) if any(cell.strip() for cell in row)]
    header, *others = (rows[at] for at in places[:4])
    if len(others) > 1 and (names := with_second_row(header, *others[:2])):
        return names, places[1]
    below = with_second_row(*others) if len(others) > _LEAST else None
    whole = below and with_second_row(header, below, others[2])
    return (whole, places[2]) if whole else None


def with_second_row(
    header: Sequence[str], second: Sequence[str], third: Sequence[str]
) -> list[str] | None:
    """Names whose second half, a measure or a unit, stands in the row below them.

    None where that row is data: it has a digit, or no column of numbers begins below
    its texts.
    """
    width = len(header)
    under = [cell.strip() for cell in second][:width]
    under += [""] * (width - len(under))
    filled = [cell for cell in under if cell]
    if len(filled) < max(_LEAST, width / 3) or any(map(_is_data, filled)):
        return None
    values = [cell.strip() for cell in third][:width]
    begins = [at for at, cell in enumerate(values) if _DIGIT.search(cell) and under[at]]
    if len(begins) < _LEAST:
        return None
    names = [cell.strip() for cell in header]
    groups = _filled_right(names, width)
    return [
        f"{group} {below}".strip() if below and not (group and _has(below, group)) else
        (below or name)
        for name, group, below in zip(names, groups, under, strict=True)
    ]  # fmt: skip


def tables_among(rows: Sequence[Sequence[object]]) -> list[str]:
    """The ranges of several tables that share a sheet; none where it is one.

    Tables stand below each other, a blank row and a row of names between them, or side
    by side, a blank column between them and dates in the first column of each.
    """
    bands: list[list[int]] = []
    for at, row in enumerate(rows):
        if not _filled(row):
            continue
        if not bands or (not _filled(rows[at - 1]) and _begins_other(rows, bands, at)):
            bands.append([at, at])
        bands[-1][1] = at
    bands = [band for band in bands if _numbered(rows[band[0] : band[1] + 1])]
    tables = []
    for first, last in bands:
        part = rows[first : last + 1]
        for left, right in _side_by_side(part):
            tables.append(f"{_letters(left)}{first + 1}:{_letters(right)}{last + 1}")
    return tables if len(tables) > 1 else []


def _filled(row: Sequence[object]) -> list[object]:
    return [cell for cell in row if cell is not None and str(cell).strip()]


def _begins_other(
    rows: Sequence[Sequence[object]], bands: list[list[int]], at: int
) -> bool:
    """Whether another table begins: its names, or its title above them.

    A table that repeats its header below a title of a part, or none, goes on.
    """
    first = _header_of(rows, bands[-1][0])
    below = at if _begins(rows, at) else at + 1
    if not _begins(rows, below) or (below > at and len(_filled(rows[at])) > 1):
        return False
    if _header_texts(rows[below]) != _header_texts(rows[first]):
        return True
    titles = tuple(str(cell) for row in rows[:first] for cell in _filled(row))
    return below > at and not is_part(str(_filled(rows[at])[0]), titles)


def _header_of(rows: Sequence[Sequence[object]], at: int) -> int:
    """The row of names of a table that begins in a row: there, or below its title."""
    until = min(at + _TITLES, len(rows))
    return next((row for row in range(at, until) if _begins(rows, row)), at)


def _header_texts(row: Sequence[object]) -> list[str]:
    return ["" if cell is None else str(cell).strip() for cell in row]


def _begins(rows: Sequence[Sequence[object]], at: int) -> bool:
    """Whether a row holds names of columns, and the one below it numbers."""
    if at >= len(rows):
        return False
    names = _filled(rows[at])
    if len(names) < _LEAST or not all(isinstance(cell, str) for cell in names):
        return False
    below = _filled(rows[at + 1]) if at + 1 < len(rows) else []
    return len(below) >= len(names) - 1 and any(map(_is_amount, below))


def _numbered(rows: Sequence[Sequence[object]]) -> bool:
    """Whether rows are a table: some of them have numbers."""
    return sum(any(map(_is_amount, row)) for row in rows) > _LEAST


def _is_amount(cell: object) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _side_by_side(rows: Sequence[Sequence[object]]) -> list[tuple[int, int]]:
    """First and last column of each table; all of them as one where it is one."""
    width = max(map(len, rows))
    has = [
        any(at < len(row) and _filled(row[at : at + 1]) for row in rows)
        for at in range(width)
    ]
    spans: list[list[int]] = []
    for at in range(width):
        if has[at] and (not at or not has[at - 1] or not spans):
            spans.append([at, at])
        elif has[at]:
            spans[-1][1] = at
    if len(spans) > 1 and all(_has_dates(rows, *span) for span in spans):
        return [(left, right) for left, right in spans]
    return [(spans[0][0], spans[-1][1])] if spans else []


def _has_dates(rows: Sequence[Sequence[object]], left: int, right: int) -> bool:
    """Whether columns are a table of their own, with dates in the first."""
    cells = [row[left] for row in rows if left < len(row) and row[left] is not None]
    dates = [
        isinstance(cell, dt.date) or bool(_DATE.search(str(cell))) for cell in cells
    ]
    return right > left and sum(dates) > len(cells) / 2


def _letters(column: int) -> str:
    """A column as spreadsheets call it: 0 is A."""
    name = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def _is_title(above: Sequence[str], header: Sequence[str]) -> bool:
    """Whether a row above names is a title or a remark, and no row of groups."""
    filled = {at: cell for at, cell in enumerate(above) if cell.strip()}
    if max(filled) >= len(header):
        return True
    if any(len(cell) > _LONG or _DATE.search(cell) for cell in filled.values()):
        return True
    if len(filled) > 1:
        return False
    at, cell = next(iter(filled.items()))
    if _is_measure(cell):
        return any(map(_is_measure, header[at:]))
    below = {word.text for word in words(header[at])}
    return not below <= SPEND | MEDIA | CURRENCY


def _is_measure(name: str) -> bool:
    return not {word.text for word in words(name)}.isdisjoint(SPEND | MEDIA)


def _of_pivot(above: Sequence[str], header: Sequence[str]) -> list[str]:
    """Names of a pivot table, whose corner says what all its columns are sums of."""
    corner = _SUM_OF.match(above[0].strip()) if above else None
    if corner is None or not _LABELS.match(header[0].strip()):
        return []
    measure, whole = corner.group(1), header[-1].strip().casefold()
    names = [f"{name} {measure}" if name.strip() else name for name in header[1:]]
    if whole in _GRAND_TOTAL:
        names[-1] = f"Total {measure}"
    return [header[0], *names]


def _filled_right(cells: Sequence[str], width: int) -> list[str]:
    """Each cell, or the last one before it that is filled."""
    result, last = [], ""
    for cell in [*cells, *[""] * width][:width]:
        last = cell or last
        result.append(last)
    return result


def _is_data(cell: str) -> bool:
    is_word = _LETTER.search(cell) and cell.casefold() not in _NOTHING
    return bool(_DIGIT.search(cell)) or not is_word or len(cell) > _LONG


def _has(name: str, group: str) -> bool:
    return group.casefold() in name.casefold()
