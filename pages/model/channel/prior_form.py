"""One prior as a form: as a range, as mean and sd, or as family and parameters."""

import math

import streamlit as st

from core.estimate import INTERVAL, OptionalEstimate
from core.service.records.model import PARAMETERS, Prior, Written, elicitation, moments
from core.text.languages.language import marked, say
from pages.model import prior_text
from pages.ui import layout
from pages.ui.fields import gated

RANGE, MEAN, DIRECT = marked("Range"), marked("Mean and sd"), marked("Parameters")
#: Families that can be given each way.
FAMILIES = {
    RANGE: (
        "LogNormal",
        "Normal",
        "TruncatedNormal",
        "Gamma",
        "Beta",
        "Uniform",
    ),
    MEAN: moments.FAMILIES,
    DIRECT: tuple(PARAMETERS),
}
_ABOVE_ZERO = ("LogNormal", "Gamma", "TruncatedNormal", "HalfNormal")
_LABELS = {
    "mass": marked("Mass, %"),
    "low": marked("Low"),
    "high": marked("High"),
    "mean": marked("Mean"),
    "sd": marked("Sd"),
    "shift": marked("Shift"),
}
_HELP = {
    "low": marked(
        "Lower end of the range. What lies outside it is half below and half above."
    ),
    "high": marked("Upper end of the range."),
    "mass": marked("Share of the prior between the ends, in percent. Default: 90."),
    "mean": marked("Mean of the prior."),
    "sd": marked("Standard deviation."),
    "shift": marked("Added to the variable. Default: 0."),
}


def edit(prior: Prior, default: Prior, key: str) -> Prior | None:
    """Draw the form of a prior; returns it as edited, None for the default.

    Args:
        prior: The prior now.
        default: The prior where nothing is given.
        key: Of the widgets; another one starts afresh.

    Raises:
        SpecError: The numbers are impossible.
    """
    now = _way(prior)
    way = gated.segmented_control(
        say("Given as"),
        [RANGE, MEAN, DIRECT],
        format_func=say,
        default=now,
        required=True,
        key=f"{key}.way",
        wrap=True,
    )
    families = FAMILIES[way]
    family = gated.selectbox(
        say("Family"),
        families,
        index=families.index(prior.family) if prior.family in families else None,
        placeholder=say("Choose one"),
        key=f"{key}.family.{way}",
    )
    layout.remark("Default: {default}.", default=prior_text.shown(default))
    if family is None:
        return prior
    current = numbers(prior, way, family)
    typed = {}
    columns = st.columns(2)
    for i, (name, value) in enumerate(current.items()):
        with columns[i % 2]:
            typed[name] = gated.number_input(
                say(_LABELS.get(name, name.capitalize())),
                value=value,
                format="%.6g",
                key=f"{key}.{way}.{family}.{name}",
                help=say(_HELP[name]) if name in _HELP else None,
            )
    if prior != default and gated.button(
        say("Back to the default"), key=f"{key}.default"
    ):
        return None
    if family == prior.family and typed == current:
        return prior
    return made(way, family, typed)


def numbers(prior: Prior, way: str, family: str) -> dict[str, float]:
    """The numbers of a prior as a form of that way and family shows them.

    Of another family: numbers that come near, to begin with.
    """
    statement, estimate = prior.written or Written(), elicitation.estimate(prior)
    is_own = family == prior.family
    if way == RANGE:
        if is_own and statement.low is not None:
            ends = statement.low, statement.high
        else:
            ends = _fitting(family, _short(estimate.lo), _short(estimate.hi))
        mass = INTERVAL if statement.mass is None else statement.mass
        return {"low": ends[0], "high": ends[1], "mass": _short(100 * mass)}
    if way == MEAN:
        is_given = is_own and statement.mean is not None
        mean, sd = (
            (statement.mean, statement.sd) if is_given else _near(family, estimate)
        )
        return {"mean": mean, "sd": sd}
    if is_own:
        return prior.parameters() | {"shift": prior.shift}
    return _parameters(family, estimate) | {"shift": 0.0}


def made(way: str, family: str, typed: dict[str, float]) -> Prior:
    """The prior that the numbers of the form make, in the order of `numbers`.

    Raises:
        SpecError: They are impossible.
    """
    if way == RANGE:
        low, high, mass = typed.values()
        return elicitation.from_range(low, high, mass=mass / 100, family=family)
    if way == MEAN:
        return moments.from_mean(*typed.values(), family=family)
    *values, shift = typed.values()
    return Prior(family, tuple(values), shift)


def _way(prior: Prior) -> str:
    statement = prior.written or Written()
    has_limits = (statement.lowest, statement.most_likely) != (None, None)
    if prior.shift or has_limits:
        return DIRECT
    if statement.mean is not None:
        return MEAN
    return DIRECT if statement.low is None else RANGE


def _fitting(family: str, low: float, high: float) -> tuple[float, float]:
    """A range that a family can have, near the one given."""
    if not low < high:
        low, high = low - 0.5 * abs(low) - 0.1, high + 0.5 * abs(high) + 0.1
    if family == "Beta" and not 0 < low < high < 1:
        return 0.1, 0.5
    if family in _ABOVE_ZERO and low <= 0:
        low = _short(high / 10) if high > 0 else 0.1
        high = max(high, 1.0)
    return low, high


def _near(family: str, estimate: OptionalEstimate) -> tuple[float, float]:
    """Mean and sd that a family can have, near those told."""
    mean, sd = _short(estimate.mean), _short(estimate.sd) or 0.1
    if family == "Beta" and not (0 < mean < 1 and sd**2 < mean * (1 - mean)):
        mean, sd = 0.3, 0.1
    if family in _ABOVE_ZERO and mean <= 0:
        mean = max(sd, 0.1)
    return mean, sd


def _parameters(family: str, estimate: OptionalEstimate) -> dict[str, float]:
    """Parameters of a family near a mean and sd."""
    if family in moments.FAMILIES:
        mean, sd = _near(family, estimate)
        values = moments.from_mean(mean, sd, family=family).values
    elif family == "HalfNormal":
        values = (math.hypot(estimate.mean, estimate.sd) or 1.0,)
    elif family == "TruncatedNormal":
        centre, spread = estimate.mean, estimate.sd or 0.1
        values = (centre, spread, min(0.0, centre - 5 * spread), centre + 5 * spread)
    else:
        values = (estimate.median,)
    rounded = (_short(value) for value in values)
    return dict(zip(PARAMETERS[family], rounded, strict=True))


def _short(value: float) -> float:
    return float(f"{value:.3g}")
