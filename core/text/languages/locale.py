"""Locale: how numbers, money and dates are written; the words stay English.

A project chooses one (`locale` in project.toml, Units on the Data screen), and whatever
is about it follows: screens, charts, the command line, reports, slides and workbooks.
Who opens it has no say, so that two readers of a page never see two numbers. A report
in another language writes as that language does (`locale_in`).
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date as Date
from typing import Literal

from core.text.languages.language import SOURCE, marked, say
from core.within import Within

#: Where the sign of a currency stands: before the amount, behind it, or, for `own`,
#: where its own country puts it ($13.3M, 13.3 M €).
Side = Literal["own", "before", "behind"]

MONTHS = (
    *(marked("Jan"), marked("Feb"), marked("Mar"), marked("Apr")),
    *(marked("May"), marked("Jun"), marked("Jul"), marked("Aug")),
    *(marked("Sep"), marked("Oct"), marked("Nov"), marked("Dec")),
)
#: The locale of a project that chooses none.
STANDARD = "en"


@dataclass(frozen=True)
class Locale:
    """One way to write numbers, money and dates.

    Attributes:
        name: As project.toml names it.
        decimal: The decimal sign.
        group: Between thousands.
        thousand: Behind a number of thousands.
        million: Behind a number of millions.
        billion: Behind a number of thousands of millions.
        side: Where the sign of a currency stands.
        day: A date, with the fields `day`, `month` (Aug) and `year`.
        cell: The same as the format of a spreadsheet's cell.
        axis: The same as Plotly writes it.
    """

    name: str
    decimal: str
    group: str
    thousand: str
    million: str
    billion: str
    side: Side
    day: str
    cell: str
    axis: str

    @property
    def separators(self) -> str:
        """Decimal sign and what stands between thousands, as Plotly takes them."""
        return self.decimal + self.group

    def written(self, digits: str) -> str:
        """A number that Python wrote, with this locale's signs and a true minus."""
        digits = digits.replace("-", "−")
        if self.decimal == "." and self.group == ",":  # most numbers of most projects
            return digits
        return digits.translate({ord(","): self.group, ord("."): self.decimal})


_DAY_FIRST = ("{day} {month} {year}", "d mmm yyyy", "%-d %b %Y")
_MONTH_FIRST = ("{month} {day}, {year}", "mmm d, yyyy", "%b %-d, %Y")
_WITH_DOT = ("{day}. {month} {year}", "d. mmm yyyy", "%-d. %b %Y")
#: By the names that project.toml takes, in the order in which they are offered.
LOCALES = {
    locale.name: locale
    for locale in (
        Locale("en", ".", ",", "k", "M", "bn", "own", *_DAY_FIRST),
        Locale("en-US", ".", ",", "k", "M", "bn", "before", *_MONTH_FIRST),
        Locale("de", ",", ".", "Tsd.", "Mio.", "Mrd.", "behind", *_WITH_DOT),
        Locale("fr", ",", "\u202f", "k", "M", "Md", "behind", *_DAY_FIRST),
        Locale("es", ",", ".", "mil", "M", "mil\u00a0M", "behind", *_DAY_FIRST),
    )
}

_within: Within[str | None] = Within("locale", None)
_source: Callable[[], str] = lambda: STANDARD  # noqa: E731


def locale() -> Locale:
    """How to write now."""
    return LOCALES.get(_within.get() or _source(), LOCALES[STANDARD])


def locale_in(language: str, chosen: str) -> str:
    """How a report writes: in one language, numbers and dates as it has them too.

    Args:
        language: What the report speaks.
        chosen: The locale of the project, which holds in English, and wherever it is
            that language's own.
    """
    is_own = chosen.partition("-")[0] == language
    return chosen if is_own or language == SOURCE else language


def set_locale(source: Callable[[], str] | None) -> None:
    """Say where the locale comes from.

    Args:
        source: Returns its name, asked at every number: a web process serves many.
            None for the standard.
    """
    global _source
    _source = source or (lambda: STANDARD)


def written_in(name: str) -> AbstractContextManager[None]:
    """Write in a locale in the body: an export, or the card of another project."""
    return _within.during(name)


def months() -> tuple[str, ...]:
    """The months as dates have them, `Jan`, in the language in force."""
    return tuple(map(say, MONTHS))


def date(day: Date | str) -> str:
    """A date as `23 Aug 2021`, in the locale's order.

    The month is a word, so that nobody takes the day for it.

    Args:
        day: A date, or a text that begins with an ISO date (NumPy's dates too).
    """
    if isinstance(day, str):
        day = Date.fromisoformat(day[:10])
    month = months()[day.month - 1]
    return locale().day.format(day=day.day, month=month, year=day.year)


def day_and_month(day: str) -> str:
    """A date without its year, `23 Aug`, where that is said beside it."""
    text = date(day)
    return text.removesuffix(f" {day[:4]}").removesuffix(",")
