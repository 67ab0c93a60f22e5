"""Do lift tests fit the data? Every row is looked at; findings name theirs."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from core.data.experiments.entry import Entry, number_faults, overlap
from core.data.input_data import InputData
from core.data.mapping import KINDS
from core.data.reading.findings import Finding
from core.text.languages.language import marked
from core.text.sentences import count, listed

#: What a row lacks, in words.
_NEEDED = {
    "channel": marked("its channel"),
    "start": marked("its first day"),
    "end": marked("its last day"),
    "incremental_outcome": marked("its incremental outcome"),
    "standard_error": marked("its standard error"),
}


def check_experiments(
    tests: Sequence[Entry],
    channels: Mapping[str, str],
    data: InputData | None = None,
) -> list[Finding]:
    """What is wrong with lift tests; errors keep a test out of the model.

    Args:
        tests: As `[[experiment]]` has them, complete or not.
        channels: Kind of each channel by name.
        data: The market; None where it has errors of its own.

    Returns:
        Findings whose `where` is `Test 1` and so on, as `where_of` says it.
    """
    findings: list[Finding] = []
    for number, row in enumerate(tests, start=1):
        own = [*_row_faults(number, row, channels)]
        if not own and data is not None:
            own = [*_against(number, row, data)]
        findings += own
    return [*findings, *_repeated(tests)]


def where_of(number: int) -> str:
    """How a finding names the test in a row; rows count from one."""
    return f"Test {number}"


def is_complete(row: Entry) -> bool:
    """Whether a row says everything that a test needs."""
    return not _missing(row)


def _channels_and_numbers(where: str, name: str, row: Entry) -> Iterator[Finding]:
    """What is wrong with a row's channels and numbers."""
    names = row.channels
    if len({*names}) < len(names):
        message = f"{name} names a channel twice: {listed(names)}."
        yield Finding("error", where, message, "Name each channel once.")
    for message, hint in number_faults(row, name):
        yield Finding("error", where, message, hint)


def _missing(row: Entry) -> list[str]:
    return [key for key in _NEEDED if getattr(row, key) in (None, "")]


def _named(number: int, row: Entry) -> str:
    channel = row.channel
    return f"{where_of(number)} ({channel})" if channel else where_of(number)


def _row_faults(
    number: int, row: Entry, channels: Mapping[str, str]
) -> Iterator[Finding]:
    """What is wrong with a row by itself."""
    where, name = where_of(number), _named(number, row)
    missing = _missing(row)
    if missing:
        lacks = listed([_NEEDED[key] for key in missing])
        message = f"{name} still needs {lacks}."
        yield Finding("warning", where, message, "It counts once it is complete.")
    for channel in row.channels:
        yield from _channel(where, name, channel, channels)
    yield from _channels_and_numbers(where, name, row)
    start, end = row.start, row.end
    if start and end and end < start:
        message = f"{name} ends on {end}, before it starts on {start}."
        yield Finding("error", where, message, "Swap the two dates.")


def _channel(
    where: str, name: str, channel: str, channels: Mapping[str, str]
) -> Iterator[Finding]:
    testable = [each for each, kind in channels.items() if kind != "non_media"]
    hint = f"Use one of {listed(testable, limit=8)}." if testable else ""
    if channel not in channels:
        message = f"{name} tests {channel}, which is not a channel of this project."
        yield Finding("error", where, message, hint)
    elif channel not in testable:
        message = (
            f"{name} tests {channel}, a non-media treatment: it has no media that a "
            "test could switch off."
        )
        yield Finding("error", where, message, hint)


