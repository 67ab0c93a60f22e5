"""Orders: rows of a shop, which are summed to dates."""

import numpy as np
import pandas as pd

from core.data.cells import words as known
from core.data.cells.words import phrases, word_set
from core.data.layout.kinds.dating import holds_dates, read_dates
from core.data.layout.kinds.exports import File
from core.data.layout.kinds.money import currency_of
from core.data.layout.kinds.vocabulary import (
    is_cancelled,
    is_end,
    is_id,
    is_won,
    level,
    measure,
    spoken,
)
from core.data.layout.recipe import Source
from core.data.reading.numbers import as_numbers
from core.errors import SchemaError

#: What the value of an order is called, the most telling first.
_VALUES: tuple[frozenset[str], ...] = (
    frozenset({"net", "sales"}),
    *(frozenset({word}) for word in sorted(known.KPI_REVENUE)),
    *map(frozenset, phrases("orders.values")),
)
_NOT_VALUE = word_set("orders.not_value")
_EXPOSURES = ("impressions", "clicks", "views", "reach", "grps")
#: How words for an order begin: in German they grow, Bestellnummer.
_ORDER = tuple(word_set("orders.order"))
_NUMBERED = (
    *("nummer", "nr", "number", "numero", "no", "id", "code", "ref", "key"),
    *("numer", "cislo", "番号"),
)
_STATUS = word_set("orders.status")
_STATES = 30
#: Words of a name that is about people or money instead.
_NO_ORDER = word_set("orders.no_order")
_NET = word_set("orders.net")
_NO_REFUND = word_set("orders.no_refund")
_REASONS = word_set("orders.reasons")
#: Which side of an account an amount is on.
_DEBIT = word_set("orders.debit")
_CREDIT = word_set("orders.credit")
#: Beside those sides themselves: without one of these, letters are brands or segments.
_SIDE = word_set("orders.side")
#: Cells of a flag.
_TRUE = frozenset("true yes ja oui si sí y j 1 1.0 x wahr vrai verdadero vero".split())
_FALSE = word_set("orders.false")
#: Orders with several lines that it takes to see that lines repeat a total.
_LINES = 3
#: Numbers of orders, at least, where only the cells tell that they are.
_ORDERS = 20
#: Share of them in which lines agree: it is a total; it may be one.
_TOTAL, MAYBE = 0.95, 0.5
_PER_LINE = word_set("orders.per_line")
_QUANTITY = word_set("orders.quantity")


def guess(
    file: File, numbers: tuple[str, ...], texts: tuple[str, ...], geo: str | None
) -> Source | None:
    """A file whose rows are orders or lines of sales; None where nothing says so."""
    value = value_column(numbers)
    key = order_key(file.frame, (*numbers, *texts))
    order = order_of(file, numbers, value)
    parts = [name for name in texts if level(name) == "product"]
    if value is None and key is None:
        return None
    lines = key is None and order is not None and value is not None
    if key is None and not parts and not lines and not _repeats_often(file):
        return None
    if key is not None and any(measure(name) in _EXPOSURES for name in numbers):
        key = None
    amounts = [] if value is None else [("revenue", value)]
    units = [name for name in numbers if set(spoken(name)) & _QUANTITY]
    units = [name for name in units if not is_id(name)]
    amounts += [("units", name) for name in units[:1]]
    amounts += [
        (name, name)
        for name in numbers
        if measure(name) in ("spend", *_EXPOSURES)
        and not set(spoken(name)) & _NOT_VALUE
        and not known.is_cost_of_goods(spoken(name))
    ]
    money = [] if value is None else [value]
    columns = [column for _, column in amounts]
    once = () if not lines else repeated(file.frame, str(order), columns)
    return Source(
        name=file.name,
        part=file.part,
        kind="orders",
        date=str(file.date),
        date_is_end=is_end(str(file.date)),
        geo=None if geo is None or is_id(geo) else geo,
        amounts=tuple(amounts),
        count="orders" if key is not None else None,
        order=order if lines else None,
        once=once,
        status=(*status_columns(file.frame, texts), *refunds(file, numbers, value)),
        **currency_of(file, money),
    )


def is_shop(file: File, numbers: tuple[str, ...]) -> bool:
    """Whether a file numbers orders, so that its rows are orders on any day."""
    value = value_column(numbers)
    return value is not None and order_of(file, numbers, value) is not None


