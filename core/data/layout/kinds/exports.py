"""Exports as platforms write them: titles, JSON in cells, marks that nobody sees.

Each is dealt with here, and said; rows that are no data are left out by
`core.data.layout.kinds.report_rows`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal
from unicodedata import normalize

import pandas as pd

from core.data.cells.amounts import Done
from core.data.cells.scales import doubtful_scale
from core.data.layout.kinds.dating import find_date
from core.data.reading.doubts import Question
from core.data.reading.findings import Finding
from core.data.reading.headers.repeated_headers import HEADER_ROW, REPEATED
from core.data.reading.origins import done_to
from core.data.reading.reading_notes import hidden_cells, notes
from core.errors import SchemaError
from core.text.sentences import count, listed, verb

_SAMPLE = 200
#: Soft hyphens, joiners, marks of direction, byte order: none is seen.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]"
)

#: Cyrillic and Greek letters that look like Latin ones; dashes and apostrophes.
_LOOK = str.maketrans(
    "АВЕКМНОРСТХУІЅЈаеорсухіѕјһԁԛԝкмтΑΒΕΖΗΙΚΜΝΟΡΤΥΧοαν",
    "ABEKMHOPCTXYISJaeopcyxisjhdqwkmtABEZHIKMNOPTYXoav",
) | str.maketrans(dict.fromkeys("‐‑‒–—―−", "-") | dict.fromkeys("’‘´`", "'"))


@dataclass(frozen=True, eq=False)
class File:
    """One table of one file, as it was read.

    Attributes:
        name: The file's name, for messages.
        frame: Its columns; the index is the row of the file less two.
        part: The sheet or the file inside an archive, where one was chosen.
        findings: What was done to it.
        date: The column of dates; None where there is none.
        json: Columns whose cells are JSON.
    """

    name: str
    frame: pd.DataFrame
    part: str | None = None
    findings: tuple[Finding, ...] = ()
    date: str | None = None
    json: tuple[str, ...] = ()

    @property
    def called(self) -> str:
        """The file, and the part of it, for messages."""
        return f"{self.name} ({self.part})" if self.part else self.name

    def where(self, column: str | None = None, row: int | None = None) -> str:
        """The place of a finding: file, column, row."""
        places = [self.called]
        places += [] if column is None else [f"column {column}"]
        return ", ".join(places + ([] if row is None else [f"row {row}"]))

    def noted(
        self, message: str, column: str | None = None, hint: str = "", **changes: Any
    ) -> "File":
        """The file with what was done to it, and said.

        Args:
            message: What was done, for a person.
            column: Where, if not to the whole.
            hint: What to do about it, of which it is a warning then.
            changes: The fields that are other.
        """
        severity = "warning" if hint else "info"
        finding = Finding(severity, self.where(column), message, hint)
        return replace(self, findings=(*self.findings, finding), **changes)


def tidied(name: str, frame: pd.DataFrame, part: str | None = None) -> File:
    """A table whose texts are as they are seen, and what was done."""
    file = File(name, frame, part)
    file = replace(file, findings=tuple(hidden_cells(frame, file.called)))
    file = _below_header(file)
    file = _doubtful_units(_visible(_below_title(file)))
    file = replace(file, date=find_date(file.frame))
    frame = file.frame
    json = tuple(str(c) for c in frame.columns if _is_json(frame[c]))
    return replace(file, json=json)


def _visible(file: File) -> File:
    """Texts without differences that nobody sees, which would make a second channel.

    Accents are written in one way: e and a mark beside é, which nobody sees either. A
    text with letters of another alphabet, or of another width, is the Latin one that
    looks the same.
    """
    cleaned: dict[str, pd.Series] = {}
    unseen, alike = [], []
    for name in file.frame.columns:
        column = file.frame[name]
        if not (column.dtype == object or pd.api.types.is_string_dtype(column.dtype)):
            continue
        texts = column.dropna().unique()
        changed = {
            text: new
            for text in texts
            if isinstance(text, str) and not text.isascii()
            if (new := normalize("NFC", _UNSEEN.sub("", text))) != text
        }
        if any(_UNSEEN.search(text) for text in changed):
            unseen.append(name)
        plain = {text for text in texts if isinstance(text, str)}
        looks = {text: _look(changed.get(text, text)) for text in plain}
        first: dict[str, str] = {}
        for text in sorted(plain, key=lambda text: looks[text] != text):
            first.setdefault(looks[text], changed.get(text, text))
        same = {
            t: first[look]
            for t, look in looks.items()
            if first[look] != changed.get(t, t)
        }
        alike += [f"{look} in {name}" for look in sorted(set(same.values()))]
        changed |= same
        if changed:
            cleaned[name] = column.map(lambda cell, new=changed: new.get(cell, cell))
    if not cleaned:
        return file
    file = replace(file, frame=file.frame.assign(**cleaned))
    if unseen:
        message = f"Invisible characters are taken out of {listed(unseen)}."
        file = file.noted(message, str(unseen[0]))
    if alike:
        message = (
            f"{listed(alike, limit=5)}: cells that look the same but are written with "
            "letters of another alphabet, or another dash, count as one."
        )
        file = file.noted(message)
    return file


def _look(text: str) -> str:
    """A text as it looks: full-width letters are those of half the width."""
    return normalize("NFKC", text).translate(_LOOK)


def reading_notes(file: File, columns: Iterable[str]) -> list[Finding]:
    """What was done to cells of some columns so that they could be read as numbers."""
    by_kind: dict[str, dict[str, Done]] = {}
    for column in columns:
        for step in done_to(file.frame, column)[0]:
            by_kind.setdefault(step.kind, {})[column] = step
    findings = notes(by_kind)
    return [
        replace(finding, where=f"{file.called}, {finding.where}")
        for finding in findings
    ]


def _below_title(file: File) -> File:
    """Say which lines above the header were passed over."""
    row, above = file.frame.attrs.get(HEADER_ROW, (1, 0))
    if not above:
        return file
    message = (
        f"The header of {file.called} is in row {row}: {count(above, 'line')} above "
        f"it, such as a title or a period, {verb(above, 'are')} not part of the table."
    )
    return file.noted(message)


def _below_header(file: File) -> File:
    """Say which rows repeat the header and are left out."""
    rows = file.frame.attrs.get(REPEATED, ())
    if not rows:
        return file
    message = (
        f"The header of {file.called} is repeated further down: "
        f"{count(len(rows), 'row')} left out ({listed(list(rows))})."
    )
    return file.noted(message)


def _doubtful_units(file: File) -> File:
    """Warn of units that are a thousand to some and a million to others."""
    for name in map(str, file.frame.columns):
        unit = doubtful_scale(name)
        if unit:
            message = (
                f'"{unit}" in {name} of {file.called} is a thousand in Spanish and '
                "Portuguese and a million elsewhere. Its numbers are read as they are."
            )
            hint = "Write thousand or million into the name of the column."
            file = file.noted(message, name, hint=hint)
    return file


def _is_json(column: pd.Series) -> bool:
    """Whether the cells of a column are JSON objects or lists."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return False
    head = column.dropna().head(_SAMPLE).astype("str").str.strip()
    opens = head.str.startswith(("{", "[")) & head.str.endswith(("}", "]"))
    return bool(len(head)) and bool(opens.mean() > 0.5)


class Doubtful(SchemaError):
    """A column can be read in several ways, and somebody has to say which.

    Attributes:
        kind: The answer that is missing: `dates`, `decimal`, `overlap`, `cancelled`,
            `week_dates` or `geo_columns`.
        question: What the column leaves open, with every reading.
    """

    def __init__(
        self,
        kind: Literal[
            "dates", "decimal", "overlap", "cancelled", "week_dates", "geo_columns"
        ],
        question: Question,
        file: File,
        message: str = "",
    ):
        self.kind, self.question = kind, question
        ways = [f"{meaning} ({answer})" for answer, meaning in question.choices]
        super().__init__(
            message
            or f"Column {question.column} of {file.called} can be read in several "
            f'ways: "{question.example}" is {" or ".join(ways)}.',
            hint=f"Say which with --{kind.replace('_', '-')}, or under {kind} of the "
            f"layout{': ' + ' or '.join(ways) if message else ''}.",
            where=file.where(question.column),
        )
