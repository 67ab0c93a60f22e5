"""Recognition: which column is what, from names and cells, with the reason for each.

Names decide first (words in five languages, Meridian's, Robyn's and PyMC-Marketing's
ways); cells decide where names are silent. `guess_roles` never fails, so that a screen
can show what is known; `guess_mapping` needs a time and a KPI.
"""

import pandas as pd

from core.data import words as vocabulary
from core.data.channels import channel_roles
from core.data.evidence import Evidence, distinct_dates, evidence
from core.data.findings import listed
from core.data.mapping import ColumnMapping, KpiType
from core.data.naming import Name
from core.data.roles import ColumnRole, Role, mapping_from_roles, roles_of
from core.errors import SchemaError

_CHOSEN = "Chosen by hand."


def guess_mapping(frame: pd.DataFrame, *, kpi: str | None = None) -> ColumnMapping:
    """The most likely role of every column.

    Args:
        frame: The table.
        kpi: The column of the KPI, where somebody has said.

    Raises:
        SchemaError: No column looks like dates, or none like a KPI.
    """
    if kpi is not None and kpi not in frame.columns:
        raise SchemaError(
            f"There is no column {kpi} to explain.",
            hint=f"Choose one of {listed([str(name) for name in frame.columns])}.",
            where="kpi",
        )
    roles = guess_roles(frame, kpi=kpi)
    by_role = {entry.role: entry.column for entry in roles}
    shown = listed([str(name) for name in frame.columns], limit=12)
    if "time" not in by_role:
        raise SchemaError(
            "No column holds dates.",
            hint=f"Add a column such as week, with dates like 2021-01-25, to {shown}.",
            where="time",
        )
    if "kpi" not in by_role:
        raise SchemaError(
            "No column looks like a KPI: sales, revenue, conversions or the like.",
            hint=f"Add it, or choose it in the column mapping from {shown}.",
            where="kpi",
        )
    kpi_type = guess_kpi_type(frame, by_role["kpi"], "revenue_per_kpi" in by_role)
    return mapping_from_roles(roles, kpi_type=kpi_type)


def explain_mapping(
    frame: pd.DataFrame, mapping: ColumnMapping
) -> dict[str, tuple[str, str]]:
    """For every column of the table its role under a mapping, and why.

    The reason is the guess's where the mapping agrees with the guess.
    """
    guessed = {entry.column: entry for entry in guess_roles(frame)}
    columns = [str(name) for name in frame.columns]
    found = {}
    for entry in roles_of(columns, mapping):
        guess = guessed[entry.column]
        same = guess.role == entry.role and guess.channel == entry.channel
        found[entry.column] = (entry.role, guess.reason if same else _CHOSEN)
    return found


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
    found = evidence(frame[[column]])[column]
    name = found.name
    if has_value:
        return "non_revenue", "Another column holds the value of a unit.", True
    for known, kind in (
        (vocabulary.COUNT_MARK, "non_revenue"),
        (vocabulary.KPI_REVENUE | vocabulary.CURRENCY, "revenue"),
        (vocabulary.KPI_COUNT, "non_revenue"),
        (vocabulary.VALUE_MARK, "revenue"),
    ):
        word = next((word for word in name.words if word in known), None)
        if word is not None:
            return kind, f'Its name says "{word}".', True
    if column in frame.attrs.get("currencies", {}):
        return "revenue", "Its cells carry the sign of a currency.", True
    if found.is_whole:
        return "non_revenue", "Its name does not say, and its values are whole.", False
    return "revenue", "Its name does not say, and its values have decimals.", False


def guess_roles(frame: pd.DataFrame, *, kpi: str | None = None) -> list[ColumnRole]:
    """The most likely role of every column, in order, each with its reason.

    Args:
        frame: The table.
        kpi: The column of the KPI, where somebody has said.
    """
    known = evidence(frame)
    found: dict[str, ColumnRole] = {}

    def note(column: str, role: Role, reason: str) -> None:
        found[column] = ColumnRole(column, role, reason=reason)

    for column, seen in known.items():
        if seen.is_empty:
            note(column, "ignored", "It is empty.")
    time = _time(frame, known)
    if time:
        note(time, "time", _time_reason(known[time]))
    geo = _geo(frame, known, time, set(found))
    if geo:
        note(geo, "geo", _geo_reason(known[geo]))
    for column, seen in known.items():
        if column not in found and not seen.is_number:
            what = "Another column of dates." if seen.is_date else "It is text."
            same = "It is the same in every row."
            note(column, "ignored", same if seen.is_constant else what)
    likely, per_kpi = _kpi(known, set(found))
    if kpi is not None:
        note(kpi, "kpi", _CHOSEN)
    elif likely:
        kpi = likely
        note(kpi, "kpi", _kpi_reason(known[kpi].name))
    if per_kpi:
        note(per_kpi, "revenue_per_kpi", "Its name says the value of a KPI unit.")
    left = {name: seen for name, seen in known.items() if name not in found}
    found |= _population(left, geo)
    left = {name: seen for name, seen in left.items() if name not in found}
    found |= channel_roles(left, kpi=kpi)
    return [found[column] for column in known]


