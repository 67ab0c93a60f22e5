"""Collinearity: columns that move together, so that their effects cannot be told apart.

Media is compared per head, as the model sees it (over the usual KPI of a geo where its
people are not known); controls as they are. The variance
inflation factor of a column says how much wider the interval of its effect is (in
variance) than if it moved independently of all others.
"""

from collections.abc import Generator, Iterator

import numpy as np

from core.data.checks.exposure import media_units, people, spend
from core.data.mapping import PAID
from core.data.multiples import SAME_CORRELATION, multiple
from core.data.observations import Observations
from core.data.reading.findings import Finding
from core.text.sentences import count, listed

#: Variance inflation that blocks a fit, as in Meridian's checks.
SAME_INFLATION = 1000.0
#: Correlation and variance inflation worth a look.
HIGH_CORRELATION = 0.9
HIGH_INFLATION = 10.0
#: Share of periods in which a channel is the sum of the others.
_ALWAYS = 0.98
#: Most that rounding explains of a sum, as a share of the mean.
_ROUNDED = 0.02
_SHOWN = 5


def check_collinearity(observed: Observations) -> Iterator[Finding]:
    """Pairs that are nearly the same, and columns that the others add up to."""
    if not observed.fills_grid or len(observed.times) - observed.n_history < 3:
        return
    yield from _total(observed)
    yield from _multiples(observed)
    names, columns = _varying(observed)
    if len(names) < 2:
        return
    correlation = np.corrcoef(columns)
    paid = {f"channel {c.name}" for c in observed.mapping.of_kind(*PAID)}
    paired = yield from _pairs(names, correlation, paid)
    if columns.shape[1] > len(names):  # else any column is a sum of the others
        yield from _inflated(names, correlation, paired)


def _total(observed: Observations) -> Iterator[Finding]:
    """A channel that spends what all others spend together: their sum, in a column."""
    paid = [c for c in observed.mapping.of_kind(*PAID) if c.spend is not None]
    spends = np.array([spend(observed, channel).ravel() for channel in paid])
    bought = [at for at, each in enumerate(spends) if each.any()]
    paid, spends = [paid[at] for at in bought], spends[bought]
    if len(paid) < 3:
        return
    for at, channel in enumerate(paid):
        others = spends.sum(axis=0) - spends[at]
        cents = min(0.01, _ROUNDED * float(spends[at].mean()))
        if np.isclose(spends[at], others, rtol=1e-3, atol=cents).mean() >= _ALWAYS:
            yield Finding(
                "error",
                f"channel {channel.name}",
                f"Channel {channel.name} spends what all other channels spend "
                "together, so it is their sum and counts twice.",
                f"Leave {channel.spend} out: it is no channel.",
            )


def _multiples(observed: Observations) -> Iterator[Finding]:
    """Two channels of which one spends a multiple of the other: net and gross."""
    paid = [c for c in observed.mapping.of_kind(*PAID) if c.spend is not None]
    spends = [spend(observed, channel).ravel() for channel in paid]
    for at, first in enumerate(spends):
        for place in range(at + 1, len(spends)):
            factor = multiple(first, spends[place])
            if factor is None:
                continue
            name, other = paid[at].name, paid[place].name
            yield Finding(
                "error",
                f"channel {name}, channel {other}",
                f"Channel {other} spends {factor:.4g} times what channel {name} "
                "does in every period: the same money twice, such as with and without "
                "tax or fees.",
                f"Leave one of them out: {paid[at].spend} or {paid[place].spend}.",
            )


def _varying(observed: Observations) -> tuple[list[str], np.ndarray]:
    """Every treatment and control that varies, flattened; names, and column cell."""
    per_geo = people(observed)[:, None]
    grids = {}
    for channel in observed.mapping.channels:
        units = media_units(observed, channel)
        per_head = units if channel.kind == "non_media" else units / per_geo
        grids[f"channel {channel.name}"] = per_head
    for name in observed.mapping.controls:
        grid = observed.grid(name)
        if not np.isnan(grid).all():
            grids[f"control {name}"] = np.where(np.isnan(grid), np.nanmean(grid), grid)
    flat = {name: grid[:, observed.n_history :].ravel() for name, grid in grids.items()}
    varying = [name for name, values in flat.items() if np.ptp(values) > 0]
    return varying, np.array([flat[name] for name in varying])


