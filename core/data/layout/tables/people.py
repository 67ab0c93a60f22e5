"""People of each geo, in a file without dates: they are joined to the rows of the geo.

Each row of a geo has one more column:

    City,Population        Week,City,Revenue         Week,City,Revenue,Population
    Berlin,3600000    and  2024-01-01,Berlin,9  are  2024-01-01,Berlin,9,3600000
"""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from core.data.cells.labels import as_written
from core.data.cells.words import GEO, POPULATION
from core.data.layout.kinds.exports import File
from core.data.layout.kinds.vocabulary import spoken
from core.data.reading.numbers import as_numbers
from core.errors import SchemaError
from core.text.sentences import listed

#: Share of a file's geos that a file of people knows, from which on it is about them.
_MOST = 0.5


def with_people(files: Sequence[File]) -> list[File]:
    """Files without those of people, which their geos have in every row instead.

    Raises:
        SchemaError: A file of people lacks some of the geos.
    """
    dated = [file for file in files if file.date is not None]
    if len(dated) == len(files):
        return list(files)
    rest = []
    for file in files:
        if file.date is not None:
            continue
        at = next((at for at, one in enumerate(dated) if _geo(one, file)), None)
        if at is None:
            rest.append(file)
        else:
            dated[at] = _joined(dated[at], file)
    return [*dated, *rest]


def _columns(people: File) -> tuple[str, str] | None:
    """The columns of geos and of people; None where the file is of something else."""
    names = [str(name) for name in people.frame.columns]
    counts = [name for name in names if not POPULATION.isdisjoint(spoken(name))]
    counts = [n for n in counts if not as_numbers(people.frame[n]).bad.any()]
    texts = [
        name
        for name in names
        if name not in counts
        and not GEO.isdisjoint(spoken(name))
        and people.frame[name].notna().all()
        and people.frame[name].is_unique
    ]
    return (texts[0], counts[0]) if texts and counts else None


def _keys(column: pd.Series) -> pd.Series:
    """Names of geos as they are compared."""
    return as_written(column).astype("str").str.strip().str.casefold()


def _geo(file: File, people: File) -> str | None:
    """The column of a file that names the geos of a file of people, one row a date."""
    columns = _columns(people)
    if columns is None or columns[1] in file.frame.columns:
        return None
    known = {*_keys(people.frame[columns[0]])}
    for name in map(str, file.frame.columns):
        if (
            GEO.isdisjoint(spoken(name))
            or file.frame.duplicated([file.date, name]).any()
        ):
            continue
        geos = {*_keys(file.frame[name].dropna())}
        if len(geos & known) >= _MOST * len(geos) > 0:
            return name
    return None


def _joined(file: File, people: File) -> File:
    geo, columns = _geo(file, people), _columns(people)
    assert geo is not None and columns is not None
    by_geo, count = columns
    sizes = dict(zip(_keys(people.frame[by_geo]), people.frame[count], strict=True))
    keys = _keys(file.frame[geo])
    absent = sorted({*as_written(file.frame[geo])[~keys.isin(sizes).to_numpy()]})
    if absent:
        raise SchemaError(
            f"{people.called} does not say the {count} of {listed(absent, limit=5)}, "
            f"which {file.called} has.",
            hint=f"Add a row for each {geo}.",
            where=people.called,
        )
    frame = file.frame.assign(**{count: keys.map(sizes)})
    message = f"{count} of {people.called} is the same in all rows of a {geo}."
    return replace(file, frame=frame).noted(message, count)
