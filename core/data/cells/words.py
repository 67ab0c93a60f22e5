"""Words: what people call their columns, in two dozen languages.

Names are cut into lower-case words without accents (`TVSpend_EUR` is tv, spend, eur).
The lists, those of the other readers among them, are in words.toml.
"""

import re
import tomllib
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path

#: Names of businesses that no capital cuts: B2B, D2C.
_TO_WHOM = re.compile(r"^[BCD]2[BCG]$")
_DOLLARS = r"(?<![^\W_])(?:R|US|AU?|CA?|HK|NT|S|MX|NZ)\$"
#: Vowels and tones above or below letters: Hebrew, Arabic, Hindi, Thai.
_MARKS = (
    "\u0591-\u05c7\u064b-\u065f"
    "\u0900-\u0903\u093a-\u094f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
)
_WORD = re.compile(rf"{_DOLLARS}|[€$£¥₹]|[^\W_](?:[^\W_]|[{_MARKS}])*")
#: `TVSpend` is cut before the S, `GRPs` nowhere: its small s is a plural.
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z](?!s(?![a-z]))[a-z])")


def plain(text: str) -> str:
    """Text in lower case, without accents."""
    folded = unicodedata.normalize("NFKD", text.replace("ß", "ss")).lower()
    bare = "".join(mark for mark in folded if not unicodedata.combining(mark))
    return unicodedata.normalize("NFC", bare)  # Korean syllables are whole again


