"""Parameters of the model by plain names: `alpha_m[Radio]` is "Radio · carryover"."""

import re
from collections.abc import Mapping, Sequence

from core.dims import CHANNEL, GEO, NATIONAL_GEO
from core.text.languages.language import marked, say
from core.text.languages.locale import date

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")

_SIZE, _OVER_REGIONS = marked("size"), marked("spread over regions")
_DEVIATIONS = marked("standard deviations of the KPI")
_SPANS = marked("half spans of the data")
_KEPT, _LOG, _PERIODS = (
    marked("share kept per period"),
    marked("log"),
    marked("periods"),
)
_SCALED = marked("scaled KPI per standard deviation")
_NOISE, _SMOOTH = marked("Noise"), marked("Smooth deviation")
_PER_SPEND = marked("outcome per unit of spend")

#: By what the name of a channel's parameter begins with: name and unit.
OF_CHANNEL: Mapping[str, tuple[str, str]] = {
    "roi": (marked("ROI"), _PER_SPEND),
    "mroi": (marked("marginal ROI"), _PER_SPEND),
    "contribution": (marked("contribution"), marked("share of the outcome")),
    "beta": (marked("effect"), marked("scaled KPI")),
    "gamma": (marked("effect"), _SCALED),
    "alpha": (marked("carryover"), _KEPT),
    "theta": (marked("delay of the peak"), _PERIODS),
    "lam": (marked("length of the carryover"), _PERIODS),
    "k": (marked("form of the carryover"), ""),
    "ec": (marked("half-saturation"), marked("multiple of typical exposure")),
    "slope": (marked("slope"), ""),
    "eta": (_OVER_REGIONS, ""),
    "xi": (_OVER_REGIONS, _SCALED),
    "drift": (marked("change over the years"), _LOG),
}
#: Parts of the baseline, by the ends of the names of their parameters.
_TERMS: Mapping[str, str] = {
    "trend": marked("Trend"),
    "fourier": marked("Season"),
    "smooth": _SMOOTH,
    "recurring": marked("Weeks of the year"),
    "weekday": marked("Days of the week"),
    "holidays": marked("Holidays"),
    "events": marked("Own events"),
    "demand": marked("Demand"),
}
#: Of the whole market: name, in parts, and unit.
OF_MARKET: Mapping[str, tuple[str, str]] = {
    **{f"xi_{key}": (f"{term} · {_SIZE}", _DEVIATIONS) for key, term in _TERMS.items()},
    "length_smooth": (f"{_SMOOTH} · {marked('length')}", _SPANS),
    "xi_common": (f"{_NOISE} · {marked('in common')}", _DEVIATIONS),
    "xi_trend_g": (f"{_TERMS['trend']} · {_OVER_REGIONS}", _DEVIATIONS),
    "xi_fourier_g": (f"{_TERMS['fourier']} · {_OVER_REGIONS}", _DEVIATIONS),
    "xi_smooth_g": (f"{_SMOOTH} · {marked('size in a region')}", _DEVIATIONS),
    "length_smooth_g": (f"{_SMOOTH} · {marked('length in a region')}", _SPANS),
    "xi_drift": (f"{marked('Effectiveness')} · {marked('change over a year')}", _LOG),
    "sigma": (f"{_NOISE} · {_SIZE}", _DEVIATIONS),
    "rho": (f"{_NOISE} · {marked('memory')}", _KEPT),
}
#: Of the coefficients of the baseline, by their names.
OF_BASELINE: Mapping[str, str] = {
    "knot_values": f"{marked('Baseline')} · {marked('knot')}",
    "mu_t": marked("Baseline"),
    "tau_g": marked("Level"),
    "tau_g_excl_baseline": marked("Level, beside the baseline region"),
    **{f"gamma_{key}": term for key, term in _TERMS.items()},
    "gamma_common": marked("Noise in common"),
}

#: What a group of parameters is of, by the end of its name.
_GROUPS: Mapping[str, str] = {
    "m": marked("channels"),
    "rf": marked("reach and frequency"),
    "om": marked("organic channels"),
    "orf": marked("organic reach and frequency"),
    "n": marked("other treatments"),
    "c": marked("controls"),
}


def scalar_name(parameter: str, labels: Sequence[tuple[str, str]]) -> str:
    """One number of the model: "Radio · slope", "TV · effect in Bavaria".

    Args:
        parameter: Its name in the posterior: `beta_gm`.
        labels: Axis and label of each of its places; those of a market of one region
            are not said.
    """
    of, geo, rest = "", "", []
    for axis, label in labels:
        if axis.endswith((CHANNEL, "control")):
            of = label
        elif axis != GEO:
            rest.append(date(label) if _DAY.fullmatch(label) else label)
        elif label != NATIONAL_GEO:
            geo = label
    name = plain_name(parameter, of)[0]
    if not of:
        usual = OF_BASELINE.get(parameter.removesuffix("_g"), name)
        name = OF_BASELINE.get(parameter, usual)
    text = " · ".join([name, *rest])
    return f"{text} in {geo}" if geo else text


def group_name(parameter: str) -> str:
    """A group of parameters: `alpha_m` is "Carryover of channels".

    Args:
        parameter: Its name in the posterior.
    """
    if parameter in OF_MARKET:
        return _parts(OF_MARKET[parameter][0])
    if parameter in OF_BASELINE:
        return _parts(OF_BASELINE[parameter])
    if usual := OF_BASELINE.get(parameter.removesuffix("_g"), ""):
        return say("{name} by region", name=_parts(usual))
    stem, _, axes = parameter.partition("_")
    name, _ = OF_CHANNEL.get(stem, ("", ""))
    of = _GROUPS.get(axes.removeprefix("g"))
    if not name or of is None:
        return parameter
    text = say(name)
    text = say("{name} of {group}", name=f"{text[:1].upper()}{text[1:]}", group=say(of))
    return say("{name} by region", name=text) if axes.startswith("g") else text


def unit_of(parameter: str) -> str:
    """The unit of a group of parameters; empty where it has none."""
    of_channel = OF_CHANNEL.get(parameter.partition("_")[0], ("", ""))
    return say(OF_MARKET.get(parameter, of_channel)[1])


def _parts(name: str) -> str:
    return " · ".join(map(say, name.split(" · ")))


def plain_name(parameter: str, of: str = "") -> tuple[str, str]:
    """Name and unit of a scalar parameter.

    Args:
        parameter: Its name in the posterior: `alpha_m`.
        of: The channel or control that it is of; empty for one of the market.
    """
    if not of:
        name, unit = OF_MARKET.get(parameter, (parameter, ""))
        return _parts(name), say(unit)
    name, unit = OF_CHANNEL.get(parameter.split("_")[0], (parameter, ""))
    return f"{of} · {say(name)}", say(unit)
