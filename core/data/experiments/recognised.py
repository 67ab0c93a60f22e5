"""Columns of a table of lift tests: which field of a test or its result each holds."""

import re

from core.data.cells.words import (
    CURRENCY,
    GEO,
    KPI_COUNT,
    KPI_OPEN,
    KPI_REVENUE,
    PER,
    SPEND,
    TIME,
    plain,
    word_set,
    word_sets,
    words,
)
from core.data.experiments.composed import is_composed

_OTHERS = {
    field: word_list | GEO if field == "geos" else word_list
    for field, word_list in word_sets("test_results").items()
}
#: Columns that have to be called so: other exports have amounts, too.
_BY_NAME = ("amount", "skewness")
#: Fields that go before a result whose name says both: `Lift low`, `Start of lift`.
_OF_RESULTS = ("low", "high", "level", "standard_error", "start", "end")
_INCREMENTAL = word_set("test_measures.incremental")
_LIFT = word_set("test_measures.lift")
_ABSOLUTE = word_set("test_measures.absolute")
_TESTS = word_set("test_measures.tests")
_KINDS = word_set("test_measures.kinds")
_INTERVAL = word_set("composed.interval")
#: Words that together name a standard error: `std. deviation`, `erreur type`.
_STANDARD = {"standard", "std", "type", "estandar", "tipica"}
_ERRORS = {"error", "err", "erreur", "ecart", "deviation", "desviacion", "dev"}
#: Half of an interval, which is no standard error: `Margin of error`.
_MARGINS = {"margin", "marge", "margen"}
#: Words of a count or a value that a cost can be per.
_OUTCOMES = KPI_REVENUE | KPI_COUNT | KPI_OPEN | {"outcome", "kpi", "conv", "action"}
#: Names of a cost per incremental unit.
_COST_PER = frozenset({"cpia", "icpa", "cpic"})
#: Words that say where something ends as well as how it compares: `Lift to baseline`.
#: With nothing but words of days beside them they stand for a day.
_PREPOSITIONS = word_set("test_measures.prepositions")
_OFDAYS = TIME | word_set("test_measures.of_days")


def recognised(names: list[str]) -> dict[str, str]:
    """The column of each part of a test; by its own name, else by the words in it."""
    columns: dict[str, str] = {}
    fields = {*_OTHERS, *_BY_NAME, "incremental_outcome"}
    for name in names:
        texts = [word.text for word in words(name)]
        own = "_".join(text for text in texts if text not in CURRENCY)
        if own in fields:
            columns.setdefault(own, name)
    for name in names:
        key = None if name in columns.values() else _field(name)
        if key is not None:
            columns.setdefault(key, name)
    return columns


def _field(name: str) -> str | None:
    """The part of a test that the words of a name say."""
    text = words_of(name)
    terms = text if _is_day(text) else text - _PREPOSITIONS
    part = next((key for key, listed in _OTHERS.items() if terms & listed), None)
    if is_composed(name) and part in ("level", "standard_error"):
        part = None
    measure = _measured(text)
    if measure is None or part in _OF_RESULTS:
        return part or ("level" if text & _INTERVAL else None)
    return measure


def _measured(text: set[str]) -> str | None:
    """The result, or the spend, that the words of a column name."""
    incremental, lift = text & _INCREMENTAL, text & _LIFT
    if text & SPEND:
        if incremental and text & (_OUTCOMES | PER):
            return "cost_per_incremental"
        return "spend_between_arms" if incremental else "spend"
    if text & _COST_PER:
        return "cost_per_incremental"
    if "iroas" in text or (incremental and "roas" in text):
        return "iroas"
    if incremental or (lift and text & _ABSOLUTE):
        return "incremental_outcome"
    return "lift" if lift else None


def _is_day(text: set[str]) -> bool:
    """Whether `from` or `to` in a name stands for a day, by the words beside it."""
    others = text - _PREPOSITIONS - _OFDAYS
    return not others or (bool(others & _TESTS) and others <= _TESTS | _KINDS)


def words_of(name: str) -> set[str]:
    """Words of a name, `standardError` and `S.E.` among them."""
    apart = re.sub(r"(?<=[a-z]{2})(?=[A-Z])", " ", name).lower().replace("s.e.", "se")
    texts = set(re.findall(r"[a-z]+", plain(apart)))
    if texts & _STANDARD and texts & _ERRORS:
        texts |= {"se"}
    if texts & _MARGINS:
        texts -= _ERRORS
    if {"half", "life"} <= texts:
        texts |= {"halflife"}
    return texts | ({"se"} if "standarderror" in texts else set())
