"""Headers of two rows: a channel above `Spend` and `Impressions`, or units below names.

Workbooks say `Search` once, in a merged cell, above two columns called Spend and
Impressions; or `Spend` above the channels; or `EUR` below a name. Both rows are the
name.
"""

import re
from collections.abc import Sequence

from core.data.recognition.words import CURRENCY, MEDIA, SPEND, words

_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]|[€$£]")
#: What a row of data says where it has no number.
_NOTHING = frozenset(
    "n/a na nan null none nil - -- – — yes no true false ja nein oui non si kein keine "
    "#n/a #ref! #div/0! missing unknown".split()
)
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
#: Columns of numbers below a second row of names, at least.
_LEAST = 2


def with_group_names(above: Sequence[str], header: Sequence[str]) -> list[str]:
    """Names with those of the groups that stand in the row above.

    Groups stand right of the first column, each above the first of its columns. A title
    stands alone, wherever; a group that stands alone says a measure that the names
    below it lack, or whose the measures below it are. A name that says its group
    already is left as it is.
    """
    pivot = _of_pivot(above, header)
    if pivot:
        return pivot
    groups = _filled_right([cell.strip() for cell in above], len(header))
    first = next((at for at, cell in enumerate(above) if cell.strip()), 0)
    if first == 0 or not any(groups) or _is_title(above, header):
        return list(header)
    return [
        _joined(group, name)
        if group and name.strip() and not _has(name, group)
        else name
        for group, name in zip(groups, header, strict=True)
    ]


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


def _joined(group: str, name: str) -> str:
    """A group and a name below it, with what is measured at the end."""
    return f"{name} {group}" if _is_measure(group) else f"{group} {name}"


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
