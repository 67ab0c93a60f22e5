"""Model options that are not about one channel, in groups, each with its default.

Priors of parameters that belong to no channel, as a card of options.
"""

from dataclasses import replace

import streamlit as st

from core.service.records.columns import PAID, ColumnMapping
from core.service.records.model import ModelSpec, default_effectiveness
from core.text.languages.language import marked, say
from core.text.parameters import OF_MARKET, group_name, unit_of
from pages.model import baseline, events, holdout, prior_text
from pages.model.scope import Scope, key
from pages.ui import layout, state, words
from pages.ui.fields import gated

#: Every such parameter.
PARAMETERS = (
    "knot_values",
    "tau_g_excl_baseline",
    "gamma_c",
    "xi_c",
    "gamma_n",
    "xi_n",
)
PARAMETERS += tuple(OF_MARKET)
_PER_ROW = 4


def prior_names(spec: ModelSpec, mapping: ColumnMapping, has_geos: bool) -> list[str]:
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
    return [name for name in PARAMETERS if has.get(name, True)]


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


def edit_priors(spec: ModelSpec, names: list[str]) -> ModelSpec:
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
    for start in range(0, len(names), _PER_ROW):
        row = names[start : start + _PER_ROW]
        for column, name in zip(st.columns(_PER_ROW), row, strict=False):
            default = bare.parameter_prior(name)
            now = prior_text.shown(spec.parameter_prior(name))
            with column:
                text = gated.text_input(
                    name,
                    now,
                    key=f"model.option.prior.{name}.{state.edition('options')}",
                    help=_about(name, prior_text.shown(default)),
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


def _about(name: str, default: str) -> str:
    """What a parameter is, and its default prior."""
    unit = unit_of(name)
    about = group_name(name) + (f" ({unit})." if unit else ".")
    return say("{about} Default: {default}.", about=about, default=default)


#: Words for `effectiveness`.
EFFECTIVENESS = {"constant": marked("constant"), "drifting": marked("may drift")}
_EFFECTS = {
    "log_normal": marked("never below zero"),
    "normal": marked("may differ in sign"),
}


def edit(spec: ModelSpec, scope: Scope) -> ModelSpec:
    """Draw the options; returns them as edited.

    Raises:
        SpecError: An entry is impossible.
    """
    first, second, third = st.columns(3, gap="medium")
    has_geos = bool(scope.market.geos)
    with first.container(border=True, height="stretch"):
        spec = baseline.edit(spec, scope)
    with second.container(border=True, height="content" if has_geos else "stretch"):
        spec = _carryover(spec, scope)
    place = second if has_geos else third
    with place.container(border=True, height="stretch"):
        held_out = holdout.edit(spec.holdout, scope.market)
        spec = replace(spec, holdout=held_out)
    if has_geos:
        with third.container(border=True, height="stretch"):
            spec = _geos(spec, scope)
    with st.container(border=True):
        spec = replace(spec, events=events.edit(spec))
    if scope.is_analyst:
        names = prior_names(spec, scope.mapping, bool(scope.market.geos))
        with st.container(border=True):
            spec = edit_priors(spec, names)
    return spec


def _carryover(spec: ModelSpec, scope: Scope) -> ModelSpec:
    if scope.is_analyst:
        spec = _transformations(spec)
    else:
        st.markdown(say("**Media over the years**"))
    options = list(EFFECTIVENESS)
    usual = default_effectiveness(spec, scope.market.totals)
    effectiveness = gated.selectbox(
        say("Effectiveness over the years"),
        options,
        options.index(spec.effectiveness_of_all),
        format_func=words.said(EFFECTIVENESS),
        key=key("effectiveness"),
        help=say(
            "Whether a channel's effect may change over the years. Results then differ "
            "by year, and plans use the latest. Default: {effectiveness}.",
            effectiveness=say(EFFECTIVENESS[usual]),
        ),
    )
    return replace(spec, effectiveness=effectiveness)


def _transformations(spec: ModelSpec) -> ModelSpec:
    """How long media carry over, and which comes first."""
    st.markdown(say("**Carryover and saturation**"))
    layout.remark(
        "Media keep working after they ran, and each further contact adds less."
    )
    lag = gated.number_input(
        say("Longest carryover, periods"),
        0,
        104,
        min(spec.max_lag, 104),
        key=key("max_lag"),
        help=say("For channels without their own. Default: 8, or 56 for daily data."),
    )
    order = gated.selectbox(
        say("Order"),
        [False, True],
        int(spec.hill_before_adstock),
        format_func=lambda first: (
            say("saturate, then carry over")
            if first
            else say("carry over, then saturate")
        ),
        key=key("order"),
        help=say(
            "Whether a week's media or the carried-over sum saturates. Default: carry "
            "over, then saturate."
        ),
    )
    lag = spec.max_lag if lag == min(spec.max_lag, 104) else int(lag)
    return replace(spec, max_lag=lag, hill_before_adstock=bool(order))


def _geos(spec: ModelSpec, scope: Scope) -> ModelSpec:
    st.markdown(say("**Geos**"))
    layout.remark("Geos share what they have in common and keep what differs.")
    options = list(_EFFECTS)
    effects = gated.selectbox(
        say("Effect of a channel over geos"),
        options,
        options.index(spec.media_effects),
        format_func=words.said(_EFFECTS),
        key=key("effects"),
        help=say("log_normal or normal. Default: never below zero."),
    )
    geos = [None, *scope.market.geos]
    base = gated.selectbox(
        say("Geo that others are compared with"),
        geos,
        geos.index(spec.baseline_geo) if spec.baseline_geo in geos else 0,
        format_func=lambda geo: say("the largest") if geo is None else geo,
        key=key("baseline_geo"),
        help=say("Its geo effect is zero. Default: the largest."),
    )
    own = gated.toggle(
        say("Separate noise in each geo"),
        spec.unique_sigma_for_each_geo,
        key=key("sigma"),
        help=say(
            "One residual scale per geo instead of one for all. Default: one for all."
        ),
    )
    spec = replace(
        spec, media_effects=effects, baseline_geo=base, unique_sigma_for_each_geo=own
    )
    return _population(spec, scope)


def _population(spec: ModelSpec, scope: Scope) -> ModelSpec:
    """What grows with a geo's size is divided by its population."""
    treatments = [channel.name for channel in scope.mapping.of_kind("non_media")]
    for option, label, names in (
        (
            "controls",
            say("Controls divided by population"),
            list(scope.mapping.controls),
        ),
        ("non_media", say("Treatments divided by population"), treatments),
    ):
        if not names:
            continue
        field = f"population_scaled_{option}"
        chosen = gated.multiselect(
            label,
            names,
            [name for name in getattr(spec, field) if name in names],
            key=key(option),
            placeholder="none",
            help=say("For those that grow with a geo's size. Default: none."),
        )
        spec = replace(spec, **{field: tuple(chosen)})
    return spec
