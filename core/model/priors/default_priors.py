"""Default priors of every parameter, by preset. Free of JAX."""

from typing import Literal

from core.data.demand.names import answers_demand
from core.model.priors.prior import Prior, prior

#: Whose defaults fill what is not given.
Preset = Literal["mixwright", "meridian"]

_ROI = prior("LogNormal", loc=0.2, scale=0.9)
_MROI = prior("LogNormal", loc=0.0, scale=0.5)
_CONTRIBUTION = prior("Beta", concentration1=1.0, concentration0=99.0)
_EC = prior("TruncatedNormal", loc=0.8, scale=0.8, low=0.1, high=10.0)
_EC_RF = prior("LogNormal", loc=0.7, scale=0.4, shift=0.1)
_ONE = prior("Deterministic", loc=1.0)
_THETA = prior("HalfNormal", scale=1.0)
_WEIBULL = prior("Gamma", concentration=0.64, rate=0.32)
_SLOPE_RF = prior("LogNormal", loc=0.7, scale=0.4)
_NORMAL = prior("Normal", loc=0.0, scale=5.0)
_HALF_NORMAL = prior("HalfNormal", scale=5.0)
_SMALL = prior("HalfNormal", scale=0.5)

#: Default prior of every parameter, by posterior variable name: Meridian's where
#: Meridian has the parameter.
DEFAULT_PRIORS: dict[str, Prior] = {
    "knot_values": _NORMAL,
    "tau_g_excl_baseline": _NORMAL,
    "gamma_c": _NORMAL,
    "xi_c": _HALF_NORMAL,
    "gamma_n": _NORMAL,
    "xi_n": _HALF_NORMAL,
    "xi_trend": _ONE,
    "xi_fourier": _ONE,
    "xi_weekday": _ONE,
    "xi_smooth": _SMALL,
    "length_smooth": prior("LogNormal", loc=-1.2, scale=0.5),
    "xi_recurring": _SMALL,
    "xi_holidays": _SMALL,
    "xi_events": _ONE,
    "xi_common": _SMALL,
    "xi_demand": prior("HalfNormal", scale=0.3),
    "xi_trend_g": _SMALL,
    "xi_fourier_g": _SMALL,
    "xi_smooth_g": _SMALL,
    "length_smooth_g": prior("LogNormal", loc=-1.2, scale=0.5),
    "sigma": _HALF_NORMAL,
    "xi_drift": prior("HalfNormal", scale=0.25),
    "rho": prior("TruncatedNormal", loc=0.0, scale=0.4, low=-0.5, high=0.95),
    "contribution_n": prior("TruncatedNormal", loc=0.0, scale=0.1, low=-1.0, high=1.0),
    **{f"roi_{x}": _ROI for x in ("m", "rf")},
    **{f"mroi_{x}": _MROI for x in ("m", "rf")},
    **{f"contribution_{x}": _CONTRIBUTION for x in ("m", "rf", "om", "orf")},
    **{f"beta_{x}": _HALF_NORMAL for x in ("m", "rf", "om", "orf")},
    **{f"eta_{x}": prior("HalfNormal", scale=1.0) for x in ("m", "rf", "om", "orf")},
    **{
        f"alpha_{x}": prior("Uniform", low=0.0, high=1.0)
        for x in ("m", "rf", "om", "orf")
    },
    **{f"theta_{x}": _THETA for x in ("m", "rf", "om", "orf")},
    **{f"lam_{x}": _WEIBULL for x in ("m", "rf", "om", "orf")},
    **{f"k_{x}": _WEIBULL for x in ("m", "rf", "om", "orf")},
    "ec_m": _EC,
    "ec_om": _EC,
    "ec_rf": _EC_RF,
    "ec_orf": _EC_RF,
    "slope_m": _ONE,
    "slope_om": _ONE,
    "slope_rf": _SLOPE_RF,
    "slope_orf": _SLOPE_RF,
}

_CURVE = {
    # In typical exposures (`media.typical`); a slope below one is rarely meant: its
    # curve shoots up at zero, where no spend was seen. Chosen by measurement:
    # docs/decisions.md.
    "ec": prior("LogNormal", loc=-0.25, scale=0.8),
    "slope": prior("LogNormal", loc=0.2, scale=0.3),
}
#: Slope of a channel that answers demand by its name, such as search.
_WITHOUT_THRESHOLD = prior("LogNormal", loc=0.1, scale=0.2)

#: What a preset does differently.
_OF_PRESET: dict[Preset, dict[str, Prior]] = {
    "mixwright": {
        **{f"ec_{x}": _CURVE["ec"] for x in ("m", "rf", "om", "orf")},
        **{f"slope_{x}": _CURVE["slope"] for x in ("m", "om")},
    },
    "meridian": {},
}


def default_prior(name: str, preset: Preset, channel: str = "") -> Prior:
    """Default prior of a parameter.

    Args:
        name: Its posterior variable name, such as `slope_m`.
        preset: Whose defaults.
        channel: Name of the channel that it is of, if it is of one.

    Raises:
        KeyError: There is no such parameter.
    """
    if name == "slope_m" and preset == "mixwright" and answers_demand(channel):
        return _WITHOUT_THRESHOLD
    return _OF_PRESET[preset].get(name) or DEFAULT_PRIORS[name]
