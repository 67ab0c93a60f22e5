"""Priors as an analyst types them, and back.

LogNormal(0.2, 0.9)         family and parameters; 0.1 + LogNormal(0.2, 0.9) is shifted
0.5 to 3                    90 % lie between; Gamma 0.5 to 3, 80 % says more
mean 1.5, sd 0.8            mean and standard deviation; Beta mean 0.2, sd 0.1
"""

import difflib
import re

from core.errors import SpecError
from core.estimate import INTERVAL
from core.service.records.model import PARAMETERS, Prior, describe, elicitation, moments
from core.text.languages.language import marked, say

_NUMBER = r"[-+]?[\d.]+(?:[eE][-+]?\d+)?"
_WRITTEN = re.compile(
    r"\s*(?:(?P<shift>[-+.\deE]+)\s*\+\s*)?(?P<family>\w+)\s*\((?P<n>[^()]*)\)\s*"
)
_RANGE = re.compile(
    rf"\s*(?:(?P<family>[A-Za-z]\w*)\s+)?(?P<low>{_NUMBER})\s*(?:to|–|\.\.)\s*"
    rf"(?P<high>{_NUMBER})(?:\s*,?\s*(?P<mass>{_NUMBER})\s*%)?"
    rf"(?:\s*,?\s*(?:most\s+)?likely\s+(?P<likely>{_NUMBER}))?\s*"
)
_MEAN = re.compile(
    rf"\s*(?:(?P<family>[A-Za-z]\w*)\s+)?mean\s+(?P<mean>{_NUMBER})\s*,?\s*"
    rf"sd\s+(?P<sd>{_NUMBER})\s*"
)
_EXAMPLE = marked(
    'Write it like LogNormal(0.2, 0.9), "0.5 to 3" or "mean 1.5, sd 0.8".'
)


def parse(text: str, where: str = "") -> Prior:
    """The prior that a text describes.

    Raises:
        SpecError: It is not a prior, or an impossible one.
    """
    for pattern, make in (
        (_MEAN, _of_mean),
        (_RANGE, _of_range),
        (_WRITTEN, _of_family),
    ):
        match = pattern.fullmatch(text)
        if match is not None:
            return make(match, where)
    raise SpecError(
        f"{where}: {text.strip()[:60]!r} is not a prior.".lstrip(": "),
        hint=say(_EXAMPLE),
        where=where,
    )


def shown(prior: Prior) -> str:
    """The prior as it was typed; `parse` reads it."""
    statement = prior.written
    if prior.shift or statement is None or statement.lowest is not None:
        return describe(prior)
    family = "" if prior.family == "LogNormal" else f"{prior.family} "
    if statement.mean is not None:
        return f"{family}mean {_plain(statement.mean)}, sd {_plain(statement.sd)}"
    text = f"{family}{_plain(statement.low)} to {_plain(statement.high)}"
    if statement.mass != INTERVAL:
        text += f", {_plain(100 * statement.mass)} %"
    if statement.most_likely is not None:
        text += f", likely {_plain(statement.most_likely)}"
    return text


def _of_mean(match: re.Match, where: str) -> Prior:
    family = _family(match["family"] or "LogNormal", where)
    return moments.from_mean(
        *(_number(match[key], where) for key in ("mean", "sd")), family=family
    )


def _of_range(match: re.Match, where: str) -> Prior:
    family = _family(match["family"] or "LogNormal", where)
    low, high = (_number(match[key], where) for key in ("low", "high"))
    likely = None if match["likely"] is None else _number(match["likely"], where)
    mass = INTERVAL if match["mass"] is None else _number(match["mass"], where) / 100
    return elicitation.from_range(
        low, high, most_likely=likely, mass=mass, family=family
    )


def _of_family(match: re.Match, where: str) -> Prior:
    family = _family(match["family"], where)
    try:
        values = tuple(float(part) for part in match["n"].split(",") if part.strip())
        shift = float(match["shift"] or 0)
    except ValueError as error:
        raise SpecError(
            f"{where}: {match['n']!r} are not numbers.".lstrip(": "),
            hint=say(
                "{family} takes {parameters}. {example}",
                family=family,
                parameters=", ".join(PARAMETERS[family]),
                example=say(_EXAMPLE),
            ),
            where=where,
        ) from error
    return Prior(family, values, shift)


def _number(text: str, where: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise SpecError(
            f"{where}: {text!r} is not a number.".lstrip(": "),
            hint=say(_EXAMPLE),
            where=where,
        ) from error


def _plain(value: float) -> str:
    return f"{value:.12g}"


def _family(name: str, where: str) -> str:
    by_lower = {family.lower(): family for family in PARAMETERS}
    if name.lower() in by_lower:
        return by_lower[name.lower()]
    near = difflib.get_close_matches(name.lower(), by_lower, 1, 0.5)
    nearest = (
        say("Did you mean {by_lower}? ", by_lower=by_lower[near[0]]) if near else ""
    )
    raise SpecError(
        f"{where}: there is no prior family {name}.".lstrip(": "),
        hint=say(
            "{nearest}Use one of {parameters}.",
            nearest=nearest,
            parameters=", ".join(PARAMETERS),
        ),
        where=where,
    )
