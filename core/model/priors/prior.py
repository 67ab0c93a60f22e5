"""Priors as data: a family and its numbers, hashable, free of JAX.

Parametrisations are TensorFlow Probability's: LogNormal(loc, scale) of the log;
HalfNormal(scale); Beta(concentration1, concentration0); Gamma(concentration, rate);
TruncatedNormal(loc, scale, low, high); Uniform(low, high); Deterministic(loc).
Every family takes an optional `shift` that is added to the variable.
"""

import math
from dataclasses import dataclass, field
from typing import Literal, get_args

from core.errors import SpecError
from core.text import count, verb

Family = Literal[
    "Normal",
    "LogNormal",
    "HalfNormal",
    "TruncatedNormal",
    "Gamma",
    "Beta",
    "Uniform",
    "Deterministic",
]

#: Parameters of each family, in order; all are required.
PARAMETERS: dict[str, tuple[str, ...]] = {
    "Normal": ("loc", "scale"),
    "LogNormal": ("loc", "scale"),
    "HalfNormal": ("scale",),
    "TruncatedNormal": ("loc", "scale", "low", "high"),
    "Gamma": ("concentration", "rate"),
    "Beta": ("concentration1", "concentration0"),
    "Uniform": ("low", "high"),
    "Deterministic": ("loc",),
}
_POSITIVE = {"scale", "concentration", "rate", "concentration1", "concentration0"}


@dataclass(frozen=True)
class Parameters:
    """Parameters of a distribution; NaN where its family has none of that name."""

    loc: float = math.nan
    scale: float = math.nan
    low: float = math.nan
    high: float = math.nan
    concentration: float = math.nan
    rate: float = math.nan
    concentration1: float = math.nan
    concentration0: float = math.nan


@dataclass(frozen=True)
class Written:
    """How someone gave a prior: as a range, or as mean and standard deviation.

    Attributes:
        low: Lower end of a range.
        high: Upper end.
        mass: Probability between the ends.
        most_likely: The mode, where it was given.
        lowest: Limit of the variable, where it was given.
        highest: The other.
        mean: Where that was given, with `sd`.
        sd: Standard deviation.
    """

    low: float | None = None
    high: float | None = None
    mass: float | None = None
    most_likely: float | None = None
    lowest: float | None = None
    highest: float | None = None
    mean: float | None = None
    sd: float | None = None

    def numbers(self) -> dict[str, float]:
        """What was given, by name."""
        return {name: each for name, each in vars(self).items() if each is not None}


@dataclass(frozen=True)
class Prior:
    """One univariate prior distribution.

    Attributes:
        family: Name of the family.
        values: Its parameters in the order of `PARAMETERS[family]`.
        shift: Added to the variable; 0.1 for Meridian's `ec_rf`.
        written: How someone gave it; None where that was as family and numbers. Two
            priors with the same numbers are equal.
    """

    family: Family
    values: tuple[float, ...]
    shift: float = 0.0
    written: Written | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Refuse unknown families and impossible numbers.

        Raises:
            SpecError: The family is unknown or a parameter is missing or impossible.
        """
        if self.family not in get_args(Family):
            known = ", ".join(get_args(Family))
            raise SpecError(
                f"Prior family {self.family!r} is unknown.",
                hint=f"Use one of {known}.",
            )
        names = PARAMETERS[self.family]
        if len(self.values) != len(names):
            raise SpecError(
                f"Prior {self.family} takes {', '.join(names)}; "
                f"{count(len(self.values), 'number')} "
                f"{verb(len(self.values), 'were')} given."
            )
        for name, value in zip(names, self.values, strict=True):
            if not abs(value) < float("inf"):
                raise SpecError(f"Prior {self.family}: {name} is not a finite number.")
            if name in _POSITIVE and value <= 0:
                raise SpecError(f"Prior {self.family}: {name} must be above zero.")
        if self.numbers.low >= self.numbers.high:
            raise SpecError(f"Prior {self.family}: low must be below high.")

    def parameters(self) -> dict[str, float]:
        """Parameters by name, without the shift."""
        return dict(zip(PARAMETERS[self.family], self.values, strict=True))

    @property
    def numbers(self) -> Parameters:
        """Parameters as attributes, without the shift."""
        return Parameters(**self.parameters())

    @property
    def support(self) -> tuple[float, float]:
        """Lowest and highest possible value."""
        p = self.numbers
        low, high = {
            "Normal": (-math.inf, math.inf),
            "Beta": (0.0, 1.0),
            "Deterministic": (p.loc, p.loc),
            "TruncatedNormal": (p.low, p.high),
            "Uniform": (p.low, p.high),
        }.get(self.family, (0.0, math.inf))
        return low + self.shift, high + self.shift


def prior(family: Family, *, shift: float = 0.0, **parameters: float) -> Prior:
    """Prior from named parameters: `prior("LogNormal", loc=0.2, scale=0.9)`.

    Raises:
        SpecError: A parameter is missing, unknown or impossible.
    """
    names = PARAMETERS.get(family)
    if names is None:
        return Prior(family, ())  # raises with the list of families
    unknown = sorted(set(parameters) - set(names))
    missing = [name for name in names if name not in parameters]
    if unknown or missing:
        raise SpecError(
            f"Prior {family} takes {', '.join(names)}"
            + (f"; unknown: {', '.join(unknown)}" if unknown else "")
            + (f"; missing: {', '.join(missing)}" if missing else "")
            + "."
        )
    return Prior(family, tuple(float(parameters[name]) for name in names), shift)


def describe(prior: Prior) -> str:
    """The prior as people write it: `LogNormal(0.2, 0.9)`."""
    numbers = ", ".join(f"{value:g}" for value in prior.values)
    shift = f"{prior.shift:g} + " if prior.shift else ""
    return f"{shift}{prior.family}({numbers})"
