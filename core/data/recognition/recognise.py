"""Recognition: which column is what, from names and cells, with the reason for each.

Names decide first (words in five languages, Meridian's, Robyn's and PyMC-Marketing's
ways); cells decide where names are silent. `guess_roles` never fails, so that a screen
can show what is known; `guess_mapping` needs a time and a KPI.
"""

from collections.abc import Collection

import pandas as pd

from core.data.cells import words as vocabulary
from core.data.mapping import ColumnMapping
from core.data.recognition.channels import PLAN_OF, channel_roles, planned
from core.data.recognition.derived import DERIVED_FROM, derived, without_totals
from core.data.recognition.evidence import Evidence, distinct_dates, evidence
from core.data.recognition.naming import Name
from core.data.recognition.outcomes import (
    guess_kpi_type,
    kpi_parts,
    likely_kpi,
    other_parts,
    reason_for_kpi,
)
from core.data.recognition.roles import ColumnRole, Role, mapping_from_roles, roles_of
from core.errors import SchemaError
from core.text.sentences import listed

_CHOSEN = "Chosen by hand."


def guess_mapping(frame: pd.DataFrame) -> ColumnMapping:
    """The most likely role of every column.

    Args:
        frame: The table.

    Raises:
        SchemaError: No column looks like dates, or none like a KPI.
    """
    roles = guess_roles(frame)
    by_role = {entry.role: entry.column for entry in roles}
    shown = listed([str(name) for name in frame.columns], limit=12)
    if "time" not in by_role:
        raise SchemaError(
            "No column holds dates.",
            hint=f"Add a column such as week, with dates like 2021-01-25, to {shown}.",
            where="time",
        )
    if "kpi" not in by_role:
        raise no_kpi(roles, frame)
    kpi_type = guess_kpi_type(frame, by_role["kpi"], "revenue_per_kpi" in by_role)
    return mapping_from_roles(roles, kpi_type=kpi_type)


def no_kpi(roles: list[ColumnRole], frame: pd.DataFrame) -> SchemaError:
    """That no column is a KPI by its name, with those that could be chosen.

    Args:
        roles: Of the columns, as guessed.
        frame: The table.
    """
    if parts := kpi_parts(frame):
        return SchemaError(
            f"{listed(parts)} are each a part of what was sold, and one column is the "
            "KPI: what the others count would be left out.",
            hint="If all of it is the business that the media is for, add a column of "
            "their sum; else choose the one that is meant in the column mapping "
            "(--kpi COLUMN with core init).",
            where="kpi",
        )
    message = "No column looks like a KPI: sales, revenue, conversions or the like."
    by_column = evidence(frame)
    changing = [
        entry
        for entry in roles
        if by_column[entry.column].is_number and not by_column[entry.column].is_constant
    ]
    candidates = [
        entry.column
        for entry in changing
        if entry.role in ("control", "non_media", "ignored")
    ]
    if not candidates:  # of words that nobody knows each may be it
        candidates = [
            entry.column
            for entry in changing
            if not by_column[entry.column].name.has(vocabulary.MEDIA_NAME)
            and by_column[entry.column].name.measure is None
        ]
    hint = "Add a column of it, per period."
    if candidates:
        shown = listed(candidates, limit=12)
        hint = (
            "Add it, or choose it in the column mapping (--kpi COLUMN with core init) "
            f"from {shown}."
        )
    return SchemaError(message, hint=hint, where="kpi")


def explain_mapping(
    frame: pd.DataFrame, mapping: ColumnMapping
) -> dict[str, tuple[str, str]]:
    """For every column of the table its role under a mapping, and why.

    The reason is the guess's where the mapping agrees with the guess.
    """
    guessed = {entry.column: entry for entry in guess_roles(frame)}
    columns = [str(name) for name in frame.columns]
    explained = {}
    for entry in roles_of(columns, mapping):
        guess = guessed[entry.column]
        same = guess.role == entry.role and guess.channel == entry.channel
        explained[entry.column] = (entry.role, guess.reason if same else _CHOSEN)
    return explained


def guess_roles(
    frame: pd.DataFrame,
    *,
    kpi: str | None = None,
    reported: Collection[str] = (),
) -> list[ColumnRole]:
    """The most likely role of every column, in order, each with its reason.

    Args:
        frame: The table.
        kpi: The column of the KPI, where somebody has said.
        reported: Outcomes that a platform counts itself: the KPI only where there is
            no other.
    """
    by_column = evidence(frame)
    roles: dict[str, ColumnRole] = {}

    def note(column: str, role: Role, reason: str) -> None:
        roles[column] = ColumnRole(column, role, reason=reason)

    for column, facts in by_column.items():
        if facts.is_empty:
            note(column, "ignored", "It is empty.")
    time = _time(frame, by_column)
    if time:
        note(time, "time", _time_reason(by_column[time]))
    geo = _geo(frame, by_column, time, set(roles))
    if geo:
        note(geo, "geo", _geo_reason(by_column[geo]))
    for column, facts in by_column.items():
        if column not in roles and not facts.is_number:
            note(column, "ignored", _no_number(facts))
    for about, tell in ((planned, PLAN_OF), (derived, DERIVED_FROM)):
        others = [name for name in by_column if name not in roles]
        for column, other in about(others).items():
            if column != kpi:
                note(column, "ignored", tell.format(other=other))
    likely, per_kpi = _likely(by_column, set(roles), reported)
    if kpi is not None:
        note(kpi, "kpi", _CHOSEN)
    elif likely:
        kpi = likely
        note(kpi, "kpi", reason_for_kpi(by_column[kpi].name))
    open_names = {
        name: facts.name
        for name, facts in by_column.items()
        if name == kpi or name not in roles
    }
    for column in other_parts(kpi if kpi in open_names else None, open_names):
        note(column, "ignored", "It counts another part of what was sold.")
    if per_kpi:
        note(per_kpi, "revenue_per_kpi", "Its name says the value of a KPI unit.")
    remaining = {name: facts for name, facts in by_column.items() if name not in roles}
    roles |= _population(remaining, geo)
    remaining = {name: facts for name, facts in remaining.items() if name not in roles}
    roles |= channel_roles(remaining, kpi=kpi, has_geos=geo is not None)
    roles = without_totals(frame, roles)
    return [roles[column] for column in by_column]


