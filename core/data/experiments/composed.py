"""Composed cells: a result with its error or interval, a period with both its days.

`50000 (35000 – 65000)`, `1.8 ± 0.3`, `[1.2; 2.4]` and `KW 10–15 2024` say in one cell
what others give in several columns. They are cut into those columns here; how numbers
and dates are written is for their readers.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import pandas as pd

from core.data.cells.words import word_set, words
from core.data.experiments import periods_apart
from core.data.experiments.entry import DAYS
from core.data.experiments.uncertainty import standard_error
from core.data.reading.beside import Beside
from core.data.reading.dates import last_days, parse_dates
from core.data.reading.findings import Finding
from core.data.reading.origins import row_numbers
from core.dims import INTERVAL

_INTERVAL = word_set("composed.interval")
_ERROR = word_set("composed.error")
_PERIOD = word_set("composed.period")
_LASTS = word_set("composed.duration")
_PLAIN = r"[-−–+]?\s*[^\W\d_]{0,3}[€$£¥]?\s*[-−]?\d[\d.,'’\s]*?[^\d±()\[\]{},;:]{0,9}?"
_NUMBER = re.compile(rf"^{_PLAIN}$")
_LEVEL = r"(?P<level>\d{2}(?:[.,]\d+)?)\s*%"
_CALLED = (
    r"(?:CI|KI|IC|CrI|HDI|BI|confidence interval|credible interval|interval"
    r"|Konfidenzintervall|intervalle(?: de confiance)?|intervalo(?: de confianza)?)"
)
#: `95 % CI:` and `IC à 95 % :` before the ends of an interval.
_OF = rf"(?:{_LEVEL}\s*-?\s*{_CALLED}|{_CALLED}\s*(?:à|a|al|at|von|of|de)?\s*"
_OF += r"(?P<behind>\d{2}(?:[.,]\d+)?)\s*%|" + _CALLED + r")\s*[:=,]?\s*"
_PLUS_MINUS = re.compile(
    rf"^(?P<value>{_PLAIN})\s*(?:±|\+\s?/\s?[-−–]|\+[-−–])\s*(?P<error>{_PLAIN})\s*"
    rf"(?:[(\[]\s*(?:{_OF}|{_LEVEL.replace('level', 'alone')})\s*[)\]])?$",
    re.IGNORECASE,
)
_WITH_ENDS = re.compile(
    rf"^(?P<value>{_PLAIN})\s*[,;:]?\s*[(\[{{]\s*(?:{_OF})?(?P<ends>[^()\[\]{{}}]+)"
    r"[)\]}]$",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    rf"^(?P<value>{_PLAIN})\s*[,;:]?\s+[(\[]?{_OF}[(\[]?(?P<ends>[^()\[\]{{}}]+)"
    r"[)\]]{0,2}$",
    re.IGNORECASE,
)
_ENDS = re.compile(
    rf"^[(\[{{]?\s*(?:{_OF})?[(\[]?(?P<ends>[^()\[\]{{}}]+)[)\]}}]{{0,2}}$",
    re.IGNORECASE,
)
#: What stands between two ends; a hyphen also where a number ends before it.
_BETWEEN = (
    r"\s*[;|]\s*",
    r"\s+(?:to|bis|à|a|au|al|hasta|and|und|et|y)\s+",
    r"(?<=[^\W_])\s*(?:–|—|…|\.\.+)\s*|(?<=[%€$£])\s*(?:–|—|…|\.\.+)\s*",
    r"\s+-\s+",
    r",\s+",
    r"(?<=[\w%€$£])-",
    r",",
)
_UNCLEAR = (
    'Say which in the name of the column: "(± standard error)", or "(± 95 %)" for half '
    "of a 95 % interval."
)


class _Parts(NamedTuple):
    """What a cell says of a result; None where it does not say it."""

    value: str | None = None
    low: str | None = None
    high: str | None = None
    error: str | None = None
    level: str | None = None


@dataclass
class Composed:
    """A table of results whose composed cells are cut apart.

    Attributes:
        table: With the columns that were in other cells.
        columns: The column of each field.
        sources: Columns whose cells were taken apart.
        lasts: The column of how long tests ran; empty where none is needed.
        half_of: Mass of the intervals whose halves stand as standard errors; None where
            these are standard errors.
        findings: What cannot be said of a cell.
    """

    table: Beside
    columns: dict[str, str]
    sources: list[str] = field(default_factory=list)
    lasts: str = ""
    half_of: float | None = None
    findings: list[Finding] = field(default_factory=list)

    def add(self, key: str, name: str, cells: Sequence[str | None]) -> None:
        """A column of texts that were in other cells."""
        self.table.frame[name] = pd.Series(cells, self.table.frame.index, dtype="str")
        self.columns[key] = name


def is_composed(name: str) -> bool:
    """Whether a column's name says that errors stand behind results: `Lift ± SE`."""
    return any(mark in name for mark in ("±", "+/-", "+-"))


