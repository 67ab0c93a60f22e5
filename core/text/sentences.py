"""Parts of sentences: nouns with their number, lists, the full stop at the end."""

from collections.abc import Sequence
from datetime import date

from core.text.languages.language import counted, marked, say, say_count
from core.text.languages.locale import locale

#: Days from one period to the next, and what the periods are called.
_NAMES = {1: "days", 7: "weeks", 30: "months", 31: "months", 91: "quarters"}
#: What these are counted in, which `count` finds by their names.
_COUNTED = (
    counted("{number} day", "{number} days"),
    counted("{number} week", "{number} weeks"),
    counted("{number} month", "{number} months"),
    counted("{number} quarter", "{number} quarters"),
    counted("{number} year", "{number} years"),
    counted("{number} period", "{number} periods"),
    counted("{number} cell", "{number} cells"),
    counted("{number} interval", "{number} intervals"),
    counted("{number} other", "{number} others"),
    counted("{number} promise", "{number} promises"),
)
#: Several of a period by the name of one, in a sentence and as a heading.
_PERIODS = {
    marked("day"): (marked("days"), marked("Days")),
    marked("week"): (marked("weeks"), marked("Weeks")),
    marked("month"): (marked("months"), marked("Months")),
    marked("quarter"): (marked("quarters"), marked("Quarters")),
    marked("year"): (marked("years"), marked("Years")),
    marked("period"): (marked("periods"), marked("Periods")),
}


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: `1 row`, `12 rows`, `2 geos drift`."""
    one, several = f"{{number}} {noun}", f"{{number}} {plural or f'{noun}s'}"
    return say_count(number, one, several, number=locale().written(f"{number:,}"))


def periods(one: str) -> str:
    """Several periods in a sentence, by the name of one: `week` gives `weeks`."""
    return say(_PERIODS[one][0])


def periods_heading(one: str) -> str:
    """Several periods as a heading or label, by the name of one: `Weeks`."""
    return say(_PERIODS[one][1])


#: Verbs of several and of one; the others get an s.
_OF_ONE = {"are": "is", "have": "has", "were": "was", "do": "does"}


def verb(number: int, of_several: str) -> str:
    """A verb that agrees with a number: `verb(1, "have")` is `has`."""
    if number != 1:
        return of_several
    return _OF_ONE.get(of_several, f"{of_several}s")


def listed(items: Sequence[object], *, limit: int = 5) -> str:
    """The first items in words: `a, b and c`, or `a, b, c and 9 more`.

    Where one would be left out, it takes the place of `1 more`.
    """
    limit += len(items) == limit + 1
    names = [str(item) for item in items[:limit]]
    rest = len(items) - len(names)
    if rest:
        return say("{names} and {rest} more", names=", ".join(names), rest=f"{rest:,}")
    *first, last = names or [""]
    return (
        say("{names} and {last}", names=", ".join(first), last=last) if first else last
    )


def named(label: str, value: str) -> str:
    """What something is, and what it is called: `Budget: 12.4 M €`."""
    return say("{label}: {value}", label=label, value=value)


def sentence(text: str) -> str:
    """The text with a capital and, unless it ends in one, a full stop."""
    text = text.strip()
    if not text:
        return text
    text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def brief(text: str, width: int = 60) -> str:
    """The text, cut where it is too long for the side bar."""
    return text if len(text) <= width else f"{text[: width - 1].rstrip()}…"


def brief_name(name: str, width: int) -> str:
    """The name, cut where it is too long, so that it still tells from its neighbours.

    A channel of a portfolio is called `Project: Channel`, and the channel stays.
    """
    project, colon, channel = name.rpartition(": ")
    room = width - len(colon) - len(channel)
    if len(name) <= width or not colon or room < width // 3:
        return brief(name, width)
    return f"{brief(project, room)}{colon}{channel}"


def periods_name(start: str, end: str, n: int) -> str:
    """What periods are called, such as `weeks`; `periods` where that is not known.

    Args:
        start: First day of the first one, ISO; empty where not known.
        end: First day of the last one, likewise.
        n: How many they are.
    """
    if not start or not end or n < 2:
        return "periods"
    first, last = (date.fromisoformat(day[:10]) for day in (start, end))
    return _NAMES.get(round((last - first).days / (n - 1)), "periods")


def span(start: str, end: str, n: int) -> str:
    """How long periods are together: `52 weeks`, `1 period`; see `periods_name`."""
    return count(n, periods_name(start, end, n).removesuffix("s"))
