"""Outcomes: which column is the KPI, which holds its value, and whether it is money."""

import numpy as np
import pandas as pd

from core.data.cells import words as vocabulary
from core.data.mapping import ColumnMapping, KpiType
from core.data.reading.numbers import as_numbers
from core.data.recognition.evidence import Evidence, evidence
from core.data.recognition.naming import Name


def guess_kpi_type(frame: pd.DataFrame, column: str, has_value: bool) -> KpiType:
    """Whether the KPI is money; see `explain_kpi_type`."""
    return explain_kpi_type(frame, column, has_value)[0]


def explain_kpi_type(
    frame: pd.DataFrame, column: str, has_value: bool
) -> tuple[KpiType, str, bool]:
    """Whether the KPI is money: by its name, else by cents in its cells; and why.

    Args:
        frame: The table.
        column: The column of the KPI.
        has_value: Whether another column gives the value of a KPI unit.

    Returns:
        The kind, the reason in one sentence, and whether the name says so. Where it
        does not, the kind is a guess that somebody should confirm.
    """
    facts = evidence(frame[[column]])[column]
    name = facts.name
    if has_value:
        return "non_revenue", "Another column holds the value of a unit.", True
    for word_set, kind in (
        (vocabulary.COUNT_MARK, "non_revenue"),
        (vocabulary.KPI_REVENUE | vocabulary.CURRENCY, "revenue"),
        (_valued(name), "revenue"),
        (_before_tax(name), "revenue"),
        (vocabulary.KPI_COUNT, "non_revenue"),
        (vocabulary.VALUE_MARK, "revenue"),
    ):
        word = next((word for word in name.words if word in word_set), None)
        if word is not None:
            return kind, f'Its name says "{word}".', True
    if column in frame.attrs.get("currencies", {}):
        return "revenue", "Its cells carry the sign of a currency.", True
    if not np.isfinite(as_numbers(frame[column], ".").values).any():
        return "revenue", "Its name does not say, and it holds no numbers.", False
    if facts.is_whole:
        return "non_revenue", "Its name does not say, and its values are whole.", False
    return "revenue", "Its name does not say, and its values have decimals.", False


def kind_of_kpi(mapping: ColumnMapping) -> str:
    """What the KPI counts, in one sentence."""
    if mapping.kpi_type == "revenue":
        return f"The KPI {mapping.kpi} is money."
    if mapping.revenue_per_kpi is None:
        return f"The KPI {mapping.kpi} is a count whose units have no value in money."
    value = mapping.revenue_per_kpi
    if isinstance(value, str):
        return (
            f"The KPI {mapping.kpi} is a count; column {value} says what one is worth."
        )
    return f"The KPI {mapping.kpi} is a count; a unit is worth {value:g}."


def kind_explained(frame: pd.DataFrame, mapping: ColumnMapping) -> tuple[str, bool]:
    """What the KPI counts with the reason of the guess, and whether it is sure.

    A mapping that says otherwise than the guess was made by somebody, and is sure.
    """
    sentence = kind_of_kpi(mapping)
    if mapping.kpi not in frame.columns:
        return sentence, True
    has_value = mapping.revenue_per_kpi is not None
    kind, reason, is_sure = explain_kpi_type(frame, mapping.kpi, has_value)
    if kind != mapping.kpi_type or has_value:  # then its value is said
        return sentence, True
    return f"{sentence} {'' if is_sure else 'A guess: '}{reason}", is_sure


def kpi_candidates(frame: pd.DataFrame) -> list[str]:
    """Columns that could be the KPI by their names, the likeliest first."""
    scores = {
        column: _kpi_score(facts.name, None)
        for column, facts in evidence(frame).items()
        if facts.is_number and not facts.is_flag
    }
    likely = [column for column, score in scores.items() if score > 0]
    return sorted(likely, key=lambda column: -scores[column])


def is_generic(name: Name) -> bool:
    """Whether a name only says that it is what is explained: `y1`, `target_var`."""
    if not name.words:
        return False
    first, *others = (word.rstrip("0123456789") for word in name.words)
    if first not in vocabulary.KPI_GENERIC:
        return False
    plain = {"", "var", "variable", "col", "column", "value", "metric", "kpi", "y"}
    named = first in ("target", "outcome", "response") and " " not in name.column
    return plain.issuperset(others) or named  # `Target Ausgaben` is of a shop


def likely_kpi(
    evidence: dict[str, Evidence], in_use: set[str]
) -> tuple[str | None, str | None]:
    """The column of the KPI, and that of its value.

    None is the KPI where several are each a part of what was sold, such as online and
    offline revenue, and no column is their sum: somebody has to say.
    """
    names = {
        column: facts.name
        for column, facts in evidence.items()
        if column not in in_use
        and facts.is_number
        and (facts.is_constant or not facts.is_flag)
    }
    per_kpi = next((column for column, name in names.items() if is_value(name)), None)
    value = names.pop(per_kpi, None)
    scores = {column: _kpi_score(name, value) for column, name in names.items()}
    likely = [column for column, score in scores.items() if score > 0]
    kpi = max(likely, key=lambda column: scores[column]) if likely else None
    parts = _beside(kpi, likely, names)
    if len(parts) > 1:
        sums = [column for column in parts if not _is_part(names[column])]
        kpi = max(sums, key=lambda column: scores[column]) if sums else None
    return kpi, per_kpi


