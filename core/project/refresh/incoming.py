"""Incoming: new files, or the query again, as the project's next table.

Nothing is written before everything is known: what is new, which old rows changed,
and whether the whole can be fitted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from core.data.ahead.horizon import next_times
from core.data.ahead.new_periods import Arrival, ChangedCell, arrival, joined
from core.data.cells.words import MEDIA_NAME
from core.data.checks.validate import check_table
from core.data.currency import guess_currency
from core.data.files.isolated import kept_table
from core.data.layout.again import fitting, read_again, read_as_answered, with_answers
from core.data.layout.kinds.exports import File
from core.data.layout.tables.wide import Table
from core.data.mapping import ColumnMapping
from core.data.observations import dates_of, numbers_of
from core.data.periods import periods
from core.data.reading.findings import Finding
from core.data.recognition.naming import read_name
from core.errors import CoverageError, DataError, SchemaError
from core.project.settings.definition import Project
from core.project.settings.project import data_file, load_project, project_sha256
from core.project.settings.project_data import replace_table
from core.text.sentences import count, listed

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Incoming:
    """What new files make of a project's table; nothing of it is written yet.

    Attributes:
        folder: The project's folder.
        project: As project.toml has it.
        base_sha: `project_sha256` from when the files were read.
        table: The whole table, new rows included.
        came: What is new in it.
        findings: What was done with the files, and warnings about the new table.
        unread: Columns of media that the project does not have, and so does not read.
        absent_channels: Channels whose columns the new files have no more.
    """

    folder: Path
    project: Project
    base_sha: str
    table: "pd.DataFrame"
    came: Arrival
    findings: tuple[Finding, ...] = ()
    unread: tuple[str, ...] = ()
    absent_channels: tuple[str, ...] = ()

    @property
    def questions(self) -> tuple[str, ...]:
        """What somebody has to say yes to, line by line; empty where nothing has."""
        lines = changed_words(self.came.changed, most=len(self.came.changed))
        idle = (
            self.came.idle if self.project.layout is not None else self.absent_channels
        )
        if idle:
            channels = listed(list(idle))
            lines.append(
                f"{channels}: nothing in the new rows, counted as zero. Was it renamed?"
            )
        lines += [f"{jump}. Is it in another unit?" for jump in self.came.jumps]
        if self.came.running:
            columns = listed(list(self.came.running))
            lines.append(
                f"{columns}: the new rows look like sums to date (of the month, the "
                "year or the file), not amounts of each period. Are they?"
            )
        lines += [f"{spike}. Is it a mistake?" for spike in self.came.spikes]
        if self.unread:
            lines.append(
                f"{listed(list(self.unread))}: media that the project does not read. "
                "To use them, load the files on the Data screen and map them."
            )
        return tuple(lines)

    @property
    def summary(self) -> str:
        """What came, in one sentence."""
        return came_words(self.came)


def incoming(
    folder: Path,
    files: Sequence[File],
    answers: Mapping[str, str | None] | None = None,
    rates: Mapping[str, float] | None = None,
) -> Incoming:
    """The project's table with what files bring; the project stays as it is.

    Args:
        folder: The project's folder.
        files: New rows only, or the whole history again.
        answers: To what the files leave open (`with_answers`); the project keeps them.
        rates: What one unit of another currency is worth; the project keeps them.

    Raises:
        Doubtful: The files leave something open that no answer says.
        DataError: The files do not fit the project, or what came of them could not be
            fitted; `findings` holds every error.
        WorkspaceError: The project is damaged.
    """
    base = project_sha256(folder)
    project = load_project(folder)
    if project.layout is not None:
        layout = with_answers(project.layout, answers or {}, rates)
        project = replace(project, layout=layout)
    mapping = project.mapping
    earlier = kept_table(data_file(folder, project))
    table, findings, unread = earlier, [], []
    for part in _tables(project, files, answers or {}):
        _refuse_currency(project, earlier, part.frame)
        table, _ = joined(table, part.frame, mapping)
        findings += part.findings
        unread += _unread_media(earlier, part.frame)
        findings += _unread_rest(earlier, part.frame, unread)
    came = arrival(earlier, table, mapping)
    if not came.is_empty:
        _refuse_steps(project, earlier, came)  # of all files, in whatever order
        checked = check_table(table, mapping, project.spec)
        errors = [finding for finding in checked if finding.severity == "error"]
        if errors:
            raise _refused(folder, errors)
        findings += _empty_media(table, came, mapping)
    return Incoming(
        folder,
        project,
        base,
        table,
        came,
        findings=tuple(findings),
        unread=tuple(dict.fromkeys(unread)),
        absent_channels=tuple(dict.fromkeys(gone_channels(files, project))),
    )


def gone_channels(files: Sequence[File], project: Project) -> list[str]:
    """Channels none of whose columns any file has, where one file is the table."""
    if project.layout is not None:
        return []
    present = {str(name) for file in files for name in file.frame.columns}
    return [
        channel.name
        for channel in project.mapping.channels
        if not present & set(channel.columns())
    ]


def _unread_media(earlier: "pd.DataFrame", frame: "pd.DataFrame") -> list[str]:
    """Columns of media by their names that hold amounts and are new to the project."""
    fresh = [str(name) for name in frame.columns if name not in earlier.columns]
    return [
        name
        for name in fresh
        if read_name(name).measure in ("spend", "media", "reach")
        or read_name(name).has(MEDIA_NAME)
        if frame[name].dtype.kind in "iuf" and float(frame[name].abs().sum()) > 0
    ]


def _unread_rest(
    earlier: "pd.DataFrame", frame: "pd.DataFrame", media: Sequence[str]
) -> list[Finding]:
    """Other columns of numbers that are new to the project and read by nothing."""
    rest = [
        str(name)
        for name in frame.columns
        if name not in earlier.columns
        and name not in media
        and frame[name].dtype.kind in "iufb"
    ]
    if not rest:
        return []
    message = f"New columns that the project does not read: {listed(rest, limit=12)}."
    hint = "To use them, load the files on the Data screen and map them."
    return [Finding("info", rest[0], message, hint)]


def _empty_media(
    table: "pd.DataFrame", came: Arrival, mapping: ColumnMapping
) -> Iterator[Finding]:
    """Columns of media with empty cells in new periods that had none before."""
    days = dates_of(table, mapping).values.astype("datetime64[D]").astype(str)
    is_new = np.isin(days, came.periods)
    every = (name for channel in mapping.channels for name in channel.columns())
    for name in dict.fromkeys(every):
        is_empty = numbers_of(table, mapping, name).is_empty
        empty = days[is_empty & is_new].tolist()
        if not empty or (is_empty & ~is_new).any():
            continue
        message = (
            f"{name} is empty in {count(len(empty), 'new row')} "
            f"({listed(empty, limit=3)}): an empty cell counts as 0."
        )
        hint = "Fill it in if the channel ran there."
        yield Finding("warning", f"column {name}", message, hint)


def take(new_rows: Incoming) -> None:
    """Make the table the project's own; harmless where nothing came.

    Raises:
        WorkspaceError: The project was changed meanwhile, or cannot be written. It is
            as it was.
    """
    if not new_rows.came.is_empty:
        replace_table(
            new_rows.folder,
            new_rows.table,
            new_rows.project,
            base_sha=new_rows.base_sha,
        )


def came_words(came: Arrival) -> str:
    """What came, in one sentence."""
    parts = []
    if came.periods:
        first, last = came.periods[0], came.periods[-1]
        span = first if first == last else f"{first} to {last}"
        parts.append(f"{count(len(came.periods), 'new period')} ({span})")
    elif came.n_rows:
        parts.append(f"{count(came.n_rows, 'new row')} in old periods")
    if came.changed:
        parts.append(f"{count(len(came.changed), 'changed cell')} in old rows")
    return f"{listed(parts)}." if parts else "No new rows."


def changed_words(cells: tuple[ChangedCell, ...], most: int = 20) -> list[str]:
    """Changed cells as lines, with how many more there are."""
    lines = [
        f"{cell.date}{' ' * bool(cell.geo)}{cell.geo}: {cell.column} was "
        f"{_amount_or_none(cell.before)}, is {_amount_or_none(cell.after)}"
        for cell in cells[:most]
    ]
    more = len(cells) - most
    return [*lines, f"{count(more, 'more cell')}"] if more > 0 else lines


def _amount_or_none(value: float | None) -> str:
    return "empty" if value is None else f"{value:,.10g}"


def _tables(
    project: Project, files: Sequence[File], answers: Mapping[str, str | None]
) -> list[Table]:
    """One table of all files by the project's layout, or one of each file."""
    if project.layout is not None:
        ours = project.currency or ""
        return [read_again(project.layout, files, project.mapping, ours)]
    mapping = project.mapping
    tables = [
        Table(
            read_as_answered(file.frame, mapping, answers),
            None,
            (file,),
            findings=file.findings,
        )
        for file in files
    ]
    return [fitting(table, mapping) for table in tables]


