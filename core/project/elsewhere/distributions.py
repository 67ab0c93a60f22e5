"""Distributions as other programs write them, as priors."""

from collections.abc import Mapping
from typing import Any

from core.errors import MMMError
from core.model.priors.prior import PARAMETERS, Prior, prior

#: PyMC's names of families and parameters; ours.
_PYMC: dict[str, tuple[str, dict[str, str]]] = {
    "Normal": ("Normal", {"mu": "loc", "sigma": "scale"}),
    "LogNormal": ("LogNormal", {"mu": "loc", "sigma": "scale"}),
    "HalfNormal": ("HalfNormal", {"sigma": "scale"}),
    "TruncatedNormal": (
        "TruncatedNormal",
        {"mu": "loc", "sigma": "scale", "lower": "low", "upper": "high"},
    ),
    "Gamma": ("Gamma", {"alpha": "concentration", "beta": "rate"}),
    "Beta": ("Beta", {"alpha": "concentration1", "beta": "concentration0"}),
    "Uniform": ("Uniform", {"lower": "low", "upper": "high"}),
}
_SAID = {"distribution", "dist", "class", "dims", "kwargs", "centered", "transform"}


def pymc_prior(entry: Any) -> Prior | None:
    """A distribution of PyMC; None where there is no counterpart.

    Args:
        entry: `{distribution: Beta, alpha: 1, beta: 3}`, or with `kwargs`.
    """
    if not isinstance(entry, Mapping):
        return None
    inner = entry.get("kwargs")
    if isinstance(inner, Mapping):
        entry = {**entry, **inner}
    name = entry.get("distribution", entry.get("dist"))
    numbers = {key: value for key, value in entry.items() if key not in _SAID}
    if not all(_is_number(value) for value in numbers.values()):
        return None  # a prior of a prior
    if name == "Gamma" and numbers.keys() == {"mu", "sigma"} and numbers["sigma"]:
        mean, variance = numbers["mu"], numbers["sigma"] ** 2
        numbers = {"alpha": mean**2 / variance, "beta": mean / variance}
    family, names = _PYMC.get(str(name), ("", {}))
    if numbers.keys() != names.keys():
        return None
    return _made(family, {names[key]: value for key, value in numbers.items()})


def tfp_prior(entry: Any, at: int | None = None) -> Prior | None:
    """A distribution of TensorFlow Probability; None where there is no counterpart.

    Args:
        entry: `{distribution: LogNormal, loc: 0.2, scale: 0.9}`; a list holds one
            number per channel.
        at: The channel; None for a prior that all share.
    """
    if not isinstance(entry, Mapping):
        return None
    name = str(entry.get("distribution"))
    numbers = {key: value for key, value in entry.items() if key != "distribution"}
    for key, value in numbers.items():
        if isinstance(value, list) and at is not None and at < len(value):
            numbers[key] = value[at]
    shift = numbers.pop("shift", 0.0)
    good = all(_is_number(value) for value in [*numbers.values(), shift])
    if not good or numbers.keys() != set(PARAMETERS.get(name, ())):
        return None
    return _made(name, numbers, shift)


def _made(family: str, numbers: Mapping[str, Any], shift: float = 0.0) -> Prior | None:
    plain = {key: float(value) for key, value in numbers.items()}
    try:
        return prior(family, **plain, **({"shift": float(shift)} if shift else {}))
    except MMMError:  # numbers that no distribution has
        return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