def refuse_sides(file: File, numbers: tuple[str, ...], texts: tuple[str, ...]) -> None:
    """Refuse amounts whose sign another column says: debits and credits.

    Raises:
        SchemaError: Both would be added, where one takes the other back.
    """
    for name in texts:
        cells = file.frame[name].astype("str").str.strip().str.casefold()
        sides = set(cells[file.frame[name].notna()])
        if not (sides & _DEBIT and sides & _CREDIT and sides <= _DEBIT | _CREDIT):
            continue
        says_side = not (_DEBIT | _CREDIT | _SIDE).isdisjoint(spoken(name))
        if not says_side and all(len(side) == 1 for side in sides):
            continue
        value = value_column(numbers)
        if value is None or (as_numbers(file.frame[value]).values < 0).any():
            continue
        message = (
            f"{name} of {file.called} says which amounts of {value} are debits and "
            "which are credits, and all of them are written without a sign."
        )
        hint = f"Give those that reduce {value} a minus sign, or leave them out."
        raise SchemaError(message, hint=hint, where=file.where(name))


def value_column(numbers: tuple[str, ...]) -> str | None:
    """The column with the value of an order."""
    likely = [
        name
        for name in numbers
        if not is_id(name)
        and measure(name) != "spend"
        and not set(spoken(name)) & _NOT_VALUE
        and not is_cancelled(name)
    ]
    for wanted in _VALUES:
        columns = [name for name in likely if wanted <= _spoken(name)]
        if columns:
            return min(columns, key=len)
    return None


def _spoken(name: str) -> set[str]:
    """The words of a name, and what German ones end with: Gesamtbetrag, Nettowert."""
    lines = set(spoken(name))
    ends = {end for end in ("betrag", "wert") for w in lines if w.endswith(end)}
    return lines | ends


def order_column(columns: tuple[str, ...]) -> str | None:
    """The column of order numbers: every row of an order has the same."""
    for name in columns:
        words = spoken(name)
        is_numbered = is_id(name) or any(word.endswith(_NUMBERED) for word in words)
        if is_numbered and any(word.startswith(_ORDER) for word in words):
            return name
    return None


def order_of(file: File, numbers: tuple[str, ...], value: str | None) -> str | None:
    """The column of order numbers of a file, by its name or by its cells.

    Whatever it is called, rows of one number stand below each other, are of one date,
    and repeat a total, or have it in the first of them. `Order ID` beside what media
    cost and how often they were seen is that of an order of media.
    """
    if _is_of_media(numbers):
        return None
    names = tuple(map(str, file.frame.columns))
    named = order_column(names)
    if named is not None or value is None:
        return named
    frame, days = file.frame, file.frame[str(file.date)]
    for name in names:
        if name in (value, file.date):
            continue
        if name in numbers and not _is_whole(frame[name]):
            continue
        codes = pd.factorize(frame[name])[0]
        blocks = int((np.diff(codes) != 0).sum()) + 1
        n_orders = int(codes.max()) + 1
        if (codes < 0).any() or blocks != n_orders or n_orders < _ORDERS:
            continue
        on_days = days.groupby(codes).nunique()
        if on_days.max() == 1 and n_orders > 2 * days.nunique():
            amounts = as_numbers(frame[value]).values
            values = pd.Series(amounts).groupby(codes).first()
            differ = values.nunique() > n_orders / 2
            repeats = differ and share_repeated(frame, name, value) > _TOTAL
            if repeats or (differ and _on_first_lines(codes, amounts)):
                return name
    return None


def _is_of_media(numbers: tuple[str, ...]) -> bool:
    measures = set(map(measure, numbers))
    return "spend" in measures and not measures.isdisjoint(_EXPOSURES)


def _on_first_lines(codes: np.ndarray, amounts: np.ndarray) -> bool:
    """Whether the total of an order stands in its first line, and in no other."""
    first = np.concatenate([[True], np.diff(codes) != 0])
    filled = np.isfinite(amounts)
    is_lone = (~first).sum() >= _LINES and not filled[~first].any()
    return bool(is_lone and filled[first].mean() > _TOTAL)


def _is_whole(column: pd.Series) -> bool:
    values = as_numbers(column).values
    return bool(np.isfinite(values).all() and (values == np.rint(values)).all())


def refunds(file: File, numbers: tuple[str, ...], value: str | None) -> tuple[str, ...]:
    """Columns of what was paid back beside what was paid: `Refunded Amount`."""
    if value is None or _NET & set(spoken(value)):
        return ()
    return tuple(
        name
        for name in numbers
        if is_cancelled(name)
        and not is_id(name)
        and not is_flag(name, file.frame)
        and not set(spoken(name)) & _NO_REFUND
    )


