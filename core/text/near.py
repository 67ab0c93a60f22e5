"""Near names: the one that was meant, where a name is not known."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches

_WORD = re.compile(r"[^\W_]+")
#: How like two names are at least, and what is left of them without shared words.
_LIKE = 0.6
_TRIED = 5


def near_name(name: str, names: Iterable[str]) -> str | None:
    """The name that a slip of the pen may have meant; None where none is near.

    Words that two names share say nothing: `Cinema_spend` is not `Radio_spend`.

    Args:
        name: As it was written.
        names: Those there are.
    """
    near = get_close_matches(name, list(names), n=_TRIED, cutoff=_LIKE)
    return next((other for other in near if _is_slip(name, other)), None)


def alike(written: Iterable[str], names: Iterable[str]) -> dict[str, str]:
    """Which of the names are meant by others that differ in case, spaces and signs.

    Args:
        written: None of the names, each.
        names: Those there are; where two of them are alike, neither is meant.
    """
    meant: dict[str, list[str]] = {}
    said: dict[str, list[str]] = {}
    for those, by in ((names, meant), (written, said)):
        for name in those:
            by.setdefault("".join(_WORD.findall(name.casefold())), []).append(name)
    return {
        others[0]: meant[plain][0]
        for plain, others in said.items()
        if plain and len(others) == len(meant.get(plain, ())) == 1
    }


def _is_slip(name: str, other: str) -> bool:
    """Whether what two names do not share is nearly the same, or is in one only."""
    words, others = (_WORD.findall(each.lower()) for each in (name, other))
    left = "".join(word for word in words if word not in others)
    right = "".join(word for word in others if word not in words)
    if not left or not right:
        return True
    # A slip seldom comes first: `Audio` is not `Radio`; `Kampagne` sounds the same.
    begin, begins = (each[0].replace("k", "c") for each in (left, right))
    is_like = SequenceMatcher(None, left, right).ratio() >= _LIKE
    return begin == begins and is_like