def _likely(
    by_column: dict[str, Evidence], in_use: set[str], reported: Collection[str]
) -> tuple[str | None, str | None]:
    """The KPI and its value, of what a platform claims only where there is no other."""
    likely = likely_kpi(by_column, {*in_use, *reported})
    return likely_kpi(by_column, in_use) if likely[0] is None else likely


def _no_number(facts: Evidence) -> str:
    """Why a column that holds no numbers is not used."""
    if facts.is_constant:
        return "It is the same in every row."
    return "Another column of dates." if facts.is_date else "It is text."


def _time(frame: pd.DataFrame, evidence: dict[str, Evidence]) -> str | None:
    """The column of dates with the most distinct dates; starts before ends."""
    best, best_score = None, (0, 0)
    for column, facts in evidence.items():
        named = facts.name.has(vocabulary.TIME)
        if facts.is_empty or not (facts.is_date or (named and not facts.is_counter)):
            continue
        if not facts.is_date and not _only_time(facts.name):
            continue
        is_end = facts.name.has(
            frozenset({"end", "ende", "ending", "fin", "to", "bis"})
        )
        score = (distinct_dates(frame[column]), 2 * named + (not is_end))
        if score[0] and score > best_score:
            best, best_score = column, score
    if best is not None:
        return best
    named_so = [
        column
        for column, facts in evidence.items()
        if not facts.is_number and not facts.is_empty and _only_time(facts.name)
    ]
    return named_so[0] if named_so else None


def _only_time(name: Name) -> bool:
    """Whether a name is about time and about nothing that a model uses."""
    others = (vocabulary.SPEND, vocabulary.MEDIA, vocabulary.KPI_COUNT)
    return name.has(vocabulary.TIME) and not any(name.has(other) for other in others)


def _time_reason(facts: Evidence) -> str:
    named = facts.name.has(vocabulary.TIME)
    return "It holds dates, as its name says." if named else "It holds dates."


def _geo(
    frame: pd.DataFrame,
    evidence: dict[str, Evidence],
    time: str | None,
    in_use: set[str],
) -> str | None:
    """The column of geos: named so, or the text that tells rows of a date apart."""
    free = [
        column
        for column, facts in evidence.items()
        if column not in in_use and not facts.is_constant and not facts.is_date
    ]
    named = [
        column
        for column in free
        if evidence[column].name.has(vocabulary.GEO)
        and evidence[column].name.measure is None
        and (evidence[column].is_whole or not evidence[column].is_number)
        and not evidence[column].name.has(vocabulary.KPI_COUNT | vocabulary.KPI_OPEN)
        and _is_label(evidence[column])
    ]
    if named:
        return max(named, key=lambda column: frame[column].nunique())
    if time is None or not frame.duplicated([time]).any():
        return None
    for column in free:
        facts = evidence[column]
        if facts.is_number or facts.name.has(
            vocabulary.NOT_GEO | vocabulary.IDENTIFIER
        ):
            continue
        if not frame.duplicated([time, column]).any():
            return column
    return None


def _is_label(facts: Evidence) -> bool:
    """Whether whole numbers with a geo's name are codes: `dma_code`, not `area`."""
    codes = frozenset({"id", "code", "nr", "no", "number", "zip", "zipcode", "plz"})
    named = facts.name.is_all(vocabulary.GEO | codes)
    return named if facts.is_number else True


def _geo_reason(facts: Evidence) -> str:
    if facts.name.has(vocabulary.GEO):
        return "It names places, as its name says."
    return "It tells the rows of one date apart."


def _population(
    remaining: dict[str, Evidence], geo: str | None
) -> dict[str, ColumnRole]:
    """The column of people per geo."""
    roles: dict[str, ColumnRole] = {}
    for column, facts in remaining.items():
        if not facts.name.has(vocabulary.POPULATION) or facts.name.measure is not None:
            continue
        if geo is None:
            reason = "A national table needs no population."
            roles[column] = ColumnRole(column, "ignored", reason=reason)
        elif "population" not in [entry.role for entry in roles.values()]:
            reason = "Its name says people."
            roles[column] = ColumnRole(column, "population", reason=reason)
    return roles