def paid_back(source: Source, frame: pd.DataFrame, name: str) -> np.ndarray | None:
    """What a column says was paid back in each row; None where it holds none."""
    if is_flag(name, frame) or holds_dates(name, frame[name]):
        return None
    numbers = as_numbers(frame[name], source.decimal)
    if numbers.bad.any():
        return None
    back = np.nan_to_num(np.abs(numbers.values))
    if source.order and share_repeated(frame, source.order, name) > _TOTAL:
        back[frame.duplicated(source.order).to_numpy()] = 0.0
    return back


def repeated(frame: pd.DataFrame, order: str, columns: list[str]) -> tuple[str, ...]:
    """Columns that hold the total of an order in each of its lines."""
    return tuple(
        name for name in columns if share_repeated(frame, order, name) > _TOTAL
    )


def share_repeated(frame: pd.DataFrame, order: str, column: str) -> float:
    """Share of orders with several lines whose lines all have one number.

    Zero where the column is about lines by its name, or has the same number in every
    order, which is a price.
    """
    if set(spoken(column)) & (_PER_LINE | _QUANTITY) - {"price"}:
        return 0.0
    codes = pd.factorize(frame[order])[0]
    values = as_numbers(frame[column]).values
    known_rows = np.isfinite(values) & (codes >= 0)
    groups = pd.Series(values[known_rows]).groupby(codes[known_rows])
    several = groups.size() > 1
    if several.sum() < _LINES or groups.first().nunique() < _LINES:
        return 0.0
    return float((groups.nunique()[several] == 1).mean())


def status_columns(frame: pd.DataFrame, texts: tuple[str, ...]) -> tuple[str, ...]:
    """Columns that say which orders are cancelled, refunded or a test.

    One whose cells say so, else one that is called a status: next month it may say so.
    Beside it flags, dates and reasons: `refunded`, `cancelled_at`, `cancel_reason`.
    """
    flags = tuple(name for name in map(str, frame.columns) if is_flag(name, frame))
    named = None
    for name in texts:
        values = frame[name].dropna().unique()
        if name in flags or not 0 < len(values) <= _STATES:
            continue
        if len(values) > 1 and any(is_cancelled(v) or is_won(v) for v in values):
            return (name, *flags)
        if named is None and set(spoken(name)) & _STATUS:
            named = name
    return (*([named] if named else []), *flags)


def is_flag(name: str, frame: pd.DataFrame) -> bool:
    """Whether a column is filled, or true, where an order came to nothing."""
    text = spoken(name)
    is_test = {"test"} <= set(text) <= {"is", "test", "order"}
    if not (is_test or is_cancelled(name)) or set(text) & _NO_ORDER:
        return False
    column = frame[name]
    if set(text) & _REASONS or pd.api.types.is_datetime64_any_dtype(column.dtype):
        return True
    cells = {str(cell).strip().casefold() for cell in column.dropna().unique()}
    return cells <= (_TRUE | _FALSE) or holds_dates(name, column)


def is_pipeline(column: pd.Series) -> bool:
    """Whether a column holds stages of deals, of which one says that it was won."""
    return any(map(is_won, column.dropna().unique()))


def gone(frame: pd.DataFrame, name: str) -> np.ndarray:
    """Rows of which a column says that the order came to nothing."""
    cells = frame[name]
    if not is_flag(name, frame):
        words = {cell for cell in cells.dropna().unique() if is_cancelled(cell)}
        if is_pipeline(cells):
            words = {cell for cell in cells.dropna().unique() if not is_won(cell)}
        return cells.isin(words).to_numpy()
    text = cells.astype("str").str.strip().str.casefold()
    return (cells.notna() & ~text.isin(_FALSE | {""})).to_numpy(dtype=bool)


def order_key(frame: pd.DataFrame, columns: tuple[str, ...]) -> str | None:
    """A column that numbers the rows: every value once."""
    for name in columns:
        if is_id(name) and frame[name].notna().all() and frame[name].is_unique:
            return name
    return None


def _repeats_often(file: File) -> bool:
    """Whether most dates have several rows, so that rows are no mistakes."""
    per_date = pd.Series(read_dates(file.frame[str(file.date)]).values).value_counts()
    return bool((per_date > 1).mean() > 0.5)
