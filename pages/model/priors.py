"""Priors of parameters that belong to no channel, as a card of options."""

from dataclasses import replace

import streamlit as st

from core.service.records.columns import PAID, ColumnMapping
from core.service.records.model import ModelSpec
from core.text.languages.language import marked, say
from pages.model import prior_text
from pages.ui import layout, state
from pages.ui.fields import gated

#: Every such parameter, and what it is.
ABOUT = {
    "knot_values": marked("level of the baseline at each knot"),
    "tau_g_excl_baseline": marked("difference of each geo from the baseline geo"),
    "gamma_c": marked("effect of a control"),
    "xi_c": marked("spread of a control's effect over geos"),
    "gamma_n": marked(
        "effect of a non-media treatment whose prior is on its coefficient"
    ),
    "xi_n": marked("spread of a non-media treatment's effect over geos"),
    "xi_trend": marked("trend over the span of the data"),
    "xi_fourier": marked("size of the waves of the year"),
    "xi_smooth": marked("size of the smooth deviation"),
    "length_smooth": marked(
        "length of the smooth deviation, in half spans of the data"
    ),
    "xi_recurring": marked("size of the effects of each week of the year"),
    "xi_weekday": marked("size of the effects of each day of the week"),
    "xi_holidays": marked("size of the effects of holidays"),
    "xi_events": marked("size of the effects of own events"),
    "xi_common": marked("size of the noise that all geos of a period have in common"),
    "xi_demand": marked("size of the effects of demand that spend reveals"),
    "xi_trend_g": marked("spread of the trend over geos"),
    "xi_fourier_g": marked("spread of the season over geos"),
    "xi_smooth_g": marked("size of the smooth deviation of each geo"),
    "length_smooth_g": marked(
        "length of the smooth deviation of each geo, in half spans"
    ),
    "xi_drift": marked("change of effectiveness over a year"),
    "sigma": "noise",
    "rho": marked("share of the noise that goes on into the next period"),
}
_PER_ROW = 4


def names(spec: ModelSpec, mapping: ColumnMapping, has_geos: bool) -> list[str]:
    """Those of the parameters that this model has."""
    non_media = [channel for channel in spec.channels if channel.kind == "non_media"]
    has = {
        "tau_g_excl_baseline": has_geos,
        "gamma_c": bool(mapping.controls),
        "xi_c": bool(mapping.controls) and has_geos,
        "gamma_n": any(x.effective_prior_kind == "coefficient" for x in non_media),
        "xi_n": bool(non_media) and has_geos,
        "xi_drift": any(spec.drifts(channel) for channel in spec.channels),
        "rho": spec.has_memory,
        **_structural(spec, has_geos),
    }
    return [name for name in ABOUT if has.get(name, True)]


def _may_follow(spec: ModelSpec) -> bool:
    """Whether a channel has a demand term, or may get one from name and spend."""
    if spec.preset == "meridian":
        return False
    return any(
        spec.is_structural
        if channel.follows_demand == "auto"
        else channel.follows_demand is not False
        for channel in spec.channels
        if channel.kind in PAID
    )


def _structural(spec: ModelSpec, has_geos: bool) -> dict[str, bool]:
    """Which scales of linear terms this model has."""
    seasonal = spec.is_structural if spec.seasonality is None else spec.seasonality > 0
    own = ("trend", "season") if spec.varies_by_geo is None else spec.varies_by_geo
    own = own if has_geos and (spec.is_structural or spec.varies_by_geo) else ()
    smooth = spec.is_structural if spec.smooth is None else spec.smooth > 0
    return {
        "xi_trend": spec.is_structural,
        "xi_fourier": seasonal,
        "xi_smooth": smooth,
        "length_smooth": smooth,
        "xi_recurring": spec.recurring,
        "xi_weekday": bool(spec.weekday),
        "xi_holidays": spec.holidays is not None,
        "xi_events": bool(spec.events),
        "xi_common": spec.is_structural and has_geos,
        "xi_demand": _may_follow(spec),
        "xi_trend_g": "trend" in own,
        "xi_fourier_g": "season" in own and seasonal,
        "xi_smooth_g": "smooth" in own,
        "length_smooth_g": "smooth" in own,
    }


def edit(spec: ModelSpec, shown: list[str]) -> ModelSpec:
    """Draw the priors; returns the options as edited.

    Raises:
        SpecError: A text is no prior.
    """
    st.markdown(say("**Priors of the whole model**"))
    layout.remark(
        "On the scaled KPI. Written like HalfNormal(5), 0.5 to 3, or mean 1.5, sd "
        "0.8; blank is the default."
    )
    bare, own = replace(spec, priors=()), dict(spec.priors)
    for start in range(0, len(shown), _PER_ROW):
        row = shown[start : start + _PER_ROW]
        for column, name in zip(st.columns(_PER_ROW), row, strict=False):
            default = bare.parameter_prior(name)
            now = prior_text.shown(spec.parameter_prior(name))
            with column:
                text = gated.text_input(
                    name,
                    now,
                    key=f"model.option.prior.{name}.{state.edition('options')}",
                    help=say(
                        "Prior of the {about}. Default: {default}.",
                        about=say(ABOUT[name]),
                        default=prior_text.shown(default),
                    ),
                )
            if text.strip() == now:
                continue
            own.pop(name, None)
            prior = prior_text.parse(text, name) if text.strip() else default
            if prior != default:
                own[name] = prior
            if prior_text.shown(prior) != text.strip():
                state.start_afresh("options")
    if own == dict(spec.priors):
        return spec
    return replace(spec, priors=tuple(sorted(own.items())))
