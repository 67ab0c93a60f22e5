"""Priors as people write them in project.toml, and back.

{family = "LogNormal", parameters = {loc = 0.2, scale = 0.9}, shift = 0.0}
{low = 0.5, high = 4.0, mass = 0.9}     that mass in the range, most_likely if known
{mean = 1.5, sd = 0.8}                  that mean and standard deviation

The latter two are LogNormal unless a family is given, and stay as they were written.
"""

from dataclasses import replace

from core.errors import SpecError
from core.model.priors.elicitation import from_range
from core.model.priors.moments import from_mean
from core.model.priors.prior import PARAMETERS, Prior, prior
from core.toml.table import TableReader

_RANGE = ("low", "high", "mass", "most_likely", "lowest", "highest")
KEYS = ("family", "parameters", "shift", *_RANGE, "mean", "sd")


def read_prior(table: TableReader) -> Prior | None:
    """The prior in a table; None if it holds none or what it holds is wrong.

    What is wrong is noted on the table's list of problems. The caller calls
    `table.finish()`.
    """
    family = table.choice("family", tuple(PARAMETERS))
    parameters = table.numbers("parameters")
    numbers = {key: table.number(key) for key in KEYS[2:]}
    written = {key: value for key, value in numbers.items() if value is not None}
    if table.has_problems:
        return None
    shift = written.pop("shift", 0.0)
    try:
        if parameters is not None or (family is not None and not written):
            return _from_family(family, parameters, written, shift)
        if not written:
            return None
        return _from_shorthand(family, written, shift)
    except SpecError as error:
        table.problem(error.message, error.hint)
        return None


def _from_family(
    family: str | None, parameters: dict | None, written: dict, shift: float
) -> Prior:
    if family is None:
        raise SpecError(
            "A prior with parameters needs its family.",
            hint=f"Use one of {', '.join(PARAMETERS)}.",
        )
    if written:
        raise SpecError(
            f"A prior has either parameters or {', '.join(written)}, not both.",
            hint="Remove one of them.",
        )
    return prior(family, shift=shift, **(parameters or {}))


def _from_shorthand(family: str | None, written: dict, shift: float) -> Prior:
    ask = dict(written)
    if {"low", "high"} <= set(ask) <= set(_RANGE):
        limits = [ask.pop(key, None) for key in ("lowest", "highest")]
        support = None if None in limits else tuple(limits)
        prior = from_range(**ask, family=family or "LogNormal", support=support)
    elif set(ask) == {"mean", "sd"}:
        prior = from_mean(**ask, family=family or "LogNormal")
    else:
        raise SpecError(
            f"A prior cannot be made from {', '.join(written)} alone.",
            hint="Give low and high, or mean and sd, or family and parameters.",
        )
    return replace(prior, shift=shift)


def prior_table(prior: Prior) -> dict:
    """The prior as a table of project.toml."""
    if prior.written is not None:
        is_usual = prior.family == "LogNormal"
        table: dict = {} if is_usual else {"family": prior.family}
        table |= prior.written.numbers()
    else:
        table = {"family": prior.family, "parameters": prior.parameters()}
    if prior.shift:
        table["shift"] = prior.shift
    return table


def prior_of(table: dict) -> Prior | None:
    """The prior in a plain table, None if there is none or it is wrong."""
    entries = {key: value for key, value in table.items() if key in KEYS}
    return read_prior(TableReader(entries, (), []))