def cut_apart(table: Beside, columns: Mapping[str, str], result: str) -> Composed:
    """A table with a column for each thing that its cells say.

    Args:
        table: As it was loaded.
        columns: The column of each field by its name.
        result: The field of the result; its column may be missing.
    """
    frame = table.frame.copy()
    composed = Composed(Beside(frame, table.called), dict(columns))
    for name in [str(name) for name in table.frame.columns]:
        if _is_text(frame[name]):
            _cut_result(composed, name, result)
    _cut_period(composed)
    _find_duration(composed)
    return composed


def read(
    composed: Composed, amounts: Iterable[str]
) -> tuple[dict[str, list], list[Finding]]:
    """Cells by field, as `Beside.cells` has them; halves and durations worked in.

    Args:
        composed: The table.
        amounts: Fields of numbers.
    """
    cells, findings = composed.table.cells(composed.columns, DAYS, amounts)
    findings = [*composed.findings, *findings]
    if composed.lasts:
        starts = cells.setdefault("start", [])
        cells["end"], faults = _ends(composed, composed.lasts, starts)
        findings += faults
    if composed.half_of is not None:
        halves = cells.pop("standard_error")
        levels = cells.get("level") or [None] * len(halves)
        cells["standard_error"] = [
            None if half is None else standard_error(-half, half, _mass(each, composed))
            for half, each in zip(halves, levels, strict=True)
        ]
    return cells, findings


def _mass(level: float | None, composed: Composed) -> float:
    mass = composed.half_of if level is None else level / 100 if level > 1 else level
    return mass if 0 < mass < 1 else INTERVAL


def _is_text(column: pd.Series) -> bool:
    return pd.api.types.is_string_dtype(column.dtype) and bool(column.notna().any())


def _cut_result(composed: Composed, name: str, result: str) -> None:
    """Cut a column of results, intervals or errors, where it is one."""
    columns, frame = composed.columns, composed.table.frame
    key = next((key for key, column in columns.items() if column == name), None)
    if key not in (None, result, "level", "standard_error"):
        return
    cells = [None if pd.isna(cell) else str(cell).strip() for cell in frame[name]]
    texts = {word.text for word in words(name)}
    if key == "standard_error":
        frame[name] = pd.Series(
            [cell and cell.lstrip("±").strip() for cell in cells],
            frame.index,
            dtype="str",
        )
        return
    parts = [_value(cell) if cell else None for cell in cells]
    if any(parts) and columns.get(result) in (None, name):
        columns.update({result: name})
        _take_parts(composed, name, cells, parts)
    elif texts & _INTERVAL and not {"low", "high"} & columns.keys():
        pairs = [_pair(cell) if cell else _Parts() for cell in cells]
        if all(pairs):
            _take_ends(composed, name, pairs)


def _take_parts(
    composed: Composed,
    name: str,
    cells: list[str | None],
    parts: list[_Parts | None],
) -> None:
    """A result with its interval or error."""
    whole = [part or _Parts(cell) for part, cell in zip(parts, cells, strict=True)]
    if composed.columns.get("level") == name:
        del composed.columns["level"]
    frame = composed.table.frame
    frame[name] = pd.Series([each.value for each in whole], frame.index, dtype="str")
    if any(each.low for each in whole):
        _take_ends(composed, name, whole)
    if not any(each.error for each in whole):
        return
    mass, is_error = _meant(name, whole)
    if mass is None and not is_error:
        place = next(at for at, each in enumerate(whole) if each.error)
        where = f"row {row_numbers(frame)[place]}"
        message = (
            f"{composed.table.called}, {where}: {cells[place]} in column {name} can "
            "have a standard error or half of an interval behind its result."
        )
        fault = Finding("error", composed.table.called, message, _UNCLEAR)
        composed.findings.append(fault)
        return
    composed.half_of = mass
    composed.add("standard_error", f"{name} ±", [each.error for each in whole])
    _take_level(composed, name, whole)


def _meant(name: str, parts: list[_Parts]) -> tuple[float | None, bool]:
    """The mass of the intervals of which half is behind ±, or whether errors are."""
    texts = {word.text for word in words(name)}
    stated = re.search(_LEVEL, name)
    if stated:
        return float(stated.group("level").replace(",", ".")) / 100, False
    if all(each.level for each in parts if each.error):
        return INTERVAL, False
    if texts & _ERROR:
        return None, True
    return (INTERVAL, False) if texts & _INTERVAL else (None, False)


def _take_ends(composed: Composed, name: str, parts: list[_Parts]) -> None:
    """Both ends of intervals."""
    if composed.columns.get("level") == name:
        del composed.columns["level"]
    composed.add("low", f"{name} low", [each.low for each in parts])
    composed.add("high", f"{name} high", [each.high for each in parts])
    composed.sources.append(name)
    _take_level(composed, name, parts)


def _take_level(composed: Composed, name: str, parts: list[_Parts]) -> None:
    levels = [each.level and f"{each.level}%" for each in parts]
    if any(levels) and "level" not in composed.columns:
        composed.add("level", f"{name} level", levels)


