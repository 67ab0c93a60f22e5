"""Percent: lifts as shares, whether cells, header or size say that they are percent.

A sign in the cells counts once, whatever the header says. Without one the header
decides; without either the size does, and where it does not, it is a question.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from core.errors import SchemaError

_CELL = r"\s*(%|pct\.?|percent|per cent|prozent|percentage points|points|pp|p\.p\.)\s*$"
_HEADER = re.compile(r"%|\b(pct|percent|percentage|prozent|points?|pp)\b")
#: Other fractions that a header states, and the share that one of them is.
_FRACTIONS = (
    (1e-3, re.compile(r"‰|\b(per mille|promille|permille)\b")),
    (1e-4, re.compile(r"‱|\b(bps?|bips|basis points?|basispunkte)\b")),
)
#: A header of percent over cells that are all below this is doubtful.
_SMALL = 0.5
#: Bare lifts up to the first are shares, from the second on percent.
_SHARE, _PERCENT = 0.6, 2.0
#: Bare lifts above this can be amounts: few tests double what they are measured on.
LARGEST_PERCENT = 100.0


def with_signs(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Columns with `5.4 pct` and `5.4 points` written as `5.4%`."""
    texts = {
        name: frame[name].str.replace(_CELL, "%", regex=True, flags=re.IGNORECASE)
        for name in names
        if pd.api.types.is_string_dtype(frame[name].dtype)
    }
    return frame.assign(**texts)


def as_shares(
    frame: pd.DataFrame,
    parts: Mapping[str, str],
    numbers: Mapping[str, np.ndarray],
    filename: str,
) -> dict[str, np.ndarray]:
    """Lift, ends and standard error as shares.

    Args:
        frame: The table; percent signs stand in its cells.
        parts: Columns of `lift` and, where there are any, `low`, `high` and
            `standard_error`.
        numbers: Of each column; cells with a sign are shares already.
        filename: For messages.

    Raises:
        SchemaError: Nothing says whether a column is in percent.
    """
    scales = {key: _scale(frame, name) for key, name in parts.items()}
    column = parts["lift"]
    lift, own = numbers[column], _scale(frame, column)
    if own is None:
        own = _by_size(lift, column, filename)
    elif own == 0.01 and _most(lift) < _SMALL:
        raise _open(filename, column)
    elif own == 1.0:
        scales |= _of_bare(parts, lift, numbers, scales, filename)
    return {
        name: numbers[name] * (own if scales[key] is None else scales[key])
        for key, name in parts.items()
    }


def _of_bare(parts, lift, numbers, scales, filename: str) -> dict[str, float]:
    """Bare ends beside lifts with a sign: percent or shares, as they hold the lift."""
    bare = [key for key, scale in scales.items() if scale is None]
    if not bare:
        return {}
    fits = []
    for scale in (1.0, 0.01):
        ends = [scale * numbers[parts[key]] for key in ("low", "high") if key in bare]
        if len(ends) == 2 and np.all((ends[0] <= lift) & (lift <= ends[1])):
            fits.append(scale)
    if len(fits) != 1 or "standard_error" in bare:
        raise _open(filename, parts[bare[0]])
    return dict.fromkeys(bare, fits[0])


def _scale(frame: pd.DataFrame, name: str) -> float | None:
    """Share per unit, where cells or header say; None where neither does."""
    steps = frame.attrs.get("read", {}).get(name, {}).get("done", ())
    was_signed = any(entry["kind"] == "percent" for entry in steps)
    if was_signed or frame[name].astype(str).str.contains("%", regex=False).any():
        return 1.0
    return stated_share(name)


def stated_share(name: str) -> float | None:
    """The share that a unit of a column is by its header; None where it says none."""
    header = name.lower().replace("_", " ")
    rare = next((share for share, way in _FRACTIONS if way.search(header)), None)
    return rare or (0.01 if _HEADER.search(header) else None)


def _most(values: np.ndarray) -> float:
    return float(np.nanmax(np.abs(values), initial=0.0))


def _by_size(lifts: np.ndarray, name: str, filename: str) -> float:
    if _most(lifts) <= _SHARE:
        return 1.0
    if _most(lifts) > LARGEST_PERCENT:
        raise SchemaError(
            f"{filename}: column {name} can be an amount or percent.",
            hint='Call an amount "incremental revenue" or "incremental conversions"; '
            "write a percent sign in the cells of shares.",
            where=filename,
        )
    if _most(lifts) >= _PERCENT:
        return 0.01
    raise _open(filename, name)


def _open(filename: str, name: str) -> SchemaError:
    return SchemaError(
        f"{filename}: column {name} can be percent or shares.",
        hint="Write a percent sign in its cells (5.4%), or % in its name.",
        where=filename,
    )
