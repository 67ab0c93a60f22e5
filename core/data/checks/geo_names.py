"""One place under several names: `München` in some weeks and `Muenchen` in others.

Two names are of one place where they are alike and never have a row for the same
period; or where some end in a period and as many others begin in the next.
"""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

import numpy as np
from jaxtyping import Bool

from core.data.cells.words import plain
from core.data.reading.findings import Finding
from core.text.sentences import listed

#: How like two names are at least, and how many letters a name has that can be told.
_LIKE, _LETTERS = 0.75, 3
#: More geos with gaps than this are not compared.
_MOST = 400
_HINT = "Write each geo one way in all of its rows."


def same_places(
    names: tuple[str, ...], present: Bool[np.ndarray, "geo time"]
) -> list[list[int]]:
    """Geos that are one place under several names, the one with most rows first.

    Args:
        names: Of the geos.
        present: Where each has a row.
    """
    order = np.argsort(-present.sum(axis=1), kind="stable")
    gaps = [int(at) for at in order if not present[at].all()]
    groups: list[list[int]] = []
    if len(gaps) > _MOST:
        return groups
    for geo in gaps:
        for group in groups:
            is_free = not (present[group].any(axis=0) & present[geo]).any()
            if is_free and any(_alike(names[geo], names[other]) for other in group):
                group.append(geo)
                break
        else:
            groups.append([geo])
    return [group for group in groups if len(group) > 1]


def check_geo_names(
    column: str,
    names: tuple[str, ...],
    times: np.ndarray,
    present: np.ndarray,
) -> Iterator[Finding]:
    """Places that have several names.

    Args:
        column: Of the geos.
        names: Theirs.
        times: Period starts.
        present: Where each geo has a row; geo time.
    """
    where = f"column {column}"
    for group in same_places(names, present):
        shown = listed([names[at] for at in group])
        message = (
            f"{shown} are never in the same period: one place, written in "
            f"{len(group)} ways?"
        )
        yield Finding("error", where, message, _HINT)
    for last in range(len(times) - 1):
        ends = present[:, last] & ~present[:, last + 1 :].any(axis=1)
        begins = present[:, last + 1] & ~present[:, : last + 1].any(axis=1)
        if ends.any() and ends.sum() == begins.sum():
            before, after = (
                listed([names[at] for at in np.flatnonzero(each)], limit=4)
                for each in (ends, begins)
            )
            message = (
                f"The rows of {before} end with {times[last]}, and those of {after} "
                f"begin with {times[last + 1]}: were geos renamed?"
            )
            yield Finding("error", where, message, _HINT)


def _alike(one: str, other: str) -> bool:
    """Whether two names differ by a slip or by how their letters are written."""
    first, second = _folded(one), _folded(other)
    if first == second:
        return True
    if re.findall(r"\d+", first) != re.findall(r"\d+", second):
        return False
    if min(len(first), len(second)) < _LETTERS:
        return False
    return SequenceMatcher(None, first, second).ratio() >= _LIKE


def _folded(name: str) -> str:
    """A name without case, signs and the ways in which umlauts are written."""
    letters = "".join(re.findall(r"[^\W_]+", plain(name)))
    return re.sub(r"([aou])e", r"\1", letters)
