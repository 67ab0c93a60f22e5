"""Idle controls: columns that explain nothing, left out of the model with a word.

Empty ones, ones that never change, and ones that earlier controls add up to, such as
the dummy of Thanksgiving beside that of Black Friday in the same week.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from core.data.checks.collinearity import SAME_INFLATION
from core.data.checks.schema import roles
from core.data.checks.values import is_constant, window
from core.data.observations import Observations
from core.data.reading.findings import Finding
from core.text.sentences import listed

_SHOWN = 8


def without_idle_controls(
    observed: Observations,
) -> tuple[Observations, list[Finding]]:
    """The table without controls that explain nothing, and what was left out."""
    names = [name for name in observed.mapping.controls if name in observed.numbers]
    if not names or not observed.fills_grid:
        return observed, []
    empty = [name for name in names if observed.numbers[name].is_empty.all()]
    named = [name for name in names if name not in empty]
    still = [name for name in named if is_constant(window(observed, name))]
    named = [name for name in named if name not in still]
    same = _repeated(observed, named)
    idle = {*empty, *still, *same}
    if not idle:
        return observed, []
    controls = tuple(name for name in observed.mapping.controls if name not in idle)
    mapping = replace(observed.mapping, controls=controls)
    others = {name for name, _ in roles(mapping)}  # an error of its own
    used = {
        name: numbers
        for name, numbers in observed.numbers.items()
        if name not in idle or name in others
    }
    return replace(observed, mapping=mapping, numbers=used), [
        *_left_out(empty, "empty", "they are empty", "It is empty"),
        *_left_out(still, "constant", "they never change", "It never changes"),
        *_repeats(same),
    ]


def _repeated(observed: Observations, names: list[str]) -> dict[str, str]:
    """Controls that are another one, or a sum of earlier ones; with that other one.

    The other one is empty where it takes several.
    """
    twins: dict[str, str] = {}
    distinct: list[tuple[str, np.ndarray]] = []
    basis: list[np.ndarray] = []
    for name in names:
        values = window(observed, name).ravel()
        if np.isnan(values).any():
            continue  # an error of its own
        centred = values - values.mean()
        size = np.linalg.norm(centred)
        if not size > 0:
            continue
        # Gram-Schmidt, one control at a time: the first of two equal ones stays.
        unit = centred / size
        rest = unit - sum((unit @ direction) * direction for direction in basis)
        length = np.linalg.norm(rest)
        # What earlier controls leave of a unit vector is 1 / VIF.
        if length**2 * SAME_INFLATION < 1.0:
            twin = next(
                (
                    other
                    for other, direction in distinct
                    if abs(unit @ direction) > 0.9995
                ),
                "",
            )
            twins[name] = twin
            continue
        distinct.append((name, unit))
        basis.append(rest / length)
    return twins


def _left_out(names: list[str], what: str, many: str, single: str) -> Iterator[Finding]:
    if not names:
        return
    if len(names) == 1:
        message = f"Control {names[0]} is left out. {single}, so it explains nothing."
    else:
        shown = listed(names, limit=_SHOWN)
        message = f"Controls {shown} are left out: {many}, so they explain nothing."
    hint = "Nothing to do, or give them no role on the Data screen."
    yield Finding("warning", f"{what} controls", message, hint)


def _repeats(same: dict[str, str]) -> Iterator[Finding]:
    twins = {name: other for name, other in same.items() if other}
    if twins:
        pairs = [f"{name} (as {other})" for name, other in twins.items()]
        shown = listed(pairs, limit=_SHOWN)
        message = f"Controls that say the same as another are left out: {shown}."
        hint = "Nothing to do: the one that stays has the effect of both."
        yield Finding("info", "equal controls", message, hint)
    sums = [name for name, other in same.items() if not other]
    if sums:
        shown = listed(sums, limit=_SHOWN)
        message = f"Controls that others add up to are left out: {shown}."
        hint = "Nothing to do: those that stay say the same together."
        yield Finding("info", "equal controls", message, hint)