def _refuse_currency(
    project: Project, earlier: "pd.DataFrame", frame: "pd.DataFrame"
) -> None:
    ours = project.currency or guess_currency(earlier, project.mapping)[0]
    theirs, why = guess_currency(frame, project.mapping)
    same = {ours, theirs} <= {"$", "USD", "CAD", "AUD", "NZD"} and "$" in (ours, theirs)
    if ours and theirs and ours != theirs and not same:
        raise SchemaError(
            f"The new rows are in {theirs}, and {project.name} is in {ours}. {why}",
            hint=f"Convert them to {ours} and try again.",
            where=project.name,
        )


def _refuse_steps(project: Project, earlier: "pd.DataFrame", came: Arrival) -> None:
    """Refuse new periods that do not follow the old ones without a gap."""
    if not came.periods:
        return
    times = np.unique(dates_of(earlier, project.mapping).values)
    fresh = np.array(came.periods, dtype="datetime64[D]")
    later = fresh[fresh > times[-1]]
    expected = next_times(times, len(later))
    odd = later != expected
    if odd.any():
        at = int(np.argmax(odd))
        word = periods(times).period
        raise CoverageError(
            f"The {word} that begins on {expected[at]} is missing: after "
            f"{expected[at - 1] if at else times[-1]} the new rows continue with "
            f"{later[at]}.",
            hint=f"Give every {word} after {times[-1]}, with the same first day.",
            where=project.mapping.time,
        )


def _refused(folder: Path, errors: list[Finding]) -> DataError:
    first = errors[0]
    return DataError(
        f"{folder.name} keeps its data. {first.message}",
        hint=first.hint,
        where=first.where,
        findings=errors,
    )
