"""Signs: which of comma and point is the decimal sign of a column.

`12.5` and `1.234,5` leave no doubt. `12.345` does: it is twelve and a bit, or more than
twelve thousand. Such cells are *open*. They are settled by the column's other cells,
then by the other columns of the file; what neither settles is a question.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.data.mapping import Decimal
from core.text.languages.language import marked

_EXPONENT = r"(?:[eE][+-]?\d+)?$"
_FORM = {
    ".": r"^(?:\d+(?:\.\d*)?" + _EXPONENT[:-1] + r"|[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?"
    r"|[1-9]\d?(?:,\d{2})+,\d{3}(?:\.\d*)?|\.\d+" + _EXPONENT[:-1] + ")$",
    ",": r"^(?:\d+(?:,\d*)?" + _EXPONENT[:-1] + r"|[1-9]\d{0,2}(?:\.\d{3})+(?:,\d*)?"
    r"|,\d+" + _EXPONENT[:-1] + ")$",
}
_OPEN = r"^[1-9]\d{0,2}[.,]\d{3}$"
#: How many numbers that leave no doubt tell where the others lie, where nothing else
#: says how these are written.
_ENOUGH = 5
#: A reading within the range of the others times this fits; one outside times the
#: second does not.
_FITS, _OUT = 3.0, 10.0
_SIZE = marked("by the size of the column's other numbers")


@dataclass(frozen=True)
class Habit:
    """How the columns of a file that leave no doubt write numbers.

    Attributes:
        sign: Their decimal sign; None where they have none or differ.
        groups: Whether comma or point, which is not their decimal sign, stands between
            their thousands.
        has_three: Whether one of them has three decimals in every cell.
    """

    sign: Decimal | None = None
    groups: bool = False
    has_three: bool = False


@dataclass(frozen=True)
class Marks:
    """The distinct numbers of a column by what their signs say.

    Attributes:
        point: Numbers if the point is the decimal sign, NaN where that is none.
        comma: The same for the comma.
        is_open: Where both readings are numbers and differ.
        has_comma: Where an open cell's sign is a comma.
        decimals: Number of digits after the decimal sign; -1 where there is none.
        is_long: Where four digits or more stand together before the decimal sign.
        is_grouped: Where comma or point stands between thousands without doubt.
        counts: Rows of each.
    """

    point: np.ndarray
    comma: np.ndarray
    is_open: np.ndarray
    has_comma: np.ndarray
    decimals: np.ndarray
    is_long: np.ndarray
    is_grouped: np.ndarray
    counts: np.ndarray


@dataclass(frozen=True)
class Settled:
    """What a column's signs mean.

    Attributes:
        base: The decimal sign of the cells that leave no doubt; None without any.
        sign: The decimal sign of the open cells; None where it is a question.
        by: What settled open cells that are written otherwise than the column's
            others, in words.
    """

    base: Decimal | None
    sign: Decimal | None
    by: str = ""


def read_marks(cells: pa.Array, is_spaced: np.ndarray, counts: np.ndarray) -> Marks:
    """What the signs in distinct unsigned numbers say."""
    point, comma = (_values(cells, sign) for sign in (".", ","))
    is_open = _match(cells, _OPEN)
    end = pc.extract_regex(cells, r"(?P<sign>[.,])(?P<after>\d*)(?:[eE][+-]?\d+)?$")
    after = pc.utf8_length(pc.struct_field(end, "after"))
    after = pc.fill_null(after, -1).to_numpy(zero_copy_only=False)
    last = pc.fill_null(pc.equal(pc.struct_field(end, "sign"), ","), False)
    is_number = np.isfinite(np.where(last.to_numpy(zero_copy_only=False), comma, point))
    decimals = np.where(is_number, after, -1)
    return Marks(
        point,
        comma,
        is_open,
        _match(cells, r",\d{3}$"),
        np.where(is_open, 3, decimals),
        _match(cells, r"^\d{4,}") & ~is_spaced,
        _match(cells, r"\d[.,]\d+[.,]\d"),
        counts,
    )


def settle(marks: Marks, habit: Habit, answer: Decimal | None = None) -> Settled:
    """The decimal sign of a column, from its cells, then from its file."""
    base = _base(marks)
    if not marks.is_open.any():
        return Settled(base, base)
    if answer is not None:
        return Settled(base, answer, marked("as answered"))
    commas = marks.has_comma[marks.is_open]
    if commas.any() and not commas.all() and base is None:
        return Settled(base, None)
    mark: Decimal = "," if commas[0] else "."
    other: Decimal = "." if mark == "," else ","
    # Where the column's other cells have the same sign, size only confirms it.
    size = _by_size(marks, base, 1 if base == mark else _ENOUGH)
    if base is not None:
        is_mixed = commas.any() and not commas.all()
        is_mixed = is_mixed or size not in (None, base)
        doubt = is_mixed or _breaks_habit(marks, base, mark)
        if not doubt:
            return Settled(base, base)
        return Settled(base, base, _SIZE) if size == base else Settled(base, None)
    if size is not None:
        return Settled(base, size, _SIZE)
    if habit.sign == (mark if habit.has_three else other) and (
        habit.has_three or habit.groups
    ):
        return Settled(base, habit.sign, marked("as in the file's other columns"))
    return Settled(base, None)


def habit_of(columns: Sequence[tuple[Marks, Settled]]) -> Habit:
    """How the columns of a file that leave no doubt write numbers."""
    sure = [
        (marks, settled.base) for marks, settled in columns if settled.base is not None
    ]
    signs = {base for _, base in sure}
    if len(signs) != 1:
        return Habit()
    decimals = [
        marks.decimals[(marks.decimals >= 0) & ~marks.is_open] for marks, _ in sure
    ]
    has_three = any(len(some) and (some == 3).all() for some in decimals)
    groups = any(marks.is_grouped.any() for marks, _ in sure)
    return Habit(signs.pop(), groups, has_three)


def _base(marks: Marks) -> Decimal | None:
    """The decimal sign of the cells that leave no doubt; the more frequent of two."""
    is_point, is_comma = np.isfinite(marks.point), np.isfinite(marks.comma)
    n_point = marks.counts[is_point & ~is_comma].sum()
    n_comma = marks.counts[is_comma & ~is_point].sum()
    if not n_point and not n_comma:
        return None
    return "." if n_point >= n_comma else ","


def _breaks_habit(marks: Marks, base: Decimal, mark: Decimal) -> bool:
    """Whether open cells, read with the sign of the others, are written otherwise.

    Thousands that are grouped among others that are not; three digits after the sign
    among others that never have as many.
    """
    sure = ~marks.is_open & (np.isfinite(marks.point) | np.isfinite(marks.comma))
    if base != mark:
        return bool(marks.is_long[sure].any())
    decimals = marks.decimals[sure & (marks.decimals >= 0)]
    return bool((decimals < 3).all())


def _by_size(marks: Marks, base: Decimal | None, enough: int) -> Decimal | None:
    """The sign under which open cells are as large as the others; None if unclear.

    Args:
        marks: Of the column.
        base: The decimal sign of the others.
        enough: How many others there must be.
    """
    values = marks.comma if base == "," else marks.point
    sure = np.abs(values[~marks.is_open & np.isfinite(values)])
    sure = sure[sure > 0]
    if len(sure) < enough:
        return None
    readings: dict[Decimal, np.ndarray] = {
        ".": np.abs(marks.point[marks.is_open]),
        ",": np.abs(marks.comma[marks.is_open]),
    }
    # A wrong sign is wrong by a thousand, so ranges need not be tight to tell.
    low, high = sure.min(), sure.max()
    fits, out = [], []
    for sign, values_so in readings.items():
        if ((values_so >= low / _FITS) & (values_so <= high * _FITS)).all():
            fits.append(sign)
        if ((values_so < low / _OUT) | (values_so > high * _OUT)).all():
            out.append(sign)
    return fits[0] if len(fits) == len(out) == 1 else None


def _match(cells: pa.Array, pattern: str) -> np.ndarray:
    matches = pc.match_substring_regex(cells, pattern)
    return matches.to_numpy(zero_copy_only=False).astype(bool)


def _values(cells: pa.Array, decimal: Decimal) -> np.ndarray:
    """Unsigned numbers under one decimal sign, NaN where that gives none."""
    fits = pc.match_substring_regex(cells, _FORM[decimal])
    good = pc.if_else(fits, cells, pa.scalar(None, pa.large_string()))
    good = pc.replace_substring(good, "," if decimal == "." else ".", "")
    if decimal == ",":
        good = pc.replace_substring(good, ",", ".")
    return pc.cast(good, pa.float64()).to_numpy(zero_copy_only=False).astype(float)
