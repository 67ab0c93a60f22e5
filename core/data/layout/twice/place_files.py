"""A place per file: `media_Bayern.csv` and `media_Hessen.csv` with the same columns.

Nothing in their rows says where they are from, only what tells the names of the files
(or of the sheets) apart. So nobody is guessed to mean it: it is an answer to what
becomes of rows that several files have.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from core.data.layout.kinds.contents import columns_of
from core.data.layout.kinds.exports import File
from core.data.layout.recipe import Layout
from core.data.layout.twice.overlaps import refuse_equal, stem
from core.data.reading.findings import Finding
from core.errors import SchemaError
from core.text.sentences import listed

_SIGNS = re.compile(r"[\s_.-]+")
#: What the column of places is called, the first that a file has not yet.
_CALLED = ("geo", "place", "geo name")


def with_places(files: Sequence[File]) -> list[File]:
    """Files, those of equal columns with a column that says which place each is of.

    Raises:
        SchemaError: Two of them have the same content.
    """
    groups: dict[tuple[str, ...], list[int]] = {}
    for at, file in enumerate(files):
        columns = tuple(sorted(map(str, file.frame.columns)))
        if file.date is not None and columns_of(file).geo is None:
            groups.setdefault(columns, []).append(at)
    result = list(files)
    for columns, group in groups.items():
        places = _places([stem(files[at]) for at in group])
        if len(set(places)) < 2:
            continue
        refuse_equal([files[at] for at in group])
        name = next(called for called in _CALLED if called not in columns)
        for at, place in zip(group, places, strict=True):
            frame = files[at].frame.copy()
            frame.insert(0, name, place)
            result[at] = replace(files[at], frame=frame)
        first = result[group[0]]
        message = (
            f"{listed([files[at].called for at in group])} are a place each: "
            f"{listed(list(dict.fromkeys(places)))}."
        )
        noted = (*first.findings, Finding("info", first.called, message))
        result[group[0]] = replace(first, findings=noted)
    return result


def placed_again(layout: Layout, files: Sequence[File]) -> list[File]:
    """New files of a layout with their places.

    Raises:
        SchemaError: A file stands alone, so that nothing says what its place is called.
    """
    result = with_places(files)
    needed = [{*source.columns()} for source in layout.sources if source.geo in _CALLED]
    for file in result:
        present = {str(name) for name in file.frame.columns}
        fits = any(columns <= present for columns in needed)
        if not fits and any(columns <= {*present, *_CALLED} for columns in needed):
            raise SchemaError(
                f"{file.called} is of one place, and the project has a place per file.",
                hint="Give the files of all places at once.",
                where=file.called,
            )
    return result


def _places(stems: Sequence[str]) -> list[str]:
    """What each name has that not all of them have; all of a name that has no more."""
    words = [[word for word in _SIGNS.split(text) if word] for text in stems]
    shared = set.intersection(*({word.casefold() for word in each} for each in words))
    own = [[word for word in each if word.casefold() not in shared] for each in words]
    return [" ".join(rest) or text for rest, text in zip(own, stems, strict=True)]
