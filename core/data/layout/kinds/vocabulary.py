"""Words of exports: what columns of ad platforms, shops and data warehouses are called.

In the languages of `core.data.cells.words`; accents and case are left aside.
"""

from functools import lru_cache
from typing import Literal

from core.data.cells import words as known
from core.data.cells.words import word_set, word_sets, words

Measure = Literal["spend", "impressions", "clicks", "views", "reach", "grps", "sends"]
Level = Literal["platform", "type", "campaign", "ad_group", "ad", "product"]

#: Measures that exposure is taken from, the fullest first.
MEASURES: tuple[Measure, ...] = (
    *("spend", "impressions", "grps", "views", "clicks", "sends", "reach"),
)
#: Levels from coarse to fine.
LEVELS: tuple[Level, ...] = ("platform", "type", "campaign", "ad_group", "ad")


_SPEND = known.SPEND | word_set("exports.spend")
_PLANNED = word_set("exports.planned")
#: How words begin for amounts that need not have been spent.
_AHEAD = tuple(word_set("exports.ahead"))
_CHARGED = word_set("exports.charged")
_RATIO = known.RATIO | word_set("exports.ratio")
#: Of media, or a mean in Spanish and Italian, where the word before it is feminine.
_MEDIA = frozenset({"media"})
_FEMININE = word_set("exports.feminine")
_OUTCOME = word_set("exports.outcome")
#: How words for each begin.
_STARTS = {what: tuple(begins) for what, begins in word_sets("measures").items()}
_LEVELS = word_sets("levels")
_GROUPED = word_set("exports.grouped")
_ID = word_set("exports.id")
_VARIABLE = word_set("exports.variable")
_VALUE = word_set("exports.value")
_UNIT = word_set("exports.unit")
_CURRENCY = word_set("exports.currency")
_TOTAL = word_set("exports.total")
#: SAP marks its sums so.
_STARS = frozenset("*")
_AVERAGED = known.CONTROL | known.NON_MEDIA | known.PER | known.RATIO | known.FREQUENCY
_AVERAGED |= word_set("exports.averaged")
_AVERAGED |= known.POPULATION | known.CALENDAR

#: Which clicks and views platforms count.
_KINDS = word_set("exports.kinds")
_END = word_set("exports.end")


#: What a cell says of an order that brought no money, by its first letters.
_CANCELLED = tuple(word_set("exports.cancelled"))
#: What the stage of a deal is that did; beside it all others did not, or not yet.
_WON = word_set("orders.won")
#: What one says that did, or will.
_FINE = tuple(word_set("exports.fine"))


@lru_cache(maxsize=4096)  # every reader of a layout asks again about every column
def spoken(name: str) -> tuple[str, ...]:
    """The words of a name: lower case, without accents."""
    return tuple(word.text for word in words(name))


def measure(name: str) -> Measure | Literal["ratio", "outcome"] | None:
    """What a column of numbers of an ad report measures."""
    spoken_words = spoken(name)
    if not spoken_words or is_id(name):
        return None
    has = set(spoken_words)
    if {"revenue", "adv"} <= has:  # what Display & Video 360 bills its advertiser
        return "spend"
    if has & _OUTCOME and not has & known.PER:
        return "outcome"
    ratios = has & _RATIO
    if ratios == _MEDIA and has & (_SPEND - _FEMININE):
        ratios = frozenset()  # `Media Cost` is the cost of media, not a mean
    if ratios or (has & known.PER and not has & known.TIME):
        return "ratio"
    if has & _SPEND:
        return "ratio" if has & _PLANNED and not has & (_SPEND - _PLANNED) else "spend"
    for what, starts in _STARTS.items():
        if any(word.startswith(starts) for word in spoken_words):
            return what
    return None


def level(name: str) -> Level | None:
    """Which part of a market or campaign a column of text names."""
    has = set(spoken(name))
    if has & _LEVELS["ad"] and has & _GROUPED:
        return "ad_group"
    return next((what for what, about in _LEVELS.items() if has & about), None)


