"""Questions: what a table does not answer, with what is taken until somebody does."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from core.data.cells import words as vocabulary
from core.data.mapping import ColumnMapping
from core.data.reading.findings import Finding
from core.data.reading.numbers import as_numbers
from core.data.recognition.channels import MEDIATOR, NAMELESS, planned
from core.data.recognition.derived import DERIVED_FROM, TOTAL_OF, derived
from core.data.recognition.evidence import evidence
from core.data.recognition.naming import Name, read_name
from core.data.recognition.outcomes import explain_kpi_type, kpi_candidates
from core.data.recognition.recognise import guess_roles
from core.data.recognition.text_events import event_values
from core.text.sentences import listed, verb

_SHOWN = 6
#: Least sum of a column that may be spend, as a share of the smallest channel's.
_LIKE_SPEND = 0.1
#: Spread of spend over its mean, at least; share of zeros, or of amounts with cents.
_MOVES, _PAUSES, _BROKEN = 0.3, 0.1, 0.5
_CENT = 1e-6


def guess_findings(frame: pd.DataFrame, mapping: ColumnMapping) -> list[Finding]:
    """What was guessed about a table, as findings for who did not make the mapping.

    Args:
        frame: The table.
        mapping: As guessed.
    """
    return [
        *_kind(frame, mapping),
        *_several(frame, mapping),
        *_left_out(frame, mapping),
        *like_spend(frame, mapping),
        *event_findings(frame, mapping),
    ]


def mapping_findings(mapping: ColumnMapping) -> Iterator[Finding]:
    """Controls that media move, and so would take the credit of media."""
    moved = [name for name in mapping.controls if is_mediator(read_name(name))]
    if not moved:
        return
    many = len(moved) > 1
    message = (
        f"{'Controls' if many else 'Control'} {listed(moved, limit=_SHOWN)} "
        f"{'are' if many else 'is'} something that media move: as a control it takes "
        "the credit of media, whose return then looks too small."
    )
    hint = "Leave it out, unless media cannot move it; docs/roles.md says why."
    yield Finding("warning", f"column {moved[0]}", message, hint)


def is_mediator(name: Name) -> bool:
    """Whether a name is of something between media and KPI: awareness, brand search."""
    if name.measure is not None or name.words[-1:] == ("control",):
        return False
    branded = name.has(vocabulary.BRANDED) and name.has(vocabulary.SEARCHES)
    return branded or name.has(vocabulary.AWARENESS | vocabulary.OUTCOME_LIKE)


def event_findings(frame: pd.DataFrame, mapping: ColumnMapping) -> Iterator[Finding]:
    """Columns of text that look like events, offered."""
    for column, values in event_values(frame, mapping).items():
        message = (
            f"Column {column} holds text of few values ({listed(values, limit=4)}): "
            "it looks like events, and is not used."
        )
        hint = (
            f"Take them as events of the model with --events {column} in core init, "
            "or with Events on the Data screen."
        )
        yield Finding("info", f"column {column}", message, hint)


def _kind(frame: pd.DataFrame, mapping: ColumnMapping) -> Iterator[Finding]:
    """Whether the KPI is money, where its name does not say."""
    has_value = isinstance(mapping.revenue_per_kpi, str)
    kind, reason, is_sure = explain_kpi_type(frame, mapping.kpi, has_value)
    if is_sure or kind != mapping.kpi_type:
        return
    taken = "an amount of money" if kind == "revenue" else "a count, not money"
    message = f"{mapping.kpi} is taken for {taken}. {reason}"
    hint = (
        "Say what it is: --kpi-is money or --kpi-is count with core init, kpi_type in "
        "project.toml, or Units on the Data screen."
    )
    is_open = read_name(mapping.kpi).has(vocabulary.KPI_OPEN)  # sales: often money
    severity = "info" if is_open else "warning"
    yield Finding(severity, f"column {mapping.kpi}", message, hint)


def _several(frame: pd.DataFrame, mapping: ColumnMapping) -> Iterator[Finding]:
    """Other columns that could be the KPI."""
    used = {mapping.revenue_per_kpi, mapping.kpi, *mapping.controls}
    used |= {column for channel in mapping.channels for column in channel.columns()}
    channels = {read_name(channel.name).key for channel in mapping.channels}
    others = [
        name
        for name in kpi_candidates(frame)
        if name not in used and not _of_platform(name, channels)
    ]
    if others:
        message = (
            f"{mapping.kpi} is taken for the KPI; {listed(others, limit=_SHOWN)} could "
            "be it, too."
        )
        hint = "Choose it with --kpi COLUMN in core init, or on the Data screen."
        yield Finding("info", f"column {mapping.kpi}", message, hint)


def _left_out(frame: pd.DataFrame, mapping: ColumnMapping) -> Iterator[Finding]:
    """Columns between media and KPI, and what platforms count for themselves."""
    ignored = [
        (entry.column, entry.reason)
        for entry in guess_roles(frame, kpi=mapping.kpi)
        if entry.role == "ignored"
    ]
    numbers = {name for name, facts in evidence(frame).items() if facts.is_number}
    channels = {read_name(channel.name).key for channel in mapping.channels}
    moved = [column for column, reason in ignored if reason == MEDIATOR]
    counted = [
        column
        for column, reason in ignored
        if column in numbers and column not in moved and _of_platform(column, channels)
    ]
    if moved:
        message = (
            f"{listed(moved, limit=_SHOWN)} may be moved by media, and is not used."
        )
        hint = (
            "Nothing to do if media move it. If they cannot, make it a control: "
            "--control COLUMN in core init, or on the Data screen; see docs/roles.md."
        )
        yield Finding("info", f"column {moved[0]}", message, hint)
    yield from _spent_on_search(frame, moved)
    totals = [column for column, reason in ignored if reason == TOTAL_OF]
    if totals:
        message = (
            f"{listed(totals, limit=_SHOWN)} {verb(len(totals), 'are')} what all other "
            f"channels spend together, and {verb(len(totals), 'are')} not used."
        )
        hint = "Nothing to do: as a channel it would count twice."
        yield Finding("info", f"column {totals[0]}", message, hint)
    plans = planned(list(map(str, frame.columns)))
    plans = {name: other for name, other in plans.items() if name in dict(ignored)}
    if plans:
        are = verb(len(plans), "are")
        others = listed(list(dict.fromkeys(plans.values())), limit=_SHOWN)
        shown = listed(list(plans), limit=_SHOWN)
        message = f"{shown} {are} the plan of {others}, and {are} not used."
        where = f"column {next(iter(plans))}"
        yield Finding("info", where, message, "Nothing to do if that is right.")
    yield from _derived(frame, dict(ignored))
    if counted:
        message = (
            f"{listed(counted, limit=_SHOWN)} look like what platforms count for "
            "themselves: results of media, not causes, and are not used."
        )
        hint = "Nothing to do; a lift test says more. See docs/roles.md."
        yield Finding("info", f"column {counted[0]}", message, hint)


def _derived(frame: pd.DataFrame, ignored: dict[str, str]) -> Iterator[Finding]:
    """Columns that somebody worked out from another one, such as last week's spend."""
    sources = {
        name: other
        for name, other in derived(list(map(str, frame.columns))).items()
        if ignored.get(name) == DERIVED_FROM.format(other=other)
    }
    if not sources:
        return
    are = verb(len(sources), "are")
    others = listed(list(dict.fromkeys(sources.values())), limit=_SHOWN)
    shown = listed(list(sources), limit=_SHOWN)
    message = f"{shown} {are} worked out from {others}, and {are} not used."
    hint = "Nothing to do: the model has carryover, saturation and a trend itself."
    yield Finding("info", f"column {next(iter(sources))}", message, hint)