def kpi_parts(frame: pd.DataFrame) -> list[str]:
    """Columns that are each a part of what was sold, where none is their sum."""
    names = {column: facts.name for column, facts in evidence(frame).items()}
    likely = kpi_candidates(frame)
    parts = _beside(likely[0] if likely else None, likely, names)
    return parts if all(_is_part(names[column]) for column in parts) else []


def other_parts(kpi: str | None, names: dict[str, Name]) -> list[str]:
    """Columns that count the same as the KPI, of another part of the sales."""
    likely = [column for column, name in names.items() if _kpi_score(name, None) > 0]
    return [column for column in _beside(kpi, likely, names) if column != kpi]


def _beside(kpi: str | None, likely: list[str], names: dict[str, Name]) -> list[str]:
    """The likely columns whose names say the same of another part; with the KPI."""
    if kpi is None or not _is_part(names[kpi]):
        return []
    same = [column for column in likely if _whole(names[column]) == _whole(names[kpi])]
    return same if len(same) > 1 else []


def _is_part(name: Name) -> bool:
    return name.has(vocabulary.SALES_PART)


def _whole(name: Name) -> frozenset[str]:
    """What a name says beside which part of the sales, or that it is all of them."""
    small = {"in", "en", "im", "e", "au"}
    return frozenset(name.words) - vocabulary.SALES_PART - vocabulary.TOTAL - small


def is_value(name: Name) -> bool:
    """Whether a name says the value of a KPI unit: `revenue_per_conversion`, `aov`."""
    basket = {"order", "basket", "bestellwert", "warenkorb", "panier", "ticket"}
    if name.has(vocabulary.VALUE_NAME) or (
        name.has(frozenset(basket)) and name.has(vocabulary.VALUE_MARK)
    ):
        return True
    per = [at for at, word in enumerate(name.words) if word in vocabulary.PER]
    if not per or per[0] + 1 >= len(name.words):
        return False
    before, after = name.words[: per[0]], name.words[per[0] + 1]
    return after not in vocabulary.TIME and any(
        word in vocabulary.VALUE_OF for word in before
    )


def _kpi_score(name: Name, value: Name | None) -> float:
    """How likely a column is the KPI; zero for not at all."""
    if name.measure is not None or name.has(vocabulary.PER | vocabulary.RATIO):
        return 0.0
    if name.has(vocabulary.IDENTIFIER | vocabulary.DERIVED):
        return 0.0
    words = frozenset(name.words)
    if name.has(vocabulary.KPI_REVENUE | vocabulary.KPI_OPEN):
        words -= vocabulary.SALES_PART  # `Umsatz Filialen` is money, not stores
    control = vocabulary.CONTROL | vocabulary.CONTROL_MARK | vocabulary.NON_MEDIA
    if not control.isdisjoint(words):
        return 0.0
    if "kpi" in name.words:
        score = 8.0
    elif name.has(vocabulary.KPI_REVENUE) or _is_turnover(name):
        score = 6.0 if value is None else 3.0
    elif name.has(vocabulary.KPI_OPEN):
        score = 5.5
    elif name.has(vocabulary.KPI_COUNT):
        score = 5.2 if name.has(_valued(name)) else 5.0
    elif is_generic(name):
        score = 4.0
    else:
        return 0.0
    if value is not None and _shares_word(name, value):
        score += 10.0
    if name.has(vocabulary.MEDIA_NAME | vocabulary.ORGANIC):
        score -= 3.5
    return score - 0.01 * len(name.words)


def _valued(name: Name) -> frozenset[str]:
    """Words that say what counted things were worth: `Conv. value`; else none."""
    if not name.has(vocabulary.KPI_COUNT) or name.has(vocabulary.COUNT_MARK):
        return frozenset()
    return vocabulary.VALUE_MARK


def _before_tax(name: Name) -> frozenset[str]:
    """Words that only sales in money have: `Net sales`, `Ventes brutes`; else none."""
    is_open = name.has(vocabulary.KPI_OPEN) and not name.has(vocabulary.KPI_COUNT)
    return vocabulary.BEFORE_TAX if is_open else frozenset()


def _is_turnover(name: Name) -> bool:
    """Whether a name is French for revenue, not California: `CA HT`, `CA (€)`."""
    others = set(name.words[1:])
    says = others & (vocabulary.BEFORE_TAX | vocabulary.CURRENCY)
    return name.words[:1] == ("ca",) and bool(says)


def _shares_word(name: Name, value: Name) -> bool:
    """Whether a KPI is what a value is about: conversions, revenue_per_conversion."""
    about = set(value.words) - vocabulary.VALUE_OF
    return any(
        len(word) > 3 and word[:4] == other[:4]
        for word in name.words
        for other in about
    )


def reason_for_kpi(name: Name) -> str:
    """Why a column is taken for the KPI."""
    outcomes = vocabulary.KPI_REVENUE | vocabulary.KPI_COUNT | vocabulary.KPI_OPEN
    for word in name.words:
        if word in outcomes or word.rstrip("0123456789") in vocabulary.KPI_GENERIC:
            return f'Its name says "{word}".'
    return "Its name says that it is the outcome."