@cache
def _lists() -> dict[str, dict[str, str]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def word_sets(table: str) -> dict[str, frozenset[str]]:
    """The lists of a table of words.toml, in their order there.

    Args:
        table: Its name: `demand`.
    """
    lists = _lists()[table].items()
    return {name: frozenset(plain(text).split()) for name, text in lists}


@cache
def other_letters() -> frozenset[str]:
    """All words in letters of no western language that are too long to be a chance."""
    lists = (text for table in _lists().values() for text in table.values())
    known = {word for text in lists for word in plain(text).split()}
    return frozenset(
        word
        for word in known
        if min(word) > "\u0370" and len(word) >= (2 if word > "\u2e80" else 4)
    )


def word_set(name: str) -> frozenset[str]:
    """One list of words.toml.

    Args:
        name: Its table and its name: `demand.brand`.
    """
    table, _, key = name.partition(".")
    return frozenset(plain(_lists()[table][key]).split())


def phrases(name: str) -> tuple[tuple[str, ...], ...]:
    """One list of words.toml whose lines are read one by one, in their order.

    Args:
        name: Its table and its name: `orders.values`.
    """
    table, _, key = name.partition(".")
    lines = _lists()[table][key].strip().splitlines()
    return tuple(tuple(plain(line).split()) for line in lines)


SPEND = word_set("columns.spend")
MEDIA = word_set("columns.media")
REACH = word_set("columns.reach")
FREQUENCY = word_set("columns.frequency")
CURRENCY = word_set("columns.currency")
#: Words of no weight at either end of a name.
FILLER = word_set("columns.filler")
#: Units of media that say more come first.
MEDIA_RANK = (
    ("impression", "impr", "imp", "einblend", "mdip", "grp", "trp", "exposure"),
    ("view", "vue", "aufruf", "visual", "kontakt", "contact", "reach"),
    ("click", "klick", "clic", "tap"),
)
#: One capital letter at the end, as in Robyn's example: `tv_S`, `facebook_I`.
LETTERS = {"S": "spend", "I": "media", "P": "media", "G": "media", "B": "control"}

CONTROL_MARK = word_set("columns.control_mark")
CONTROL = word_set("columns.control")
NON_MEDIA = word_set("columns.non_media")
ORGANIC = word_set("columns.organic")
MEDIA_NAME = word_set("columns.media_name")
KPI_REVENUE = word_set("columns.kpi_revenue")
KPI_COUNT = word_set("columns.kpi_count")
KPI_OPEN = word_set("columns.kpi_open")
KPI_GENERIC = word_set("columns.kpi_generic")
SALES_PART = word_set("columns.sales_part")
COUNT_MARK = word_set("columns.count_mark")
VALUE_MARK = word_set("columns.value_mark")
PER = word_set("columns.per")
#: Words that say of which kind an amount is, and of no channel: `Cost (destination)`.
QUALIFIER = word_set("columns.qualifier")
#: Words of what an order is made of besides its goods: `Shipping`, `Taxes`.
ORDER_PART = word_set("columns.order_part")
ORDER_DISCOUNT = word_set("columns.order_discount")
_GOODS = word_set("columns.goods")
_COSTS = word_set("columns.costs")
BEFORE_TAX = word_set("columns.before_tax")
VALUE_OF = word_set("columns.value_of")
VALUE_NAME = word_set("columns.value_name")
RATIO = word_set("columns.ratio")
POPULATION = word_set("columns.population")
GEO = word_set("columns.geo")
NOT_GEO = word_set("columns.not_geo")
TIME = word_set("columns.time")
#: Numbers that only count time.
CALENDAR = word_set("columns.calendar")
TOTAL = word_set("columns.total")
#: Words of holidays, and of the season.
HOLIDAY = word_set("columns.holiday")
SEASON = word_set("columns.season")
#: What media move on their way to the KPI; see docs/roles.md.
AWARENESS = word_set("columns.awareness")
BRANDED = word_set("columns.branded")
SEARCHES = word_set("columns.searches")
#: Words that name a record, not an amount.
IDENTIFIER = word_set("columns.identifier")
#: Words of what a simulation or another model has worked out.
DERIVED = word_set("columns.derived")
#: Words of no weight beside the word that names a channel.
ADVERTISING = word_set("columns.advertising")
OUTCOME_LIKE = word_set("columns.outcome_like")
#: Of what there were some of a medium: faces of posters, pieces of mail.
MEDIA_COUNTS = word_set("columns.media_counts")

#: Ends of German, Chinese and run-together words: Fernsehkosten, tvspend, 电视花费.
_ENDS = (
    *("ausgaben", "kosten", "spend", "budget", "impressionen", "index"),
    *("umsatz", "umsatze", "erlose", "omzet", "reichweite", "flachen"),
    *(
        "コスト",
        "消费",
        "消耗",
        "花费",
        "费用",
        "广告费",
        "支出",
        "花費",
        "費用",
        "廣告費",
        "広告費",
        "광고비",
    ),
)


@dataclass(frozen=True)
class Word:
    """One word of a name: lower case, without accents, and where it stands."""

    text: str
    start: int
    end: int


def words(name: str) -> list[Word]:
    """The words of a column's name."""
    parts = []
    for match in _WORD.finditer(name):
        start = match.start()
        for part in _parts(match.group()):
            parts.append(Word(plain(part), start, start + len(part)))
            start += len(part)
    return parts


def _parts(run: str) -> list[str]:
    """A run of letters cut at changes of case and before known ends.

    Names of media that have a capital letter inside stay whole: TikTok, YouTube.
    """
    cut = [run] if _TO_WHOM.match(run) else _CAMEL.split(run)
    for at in reversed(range(len(cut) - 1)):
        if plain(cut[at] + cut[at + 1]) in MEDIA_NAME:
            cut[at : at + 2] = [cut[at] + cut[at + 1]]
    parts = []
    for part in cut:
        low = plain(part)
        end = next((end for end in _ENDS if low.endswith(end)), "")
        if end and len(low) - len(end) >= 2 and len(low) == len(part):
            parts += [part[: -len(end)], part[-len(end) :]]
        else:
            parts.append(part)
    return [part for part in parts if part]


def is_cost_of_goods(said: Collection[str]) -> bool:
    """Whether the words of a name are of what goods cost: `Item Cost`, no media."""
    rest = set(said) - _COSTS - FILLER - CURRENCY - TOTAL
    return not _COSTS.isdisjoint(said) and bool(rest) and rest <= _GOODS
