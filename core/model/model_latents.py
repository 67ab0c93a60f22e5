"""Which latents a model has, with which priors, and which rule decides their role.

One rule, in `_joins`: a term whose effect on the mean is linear, with a design fixed
by the data, is integrated out when its prior is Normal; else it is sampled.
"""

from typing import Any

from core.data.input_data import InputData
from core.data.mapping import KINDS, ChannelKind
from core.model.latents import Latent
from core.model.media.group_arrays import treatment_places
from core.model.priors.prior import Prior, prior
from core.model.shares.default import parameter_prior
from core.model.shares.totals import totals
from core.model.spec import (
    ADSTOCK_PARAMETERS,
    CARRYOVER,
    SUFFIX,
    ChannelSpec,
    ModelSpec,
)
from core.model.terms.effectiveness import n_waves
from core.model.terms.linear_terms import TermDesign, deviations

_ZERO = prior("Deterministic", loc=0.0)
_STANDARD = prior("Normal", loc=0.0, scale=1.0)


def latents_and_priors(
    spec: ModelSpec,
    data: InputData,
    n_knots: int,
    terms: tuple[TermDesign, ...],
) -> tuple[tuple[Latent, ...], dict[str, list[Prior]]]:
    """Latents in a fixed order, and one prior per family entry of each.

    Args:
        spec: Options and priors.
        data: The market.
        n_knots: Number of knots.
        terms: The linear terms of the model.
    """
    latents: list[Latent] = []
    priors: dict[str, list[Prior]] = {}

    def add(
        name: str,
        shape: tuple[int, ...],
        entries: list[Prior],
        role="sampled",
        **of_geos: Any,
    ):
        families = tuple(prior.family for prior in entries)
        if len(set(families)) == 1:  # whatever their numbers: those compile nothing
            families = families[:1]
        latents.append(Latent(name, shape, families, role, **of_geos))
        priors[name] = entries

    def common(name: str) -> list[Prior]:
        return [spec.parameter_prior(name)]

    spreads = not data.is_national
    n_sigma = (data.n_geos,) if spec.unique_sigma_for_each_geo and spreads else ()
    add("sigma", n_sigma, common("sigma"), by_geo=bool(n_sigma))
    if any(spec.drifts(channel) for channel in spec.channels):
        add("xi_drift", (), common("xi_drift"))
    if spec.has_memory and data.n_times > 1:
        add("rho", (), common("rho"))
    for kind in KINDS[:-1]:
        _add_group(add, spec, data, kind)
    knots = common("knot_values")
    add("knot_values", (n_knots,), knots, _joins(knots))
    for structure, term, _ in terms:
        name = structure.name
        shape = (data.n_geos,) * structure.by_geo + term.mean.shape
        add(f"xi_{name}", (), common(f"xi_{name}"))
        if structure.is_smooth:
            add(f"length_{name}", (), common(f"length_{name}"))
        add(deviations(name), shape, [_STANDARD], "integrated")
    tau = common("tau_g_excl_baseline") if spreads else [_ZERO]
    add("tau_g_excl_baseline", (data.n_geos - 1,), tau, _joins(tau))
    if data.control_names:
        _add_controls(add, common, data)
    if data.non_media:
        _add_non_media(add, spec, data)
    return tuple(latents), priors


def _add_controls(add, common, data: InputData) -> None:
    n, spreads = len(data.control_names), not data.is_national
    gamma = common("gamma_c")
    add("gamma_c", (n,), gamma, _joins(gamma))
    add("xi_c", (n,), common("xi_c") if spreads else [_ZERO])
    role = "integrated" if spreads else "idle"
    add("gamma_gc_dev", (data.n_geos, n), [_STANDARD], role)


def _joins(entries: list[Prior]) -> str:
    """The rule: Normal priors of linear terms are integrated out."""
    is_normal = all(prior.family == "Normal" for prior in entries)
    return "integrated" if is_normal else "sampled"


def _add_group(add, spec: ModelSpec, data: InputData, kind: ChannelKind) -> None:
    names = getattr(data, kind).names
    if not names:
        return
    x = SUFFIX[kind]
    channels = [spec.channel(name) for name in names]
    spreads = not data.is_national
    for stem in transformation_stems(channels):
        entries = [transformation_prior(spec, channel, stem) for channel in channels]
        add(f"{stem}_{x}", (len(names),), entries)
    eta = [
        spec.channel_prior(channel, "eta") if spreads else _ZERO for channel in channels
    ]
    add(f"eta_{x}", (len(names),), eta)
    moves = spreads and set(eta) != {_ZERO}
    role = "sampled" if moves else "idle"
    shape = (data.n_geos, len(names))
    # Only of logarithms can it be known how well data tell geos apart.
    is_log = spec.media_effects == "log_normal"
    spread = f"eta_{x}" if moves and is_log else ""
    add(f"beta_g{x}_dev", shape, [_STANDARD], role, by_geo=True, spread=spread)
    if any(spec.drifts(channel) for channel in channels):
        shape = (len(names), n_waves(data.times))
        # What a channel adds is in proportion to these; coefficients may be logs.
        level = [
            (name, places)
            for name, places in treatment_places(spec, data, kind)
            if not name.startswith("beta_")
        ]
        add(f"drift_{x}", shape, [_STANDARD], spread="xi_drift", level=tuple(level))
    _add_treatment(add, spec, data, channels)


def transformation_stems(channels: list[ChannelSpec]) -> tuple[str, ...]:
    """Parameters of carryover and saturation that any of the channels has."""
    used = {
        stem for channel in channels for stem in ADSTOCK_PARAMETERS[channel.adstock]
    }
    return (*(stem for stem in CARRYOVER if stem in {"alpha", *used}), "ec", "slope")


def transformation_prior(spec: ModelSpec, channel: ChannelSpec, stem: str) -> Prior:
    """Prior of a transformation parameter; fixed where the channel has no use for it.

    Meridian samples `ec` of channels without saturation, too, and so do we.
    """
    if stem in CARRYOVER and stem not in ADSTOCK_PARAMETERS[channel.adstock]:
        return prior("Deterministic", loc=CARRYOVER[stem])
    return spec.channel_prior(channel, stem)


def _add_treatment(
    add, spec: ModelSpec, data: InputData, channels: list[ChannelSpec], role="sampled"
) -> None:
    for parameter in dict.fromkeys(channel.treatment_parameter for channel in channels):
        about = [
            channel for channel in channels if channel.treatment_parameter == parameter
        ]
        entries = [treatment_prior(spec, data, channel) for channel in about]
        add(parameter, (len(about),), entries, role)


def _add_non_media(add, spec: ModelSpec, data: InputData) -> None:
    channels = [spec.channel(name) for name in data.non_media.names]
    spreads = not data.is_national
    entries = [treatment_prior(spec, data, channel) for channel in channels]
    all_direct = all(
        channel.effective_prior_kind == "coefficient" for channel in channels
    )
    role = _joins(entries) if all_direct else "sampled"
    _add_treatment(add, spec, data, channels, role)
    n = len(channels)
    add("xi_n", (n,), [spec.parameter_prior("xi_n")] if spreads else [_ZERO])
    dev_role = ("integrated" if role == "integrated" else "sampled") if spreads else ""
    role = dev_role or "idle"
    add("gamma_gn_dev", (data.n_geos, n), [_STANDARD], role, by_geo=True)


def treatment_prior(spec: ModelSpec, data: InputData, channel: ChannelSpec) -> Prior:
    """Prior of the treatment parameter: the channel's, the model's, the default."""
    return parameter_prior(spec, channel, totals(data))
