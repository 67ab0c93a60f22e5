"""How tables of known truth are written: numbers and dates in the ways of the world."""

from dataclasses import dataclass

import numpy as np

NBSP, THIN = "\xa0", "\u202f"


@dataclass(frozen=True)
class Style:
    """How one locale writes numbers.

    Attributes:
        name: What it is called.
        decimal: The decimal sign.
        group: What stands between thousands; empty for none.
        indian: Whether groups after the first have two digits.
    """

    name: str
    decimal: str
    group: str = ""
    indian: bool = False


STYLES = (
    Style("plain", "."),
    Style("plain comma", ","),
    Style("English", ".", ","),
    Style("German", ",", "."),
    Style("French", ",", NBSP),
    Style("French thin", ",", THIN),
    Style("Swedish", ",", " "),
    Style("Swiss", ".", "'"),
    Style("Swiss curly", ".", "\u2019"),
    Style("Indian", ".", ",", indian=True),
)


def number(value: float, style: Style, decimals: int, *, trim: bool = False) -> str:
    """A number as a locale writes it."""
    whole, _, rest = f"{abs(value):.{decimals}f}".partition(".")
    if trim:
        rest = rest.rstrip("0")
    if style.group:
        whole = _grouped(whole, style)
    sign = "-" if value < 0 and float(f"{value:.{decimals}f}") != 0 else ""
    return f"{sign}{whole}{style.decimal + rest if rest else ''}"


def _grouped(whole: str, style: Style) -> str:
    head, tail = whole[:-3], whole[-3:]
    step = 2 if style.indian else 3
    parts = [tail]
    while head:
        parts.insert(0, head[-step:])
        head = head[:-step]
    return style.group.join(parts)


def written_truth(value: float, decimals: int) -> float:
    """The number that stands in a cell, rounded as it is written."""
    return float(f"{value:.{decimals}f}")


_NAMES = {
    "en": "January February March April May June July August September October "
    "November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober "
    "November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre "
    "novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre "
    "noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre "
    "ottobre novembre dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober "
    "november december",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro "
    "novembro dezembro",
}
_SHORT = {
    "en": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "de": "Jan Feb Mrz Apr Mai Jun Jul Aug Sep Okt Nov Dez",
    "fr": "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
    "es": "ene feb mar abr may jun jul ago sep oct nov dic",
    "it": "gen feb mar apr mag giu lug ago set ott nov dic",
    "nl": "jan feb mrt apr mei jun jul aug sep okt nov dec",
    "pt": "jan fev mar abr mai jun jul ago set out nov dez",
}
LANGUAGES = tuple(_NAMES)


def month_name(month: int, language: str, *, short: bool) -> str:
    """A month in a language."""
    return (_SHORT if short else _NAMES)[language].split()[month - 1]


def _iso(day: np.datetime64) -> tuple[int, int]:
    year, week, _ = day.item().isocalendar()
    return year, week


def _ymd(day: np.datetime64) -> tuple[int, int, int]:
    one = day.item()
    return one.year, one.month, one.day


#: Ways of writing any day; {y} year, {yy} its last two digits, {m} and {d} with two
#: digits, {m1} and {d1} without zeros, {b} and {B} month names.
DAYS = (
    *("{y}-{m}-{d}", "{y}/{m}/{d}", "{y}.{m}.{d}", "{y}{m}{d}", "{d}.{m}.{y}"),
    *("{d1}.{m1}.{y}", "{d}/{m}/{y}", "{m}/{d}/{y}", "{m1}/{d1}/{y}", "{d}-{m}-{y}"),
    *("{m}-{d}-{y}", "{m}.{d}.{y}", "{d}.{m}.{yy}", "{d}/{m}/{yy}", "{m}/{d}/{yy}"),
    *("{yy}-{m}-{d}", "{yy}/{m}/{d}", "{yy}{m}{d}", "{d} {b} {y}", "{d}-{b}-{yy}"),
    *("{yy}-{b}-{d}", "{d}. {B} {y}", "{B} {d1}, {y}", "{b} {d1} {y}"),
    *("{y}-{m}-{d} 00:00:00", "{y}-{m}-{d}T00:00:00", "{y}-{m}-{d}T00:00:00Z"),
    *("{d}/{m}/{y} 00:00", "{serial}", "{y}-{m}-{d}T00:00:00+01:00"),
)
WEEKS = (
    *("{g}-W{v}", "{g}W{v}", "KW {v}/{g}", "KW {v1}/{g}", "Week {v1} {g}", "{g}{v}"),
    *("{g}-{v}", "{v1}/{g}", "{v}/{g}", "W{v} {g}", "S{v} {g}", "{g}-W{v}-1"),
)
MONTHS = (
    *("{y}-{m}", "{y}{m}", "{m}/{y}", "{m1}/{y}", "{b} {y}", "{B} {y}", "{b}-{yy}"),
    *("{y}M{m}", "{m}.{y}", "{y}/{m}", "{y} {b}", "{y}-{m}-{d}", "{d}.{m}.{y}"),
    *("{m}/{d}/{y}", "{d}/{m}/{y}", "{yy}-{m}-{d}", "{m}.{d}.{y}", "{serial}"),
)


def date(day: np.datetime64, form: str, language: str = "en") -> str:
    """A day in one way of writing."""
    year, month, day_of_month = _ymd(day)
    iso_year, week = _iso(day)
    serial = int((day - np.datetime64("1899-12-30")).astype(int))
    return form.format(
        y=year,
        yy=f"{year % 100:02}",
        m=f"{month:02}",
        m1=month,
        d=f"{day_of_month:02}",
        d1=day_of_month,
        b=month_name(month, language, short=True),
        B=month_name(month, language, short=False),
        g=iso_year,
        v=f"{week:02}",
        v1=week,
        serial=serial,
    )