def _against(number: int, row: Entry, data: InputData) -> Iterator[Finding]:
    """What is wrong with a complete row, given the data."""
    where, name = where_of(number), _named(number, row)
    unknown = [geo for geo in row.geos if geo not in data.geos]
    if unknown:
        message = f"{name} ran in {listed(unknown)}, which the data do not have."
        if data.is_national:
            hint = "The market is national: leave geos out."
        else:
            hint = f"Use {listed(data.geos)}, or none for all geos."
        yield Finding("error", where, message, hint)
        return
    low, high = np.datetime64(row.start, "D"), np.datetime64(row.end, "D")
    first, last = data.times[0], data.times[-1]
    step = np.diff(data.times).max() if data.n_times > 1 else np.timedelta64(1, "D")
    inside = (data.times >= low) & (data.times <= high)
    run = f"{first} to {last + step - 1}"
    if low <= first - step or high >= last + step:
        message = f"{name} runs from {low} to {high}, the data from {run}."
        hint = "Shorten the test with its outcome, or add the periods to the data."
        yield Finding("error", where, message, hint)
    elif not inside.any():
        message = f"{name}: no period of the data begins between {low} and {high}."
        hint = "Give the first day of its first period and the last day of its last."
        yield Finding("error", where, message, hint)
    else:
        yield from _window(where, name, row, data, inside)


def _window(
    where: str, name: str, row: Entry, data: InputData, inside: np.ndarray
) -> Iterator[Finding]:
    """Media, periods and outcome of a test's cells."""
    geos = np.array([not row.geos or geo in row.geos for geo in data.geos])
    for channel in row.channels:
        faults = list(_arm_media(where, name, row, data, channel, (geos, inside)))
        yield from faults
        if faults:
            return
    counted = data.times[inside]
    starts = np.datetime64(row.start, "D")
    if counted[0] != starts:
        message = (
            f"{name} starts within a period. The model counts "
            f"{count(len(counted), 'period')}, beginning {counted[0]} to {counted[-1]}."
        )
        hint = "Give the outcome of those, or move the dates."
        yield Finding("warning", where, message, hint)
    total = float(data.outcome[geos][:, inside].sum())
    if abs(float(row.incremental_outcome)) > total:
        message = (
            f"{name} says {_number(row.incremental_outcome)}, more than the whole "
            f"outcome of its geos and dates, {_number(total)}."
        )
        unit = "revenue" if data.outcome_unit == "revenue" else "KPI units"
        yield Finding("warning", where, message, f"Is it in {unit}, in full numbers?")


def _arm_media(where: str, name: str, row: Entry, data: InputData, channel: str, cells):
    """Whether the two arms of a test have different media."""
    geos, inside = cells
    media = _media(data, channel)[geos]
    if row.amount is None and not (media[:, inside] > 0).any():
        message = f"{name}: {channel} has no media in its geos and dates."
        hint = (
            "Check channel, geos and dates; a test needs media to switch off. Where "
            "it was switched off for the test, give what it costs otherwise there as "
            "amount."
        )
        yield Finding("error", where, message, hint)
    elif row.amount is not None and not (media[:, ~inside] > 0).any():
        message = f"{name}: {channel} has no media in its geos outside of the test."
        hint = "An amount is spread as media ran there at other times: check the geos."
        yield Finding("error", where, message, hint)
    elif row.amount is not None and not any(
        channel in treatments.names and treatments.spend is not None
        for treatments in (data.media, data.reach_frequency)
    ):
        message = f"{name} has an amount, and {channel} has no spend in the data."
        yield Finding("error", where, message, "Add its cost, or give a multiple.")


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _media(data: InputData, channel: str) -> np.ndarray:
    """Media units of a channel in the KPI's periods, geo time."""
    for kind in KINDS[:-1]:
        treatments = getattr(data, kind)
        if channel in treatments.names:
            units = treatments.units[:, :, treatments.names.index(channel)]
            return units[:, -data.n_times :]
    return np.zeros_like(data.kpi)


def _repeated(tests: Sequence[Entry]) -> Iterator[Finding]:
    """Tests whose cells overlap: the same evidence may count twice."""
    earlier: list[tuple[int, Entry]] = []
    for number, row in enumerate(tests, start=1):
        if not is_complete(row):
            continue
        for other, before in earlier:
            if row.cells == before.cells:
                message = f"{_named(number, row)} has the cells of test {other}."
                hint = "Keep one, or the same evidence counts twice."
            elif overlap(row, before):
                message = (
                    f"{_named(number, row)} overlaps with test {other}: a channel, a "
                    "geo and dates are in both."
                )
                hint = "Keep one, or cut their dates so that no week counts twice."
            else:
                continue
            yield Finding("warning", where_of(number), message, hint)
            break
        earlier.append((number, row))
