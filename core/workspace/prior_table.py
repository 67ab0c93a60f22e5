"""Priors as people write them in project.toml, and back.

{family = "LogNormal", parameters = {loc = 0.2, scale = 0.9}, shift = 0.0}
{low = 0.5, high = 4.0, mass = 0.9}     a LogNormal with that mass in the range
{mean = 1.5, sd = 0.8}                  a LogNormal with that mean and deviation
"""

import math
from statistics import NormalDist

from core.errors import SpecError
from core.model.prior import PARAMETERS, Prior, prior
from core.workspace.table_reader import TableReader

KEYS = ("family", "parameters", "shift", "low", "high", "mass", "mean", "sd")


def lognormal_from_range(low: float, high: float, mass: float = 0.9) -> Prior:
    """The LogNormal with equal tails outside a range.

    Args:
        low: Lower end, above zero.
        high: Upper end.
        mass: Probability of the range, between zero and one.

    Raises:
        SpecError: The range or the mass is impossible.
    """
    if not 0 < low < high < math.inf:
        raise SpecError(
            f"A range needs 0 < low < high, not {low:g} and {high:g}.",
            hint="For a prior that reaches zero or below, give family and parameters.",
        )
    if not 0 < mass < 1:
        raise SpecError(f"mass must be between 0 and 1, not {mass:g}.")
    quantile = NormalDist().inv_cdf((1 + mass) / 2)
    loc = (math.log(low) + math.log(high)) / 2
    return prior("LogNormal", loc=loc, scale=math.log(high / low) / (2 * quantile))


def lognormal_from_mean(mean: float, sd: float) -> Prior:
    """The LogNormal with this mean and standard deviation, both above zero.

    Raises:
        SpecError: One of them is not.
    """
    if not (0 < mean < math.inf and 0 < sd < math.inf):
        raise SpecError(
            f"mean and sd must be above zero, not {mean:g} and {sd:g}.",
            hint="For a prior that reaches zero or below, give family and parameters.",
        )
    variance = math.log1p((sd / mean) ** 2)
    return prior(
        "LogNormal", loc=math.log(mean) - variance / 2, scale=math.sqrt(variance)
    )


def read_prior(table: TableReader) -> Prior | None:
    """The prior in a table; None if it holds none or what it holds is wrong.

    What is wrong is noted on the table's list of problems. The caller calls
    `table.finish()`.
    """
    family = table.choice("family", tuple(PARAMETERS))
    parameters = table.numbers("parameters")
    numbers = {key: table.number(key) for key in KEYS[2:]}
    given = {key: value for key, value in numbers.items() if value is not None}
    if table.has_problems:
        return None
    shift = given.pop("shift", 0.0)
    try:
        if parameters is not None or (family is not None and not given):
            return _from_family(family, parameters, given, shift)
        if not given:
            return None
        return _from_shorthand(family, given, shift)
    except SpecError as error:
        table.problem(error.message, error.hint)
        return None


def _from_family(
    family: str | None, parameters: dict | None, given: dict, shift: float
) -> Prior:
    if family is None:
        raise SpecError(
            "A prior with parameters needs its family.",
            hint=f"Use one of {', '.join(PARAMETERS)}.",
        )
    if given:
        raise SpecError(
            f"A prior has either parameters or {', '.join(given)}, not both.",
            hint="Remove one of them.",
        )
    return prior(family, shift=shift, **(parameters or {}))


def _from_shorthand(family: str | None, given: dict, shift: float) -> Prior:
    if family not in (None, "LogNormal"):
        raise SpecError(
            f"{', '.join(given)} describe a LogNormal prior, not {family}.",
            hint=f"Give parameters = {{{', '.join(PARAMETERS.get(family, ()))}}}.",
        )
    if {"low", "high"} <= set(given) <= {"low", "high", "mass"}:
        found = lognormal_from_range(**given)
    elif set(given) == {"mean", "sd"}:
        found = lognormal_from_mean(**given)
    else:
        raise SpecError(
            f"A prior cannot be made from {', '.join(given)} alone.",
            hint="Give low and high, or mean and sd, or family and parameters.",
        )
    return Prior(found.family, found.values, shift)


def prior_table(given: Prior) -> dict:
    """The prior as a table of project.toml."""
    table: dict = {"family": given.family, "parameters": given.parameters()}
    if given.shift:
        table["shift"] = given.shift
    return table


def prior_of(table: dict) -> Prior | None:
    """The prior in a plain table, None if there is none or it is wrong."""
    known = {key: value for key, value in table.items() if key in KEYS}
    return read_prior(TableReader(known, (), []))