def is_id(name: str) -> bool:
    """Whether a name is that of an identifier."""
    spoken_words = spoken(name)
    return bool(spoken_words) and (spoken_words[-1] in _ID or spoken_words[0] == "id")


def is_variable(name: str) -> bool:
    """Whether a column holds names of variables."""
    has = set(spoken(name))
    return bool(has & _VARIABLE) and not has & _VALUE


def is_value(name: str) -> bool:
    """Whether a column holds the values of variables."""
    return bool(set(spoken(name)) & _VALUE)


def is_money(name: str) -> bool:
    """Whether a column of a table is an amount of money: spend or revenue."""
    has = set(spoken(name))
    money = known.KPI_REVENUE | known.CURRENCY | word_set("exports.money")
    return measure(name) == "spend" or bool(has & money)


def is_unit(name: str) -> bool:
    """Whether a column says the unit or currency of a row."""
    return bool(set(spoken(name)) & _UNIT)


def is_currency(name: str) -> bool:
    """Whether a column holds codes of currencies."""
    return bool(set(spoken(name)) & _CURRENCY)


def is_planned(name: str) -> bool:
    """Whether an amount was planned or booked: `Planned cost`, `Budget`."""
    return any(word.startswith(_AHEAD) for word in spoken(name))


def is_charge(name: str) -> bool:
    """Whether a column beside impressions is money that they cost: `Amount (EUR)`."""
    has = set(spoken(name))
    return bool(has & (_CHARGED | known.CURRENCY)) and measure(name) is None


def is_bare(name: str) -> bool:
    """Whether a name says what is measured, and of no channel: `Cost`, `Impr.`."""
    known_words = _SPEND | known.MEDIA | known.FILLER | known.CURRENCY | known.TOTAL
    known_words |= frozenset({"of", "amount", "media", "ad", "ads", "amt"})
    if measure(name) not in ("spend", None):
        known_words |= _KINDS  # `Link clicks` and `Video views` are no channels
    return measure(name) is not None and all(
        word in known_words or any(map(word.startswith, _STARTS.values()))
        for word in spoken(name)
    )


def of_account(name: str, others: list[str]) -> str:
    """What a bare column of one account's export is called behind the account's name.

    `Video views` are its views, where no other column counts them: with its own word
    it would be a channel of that name.
    """
    what = measure(name)
    is_alone = [measure(other) for other in others].count(what) == 1
    is_kind = is_alone and what != "spend" and not _KINDS.isdisjoint(spoken(name))
    return str(what) if is_kind else name


def is_averaged(name: str) -> bool:
    """Whether the days of a column are averaged, not summed, to weeks."""
    has = set(spoken(name))
    return bool(has & _AVERAGED) and not has & (known.SPEND | known.MEDIA)


def is_total(text: str) -> bool:
    """Whether a cell is that of a total row: `Total: Account`, `Grand Total`, `**`."""
    spoken_words = spoken(text)
    if not spoken_words:
        return bool(text.strip()) and set(text.strip()) <= _STARS
    return bool({spoken_words[0], spoken_words[-1]} & _TOTAL) or (
        "total" in spoken_words and spoken_words[-1] == "general"
    )


def is_end(name: str) -> bool:
    """Whether a date is the last day of its period."""
    return bool(set(spoken(name)) & _END)


def is_won(cell: object) -> bool:
    """Whether a cell says that a deal was closed and brought money: `Closed won`."""
    spoken_words = spoken(str(cell))
    return bool(spoken_words) and not _WON.isdisjoint(
        {spoken_words[0], spoken_words[-1]}
    )


def is_fine(cell: object) -> bool:
    """Whether a cell says that an order came, or will come, to something."""
    return any(word.startswith(_FINE) for word in spoken(str(cell)))


def is_cancelled(cell: object) -> bool:
    """Whether a cell says that an order is cancelled or refunded."""
    text = spoken(str(cell))
    negated = {"not", "non", "no", "nicht", "partially", "teilweise"} & set(text)
    return not negated and any(w.startswith(_CANCELLED) for w in text)
