"""Parameters of the model by plain names: `alpha_m[Radio]` is "Radio · carryover"."""

import re
from collections.abc import Mapping, Sequence

from core.dims import CHANNEL, GEO, NATIONAL_GEO
from core.text.languages.language import marked, say
from core.text.languages.locale import date

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")

#: By what the name of a channel's parameter begins with: name and unit.
OF_CHANNEL: Mapping[str, tuple[str, str]] = {
    "roi": ("ROI", "outcome per unit of spend"),
    "mroi": ("marginal ROI", "outcome per unit of spend"),
    "contribution": ("contribution", "share of the outcome"),
    "beta": ("effect", "scaled KPI"),
    "gamma": ("effect", "scaled KPI per standard deviation"),
    "alpha": ("carryover", "share kept per period"),
    "theta": ("delay of the peak", "periods"),
    "lam": ("length of the carryover", "periods"),
    "k": ("form of the carryover", ""),
    "ec": ("half-saturation", "multiple of typical exposure"),
    "slope": ("slope", ""),
    "eta": ("spread over regions", ""),
    "xi": ("spread over regions", "scaled KPI per standard deviation"),
    "drift": ("change over the years", "log"),
}
_DEVIATIONS, _SPANS = "standard deviations of the KPI", "half spans of the data"
#: Of the whole market: name and unit.
OF_MARKET: Mapping[str, tuple[str, str]] = {
    "rho": ("Noise · memory", "share kept per period"),
    "length_smooth": ("Smooth deviation · length", _SPANS),
    "length_smooth_g": ("Smooth deviation · length in a region", _SPANS),
    "xi_drift": ("Effectiveness · change over a year", "log"),
    "sigma": ("Noise · size", _DEVIATIONS),
    "xi_common": ("Noise · in common", _DEVIATIONS),
    "xi_trend_g": ("Trend · spread over regions", _DEVIATIONS),
    "xi_fourier_g": ("Season · spread over regions", _DEVIATIONS),
    "xi_smooth_g": ("Smooth deviation · size in a region", _DEVIATIONS),
} | {
    name: (f"{part} · size", _DEVIATIONS)
    for name, part in (
        ("xi_trend", "Trend"),
        ("xi_fourier", "Season"),
        ("xi_weekday", "Days of the week"),
        ("xi_smooth", "Smooth deviation"),
        ("xi_recurring", "Weeks of the year"),
        ("xi_holidays", "Holidays"),
        ("xi_events", "Own events"),
        ("xi_demand", "Demand"),
    )
}
#: Of the coefficients of the baseline, by their names.
OF_BASELINE: Mapping[str, str] = {
    "knot_values": "Baseline · knot",
    "mu_t": "Baseline",
    "tau_g": "Level",
    "gamma_trend": "Trend",
    "gamma_fourier": "Season",
    "gamma_weekday": "Days of the week",
    "gamma_smooth": "Smooth deviation",
    "gamma_recurring": "Weeks of the year",
    "gamma_holidays": "Holidays",
    "gamma_events": "Own events",
    "gamma_demand": "Demand",
    "gamma_common": "Noise in common",
}

#: Parts of these names, and units, as they are said.
SAID = (
    marked("ROI"),
    marked("log"),
    marked("periods"),
    marked("half spans of the data"),
    marked("standard deviations of the KPI"),
    marked("multiple of typical exposure"),
    marked("share kept per period"),
    marked("scaled KPI per standard deviation"),
    marked("scaled KPI"),
    marked("share of the outcome"),
    marked("outcome per unit of spend"),
    marked("marginal ROI"),
    marked("contribution"),
    marked("effect"),
    marked("carryover"),
    marked("delay of the peak"),
    marked("length of the carryover"),
    marked("form of the carryover"),
    marked("half-saturation"),
    marked("slope"),
    marked("spread over regions"),
    marked("change over the years"),
    marked("Noise"),
    marked("size"),
    marked("memory"),
    marked("in common"),
    marked("Trend"),
    marked("Season"),
    marked("Days of the week"),
    marked("Smooth deviation"),
    marked("length"),
    marked("Weeks of the year"),
    marked("Holidays"),
    marked("Own events"),
    marked("Demand"),
    marked("what passes"),
    marked("Effectiveness"),
    marked("change over a year"),
    marked("size in a region"),
    marked("length in a region"),
    marked("Baseline"),
    marked("knot"),
    marked("Level"),
    marked("Noise in common"),
)

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