def like_spend(frame: pd.DataFrame, mapping: ColumnMapping) -> Iterator[Finding]:
    """Controls by default whose values are like money that comes and goes."""
    spends = [channel.spend for channel in mapping.channels if channel.spend]
    sums = [float(np.nansum(as_numbers(frame[name]).values)) for name in spends]
    if not sums:
        return
    for entry in guess_roles(frame, kpi=mapping.kpi):
        if entry.reason != NAMELESS or entry.column not in mapping.controls:
            continue
        values = as_numbers(frame[entry.column]).values
        values = values[np.isfinite(values)]
        if values.sum() < _LIKE_SPEND * min(sums) or not _is_like_money(values):
            continue
        column = entry.column
        message = (
            f"{column} is a control, since its name says nothing, but its values are "
            "like money that was spent: as a control it is in no plan."
        )
        hint = (
            f"If it was spent on media, call the column {column} spend, or make it "
            f"spend on the Data screen; --control {column!r} with core init keeps it."
        )
        yield Finding("warning", f"column {column}", message, hint)


def _is_like_money(values: np.ndarray) -> bool:
    """Whether numbers are amounts, to the cent or with pauses, that move by a lot."""
    if (values < 0).any() or not values.any():
        return False
    cents = np.abs(values * 100 - np.rint(values * 100)) < _CENT
    moves = float(np.std(values)) > _MOVES * float(np.mean(values))
    to_the_cent = cents.all() and (values != np.rint(values)).mean() > _BROKEN
    return bool(moves and (to_the_cent or (values == 0).mean() > _PAUSES))


def _spent_on_search(frame: pd.DataFrame, moved: list[str]) -> Iterator[Finding]:
    """Searches for the brand that have decimals, as money has and queries do not."""
    for column in moved:
        values = as_numbers(frame[column]).values
        if np.nanmax(np.abs(values - np.rint(values)), initial=0.0) == 0:
            continue
        if not read_name(column).has(vocabulary.SEARCHES):
            continue
        message = f"{column} is not used, and its values have decimals, as money has."
        hint = f"If it is what was spent on it, call the column {column} spend."
        yield Finding("warning", f"column {column}", message, hint)


def _of_platform(column: str, channels: set[str]) -> bool:
    """Whether a column is a channel's own count of results: `meta_conversions`."""
    name = read_name(column)
    if not name.has(vocabulary.KPI_COUNT | vocabulary.KPI_REVENUE):
        return False
    text = "".join(name.words)
    return any(key and text.startswith(key) for key in channels)