def _pairs(
    names: list[str], correlation: np.ndarray, paid: set[str]
) -> Generator[Finding, None, set[int]]:
    """Pairs with a high correlation; returns who is in a pair that is the same."""
    size = np.abs(np.triu(correlation, k=1))
    same = np.argwhere(size > SAME_CORRELATION)
    for first, other in same[:_SHOWN]:
        hint = "Keep one of them, or add them up."
        if {names[first], names[other]} <= paid:
            hint = (
                "Add them up in one column of the file; one alone would be credited "
                "with what both brought."
            )
        message = (
            f"{_titled(names[first])} and {names[other]} say the same "
            f"(correlation {correlation[first, other]:.4f})."
        )
        yield Finding("error", f"{names[first]}, {names[other]}", message, hint)
    if len(same) > _SHOWN:
        rest = listed([f"{names[a]} and {names[b]}" for a, b in same[_SHOWN:]])
        message = f"{count(len(same) - _SHOWN, 'more pair')} say the same: {rest}."
        yield Finding("error", "channels", message, hint)
    high = np.argwhere((size > HIGH_CORRELATION) & (size <= SAME_CORRELATION))
    high = high[np.argsort(-size[high[:, 0], high[:, 1]])]
    hint = (
        "Their effects are hard to tell apart: add them up, or expect wide intervals."
    )
    for first, other in high[:_SHOWN]:
        message = (
            f"{_titled(names[first])} and {names[other]} move together "
            f"(correlation {correlation[first, other]:.2f})."
        )
        yield Finding("warning", f"{names[first]}, {names[other]}", message, hint)
    if len(high) > _SHOWN:
        rest = listed([f"{names[a]} and {names[b]}" for a, b in high[_SHOWN:]])
        message = f"{count(len(high) - _SHOWN, 'more pair')} move together: {rest}."
        yield Finding("warning", "channels", message, hint)
    return {int(at) for at in same.ravel()}


def _inflated(
    names: list[str], correlation: np.ndarray, paired: set[int]
) -> Iterator[Finding]:
    """Columns that a combination of the others reproduces."""
    inflation = variance_inflation(correlation)
    order = np.argsort(-inflation)
    same = [at for at in order if inflation[at] > SAME_INFLATION and at not in paired]
    if same:
        shown = listed([names[at] for at in same])
        message = f"The others add up to {shown} almost exactly."
        hint = "Leave one out, such as a total of the others."
        if len(same) > 1:
            message = f"Some of {shown} add up to others of them almost exactly."
        yield Finding("error", names[same[0]], message, hint)
    high = [
        at
        for at in order
        if HIGH_INFLATION < inflation[at] <= SAME_INFLATION and at not in paired
    ]
    if high:
        shown = listed([f"{names[at]} ({inflation[at]:.0f})" for at in high])
        message = (
            "The others together explain most of these, so their effects are hard to "
            f"tell apart (variance inflation above {HIGH_INFLATION:.0f}): {shown}."
        )
        hint = "Add some of them up, leave some out, or expect wide intervals."
        yield Finding("warning", names[high[0]], message, hint)


def variance_inflation(correlation: np.ndarray) -> np.ndarray:
    """Variance inflation factors: the diagonal of the inverse correlation matrix.

    Infinite where a column is a combination of others.
    """
    values, vectors = np.linalg.eigh(correlation)
    floor = len(values) * np.finfo(float).eps * 10
    share = vectors**2
    inflation = share @ (1.0 / np.maximum(values, floor))
    return np.maximum(inflation, 1.0)


def _titled(name: str) -> str:
    return name[0].upper() + name[1:]