def _time(frame: pd.DataFrame, known: dict[str, Evidence]) -> str | None:
    """The column of dates with the most distinct dates; starts before ends."""
    best, best_score = None, (0, 0)
    for column, seen in known.items():
        named = seen.name.has(vocabulary.TIME)
        if seen.is_empty or not (seen.is_date or (named and not seen.is_counter)):
            continue
        if not seen.is_date and not _only_time(seen.name):
            continue
        is_end = seen.name.has(frozenset({"end", "ende", "ending", "fin", "to", "bis"}))
        score = (distinct_dates(frame[column]), 2 * named + (not is_end))
        if score[0] and score > best_score:
            best, best_score = column, score
    if best is not None:
        return best
    named_so = [
        column
        for column, seen in known.items()
        if not seen.is_number and not seen.is_empty and _only_time(seen.name)
    ]
    return named_so[0] if named_so else None


def _only_time(name: Name) -> bool:
    """Whether a name is about time and about nothing that a model uses."""
    others = (vocabulary.SPEND, vocabulary.MEDIA, vocabulary.KPI_COUNT)
    return name.has(vocabulary.TIME) and not any(name.has(other) for other in others)


def _time_reason(seen: Evidence) -> str:
    named = seen.name.has(vocabulary.TIME)
    return "It holds dates, as its name says." if named else "It holds dates."


def _geo(
    frame: pd.DataFrame, known: dict[str, Evidence], time: str | None, taken: set[str]
) -> str | None:
    """The column of geos: named so, or the text that tells rows of a date apart."""
    free = [
        column
        for column, seen in known.items()
        if column not in taken and not seen.is_constant and not seen.is_date
    ]
    named = [
        column
        for column in free
        if known[column].name.has(vocabulary.GEO)
        and known[column].name.measure is None
        and (known[column].is_whole or not known[column].is_number)
        and not known[column].name.has(vocabulary.KPI_COUNT | vocabulary.KPI_OPEN)
        and _is_label(known[column])
    ]
    if named:
        return max(named, key=lambda column: frame[column].nunique())
    if time is None or not frame.duplicated([time]).any():
        return None
    for column in free:
        seen = known[column]
        if seen.is_number or seen.name.has(vocabulary.NOT_GEO):
            continue
        if not frame.duplicated([time, column]).any():
            return column
    return None


def _is_label(seen: Evidence) -> bool:
    """Whether whole numbers with a geo's name are codes: `dma_code`, not `area`."""
    codes = frozenset({"id", "code", "nr", "no", "number", "zip", "zipcode", "plz"})
    named = seen.name.is_all(vocabulary.GEO | codes)
    return named if seen.is_number else True


def _geo_reason(seen: Evidence) -> str:
    if seen.name.has(vocabulary.GEO):
        return "It names places, as its name says."
    return "It tells the rows of one date apart."


def _kpi(known: dict[str, Evidence], taken: set[str]) -> tuple[str | None, str | None]:
    """The column of the KPI, and that of its value."""
    names = {
        column: seen.name
        for column, seen in known.items()
        if column not in taken
        and seen.is_number
        and (seen.is_constant or not seen.is_flag)
    }
    per_kpi = next((column for column, name in names.items() if is_value(name)), None)
    value = names.pop(per_kpi, None)
    scores = {column: _kpi_score(name, value) for column, name in names.items()}
    likely = [column for column, score in scores.items() if score > 0]
    kpi = max(likely, key=lambda column: scores[column]) if likely else None
    return kpi, per_kpi


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
    if name.has(vocabulary.CONTROL | vocabulary.CONTROL_MARK | vocabulary.NON_MEDIA):
        return 0.0
    if "kpi" in name.words:
        score = 8.0
    elif name.has(vocabulary.KPI_REVENUE):
        score = 6.0 if value is None else 3.0
    elif name.has(vocabulary.KPI_OPEN):
        score = 5.5
    elif name.has(vocabulary.KPI_COUNT):
        score = 5.0
    elif len(name.words) == 1 and name.has(vocabulary.KPI_GENERIC):
        score = 4.0
    else:
        return 0.0
    if value is not None and _shares_word(name, value):
        score += 10.0
    if name.has(vocabulary.MEDIA_NAME | vocabulary.ORGANIC):
        score -= 3.5
    return score - 0.01 * len(name.words)


def _shares_word(name: Name, value: Name) -> bool:
    """Whether a KPI is what a value is about: conversions, revenue_per_conversion."""
    about = set(value.words) - vocabulary.VALUE_OF
    return any(
        len(word) > 3 and word[:4] == other[:4]
        for word in name.words
        for other in about
    )


def _kpi_reason(name: Name) -> str:
    outcomes = vocabulary.KPI_REVENUE | vocabulary.KPI_COUNT | vocabulary.KPI_OPEN
    for word in name.words:
        if word in outcomes | vocabulary.KPI_GENERIC:
            return f'Its name says "{word}".'
    return "Its name says that it is the outcome."


def _population(left: dict[str, Evidence], geo: str | None) -> dict[str, ColumnRole]:
    """The column of people per geo."""
    found: dict[str, ColumnRole] = {}
    for column, seen in left.items():
        if not seen.name.has(vocabulary.POPULATION) or seen.name.measure is not None:
            continue
        if geo is None:
            reason = "A national table needs no population."
            found[column] = ColumnRole(column, "ignored", reason=reason)
        elif "population" not in [entry.role for entry in found.values()]:
            reason = "Its name says people."
            found[column] = ColumnRole(column, "population", reason=reason)
    return found
