"""Model options that are not about one channel, in groups, each with its default."""

from dataclasses import replace

import streamlit as st

from core.service.records.model import ModelSpec, default_effectiveness
from core.text.languages.language import marked, say
from pages.model import baseline, holdout, priors
from pages.model.scope import Scope, key
from pages.ui import layout, words
from pages.ui.fields import gated

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
    if scope.is_analyst:
        names = priors.names(spec, scope.mapping, bool(scope.market.geos))
        with st.container(border=True):
            spec = priors.edit(spec, names)
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