def _value(cell: str) -> _Parts | None:
    """A result with what is behind it; None where nothing is."""
    if match := _PLUS_MINUS.match(cell):
        level = match.group("level") or match.group("behind") or match.group("alone")
        return _Parts(match.group("value"), error=match.group("error"), level=level)
    for pattern in (_BEHIND, _WITH_ENDS):
        match = pattern.match(cell)
        ends = match and _cut(match.group("ends"))
        if ends:
            level = match.group("level") or match.group("behind")
            return _Parts(match.group("value"), *ends, level=level)
    return None


def _pair(cell: str) -> _Parts | None:
    """Both ends of an interval and nothing else; None where a cell is another thing."""
    match = _ENDS.match(cell)
    ends = match and _cut(match.group("ends"))
    return ends and _Parts(
        None, *ends, level=match.group("level") or match.group("behind")
    )


def _cut(text: str) -> tuple[str, str] | None:
    """Two ends; what the first leaves out of currency and unit is the second's."""
    for between in _BETWEEN:
        places = [
            place
            for place in re.finditer(between, text, re.IGNORECASE)
            if re.search(r"\d", text[: place.start()])
            and re.search(r"\d", text[place.end() :])
        ]
        if between.startswith(",") and not len(places) % 2:
            continue
        if places:
            place = places[len(places) // 2 if "," in between else 0]
            low, high = text[: place.start()].strip(), text[place.end() :].strip()
            unit = re.search(r"[^\d]*$", high)
            if unit and low[-1].isdigit():
                low += unit.group()
            if all(_NUMBER.match(end) for end in (low, high)):
                return low, high
    return None


def _cut_period(composed: Composed) -> None:
    """The first and the last day of periods that stand in one column."""
    columns, frame = composed.columns, composed.table.frame
    if "end" in columns:
        return
    starts = [name for key, name in columns.items() if key == "start"]
    named = starts or _free(composed)
    for name in named:
        column = frame[name]
        if not _is_text(column):
            continue
        cells = [None if pd.isna(cell) else str(cell) for cell in column]
        days = [periods_apart.days_of(cell) if cell else None for cell in cells]
        is_named = {word.text for word in words(name)} & _PERIOD
        whole = _are_long(column) if is_named or "start" in columns else False
        if not any(days) and not whole:
            continue
        if not (is_named or "start" in columns or all(days)):
            continue
        pairs = [day or (cell, cell if whole else None) for day, cell in
                 zip(days, cells, strict=True)]  # fmt: skip
        composed.add("start", f"{name} (first day)", [pair[0] for pair in pairs])
        composed.add("end", f"{name} (last day)", [pair[1] for pair in pairs])
        composed.sources.append(name)
        return


def _free(composed: Composed) -> list[str]:
    """Columns of texts that say nothing else, those named after periods first."""
    taken = {*composed.columns.values()}
    names = [str(name) for name in composed.table.frame if str(name) not in taken]
    return sorted(names, key=lambda name: not _texts(name) & _PERIOD)


def _texts(name: str) -> set[str]:
    return {word.text for word in words(name)}


def _are_long(column: pd.Series) -> bool:
    """Whether a column names weeks, months or the like, each a period by itself."""
    dates = parse_dates(column)
    if dates.bad.any() or not dates.formats:
        return False
    return bool((last_days(column, dates.values) > dates.values).any())


def _find_duration(composed: Composed) -> None:
    """The column of how long tests ran, where none says when they ended."""
    if "end" in composed.columns or "start" not in composed.columns:
        return
    for name in _free(composed):
        texts = _texts(name)
        if not texts & (_LASTS | _PERIOD) and not periods_apart.unit_of([*texts]):
            continue
        cells = [str(cell) for cell in composed.table.frame[name].dropna()]
        if cells and all(periods_apart.duration(cell, "days") for cell in cells):
            composed.lasts = name
            composed.sources.append(name)
            return


def _ends(
    composed: Composed, name: str, starts: list[str | None]
) -> tuple[list[str | None], list[Finding]]:
    """The last days by the first and the durations, and what is wrong with these."""
    called, unit = composed.table.called, periods_apart.unit_of([*_texts(name)])
    ends: list[str | None] = []
    faults = []
    column = composed.table.frame[name]
    for row, start, cell in zip(
        row_numbers(composed.table.frame), starts, column, strict=True
    ):
        lasts = None if pd.isna(cell) else periods_apart.duration(str(cell), unit)
        end = periods_apart.last_day(start, *lasts) if start and lasts else None
        ends.append(end)
        if pd.notna(cell) and lasts is None:
            message = (
                f"{called}, row {row}: {cell} in column {name} can be days or weeks."
            )
            hint = f'Say which in the cell ("6 weeks") or in the name: {name} (weeks).'
            faults.append(Finding("error", called, message, hint))
        elif start and lasts and end is None:
            message = f"{called}, row {row}: {cell} is not a number of whole days."
            hint = "Give the last day of the test."
            faults.append(Finding("error", called, message, hint))
    return ends, faults
