"""Tables beside the data: test results, panels of geos and the like, cell by cell.

They have no screen of questions of their own, so what their cells leave open is refused
with both readings: nothing here is guessed.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from core.data.cells.signs import Marks, Settled, habit_of
from core.data.files.columns import row_numbers
from core.data.mapping import DateReading, Decimal
from core.data.reading.dates import Dates, parse_dates
from core.data.reading.numbers import as_numbers, read_column, to_arrow_text
from core.errors import SchemaError


def read_days(
    frame: pd.DataFrame,
    names: Sequence[str],
    filename: str,
    answer: DateReading | None = None,
) -> dict[str, np.ndarray]:
    """Columns of dates as datetime64[D], NaT where empty, all written in one way.

    Args:
        frame: As it was loaded.
        names: Of the columns; one settles how another is read.
        filename: For messages.
        answer: How to read what could be read in several ways, where it is known.

    Raises:
        SchemaError: A cell is not a date, or could be several.
    """
    if not names:
        return {}
    columns = [frame[name] for name in names]
    if all(pd.api.types.is_datetime64_any_dtype(column.dtype) for column in columns):
        return {name: parse_dates(frame[name]).values for name in names}
    text = pd.concat(
        [column.astype("str").where(column.notna()) for column in columns]
    ).rename(names[0])
    dates = parse_dates(text, answer)
    _refuse_dates(dates, frame, names, filename)
    parts = np.split(dates.values, len(names))
    return dict(zip(names, parts, strict=True))


def _refuse_dates(
    dates: Dates, frame: pd.DataFrame, names: Sequence[str], filename: str
) -> None:
    hint = "Write dates like 2024-01-31."
    if dates.bad.any():
        place = int(np.flatnonzero(dates.bad)[0])
        name, row = names[place // len(frame)], place % len(frame)
        raise SchemaError(
            f"{filename}, row {row_numbers(frame)[row]}: {frame[name].iloc[row]} in "
            f"column {name} is not a date, or not written like the others.",
            hint=hint,
            where=filename,
        )
    if dates.doubt is not None:
        readings = " or ".join(str(day) for _, day in dates.doubt.readings)
        raise SchemaError(
            f"{filename}: {dates.doubt.example} in column {names[0]} can be "
            f"{readings}.",
            hint=hint,
            where=filename,
        )


def read_numbers(
    frame: pd.DataFrame,
    names: Sequence[str],
    filename: str,
    answers: dict[str, Decimal] | None = None,
) -> dict[str, np.ndarray]:
    """Columns of numbers, NaN where empty; what one column says settles another.

    Args:
        frame: As it was loaded.
        names: Of the columns.
        filename: For messages.
        answers: The decimal sign of columns, where it is known.

    Raises:
        SchemaError: A cell is not a number, or could be two.
    """
    signs: list[tuple[Marks, Settled]] = []
    texts = {}
    for name in names:
        kind = frame[name].dtype
        if not pd.api.types.is_numeric_dtype(kind) and kind.kind != "M":
            texts[name] = to_arrow_text(frame[name])
            read_column(texts[name], seen=signs)
    habit = habit_of(signs)
    values = {}
    for name in names:
        answer = (answers or {}).get(name)
        if name in texts:
            numbers = read_column(texts[name], answer, habit)
            if numbers.bad.any() and numbers.doubt is None:
                numbers = as_numbers(frame[name], answer)
        else:
            numbers = as_numbers(frame[name])
        if numbers.doubt is not None:
            doubt = numbers.doubt
            raise SchemaError(
                f"{filename}: {doubt.example} in column {name} can be "
                f"{doubt.point:,.6g} or {doubt.comma:,.6g}.",
                hint="Write it with one decimal more or less, or without signs between "
                "thousands.",
                where=filename,
            )
        if numbers.bad.any():
            row = int(np.flatnonzero(numbers.bad)[0])
            raise SchemaError(
                f"{filename}, row {row_numbers(frame)[row]}: {frame[name].iloc[row]} "
                f"in column {name} is not a number, or not written like the others.",
                hint=numbers.fault or "Write it like 1234.5, in one way in the column.",
                where=filename,
            )
        values[name] = numbers.values
    return values
