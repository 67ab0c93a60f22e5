"""Priors of parameters that belong to no channel, as a card of options."""

from dataclasses import replace

import streamlit as st

from core.data.mapping import ColumnMapping
from core.model.spec import ModelSpec
from pages.ui import prior_text, state

#: Every such parameter, and what it is.
ABOUT = {
    "knot_values": "level of the baseline at each knot",
    "tau_g_excl_baseline": "difference of each geo from the baseline geo",
    "gamma_c": "effect of a control",
    "xi_c": "spread of a control's effect over geos",
    "gamma_n": "effect of a non-media treatment whose prior is on its coefficient",
    "xi_n": "spread of a non-media treatment's effect over geos",
    "xi_fourier": "size of the waves of the year",
    "sigma": "noise",
}
_PER_ROW = 4


def names(spec: ModelSpec, mapping: ColumnMapping, has_geos: bool) -> list[str]:
    """Those of the parameters that this model has."""
    non_media = [one for one in spec.channels if one.kind == "non_media"]
    has = {
        "tau_g_excl_baseline": has_geos,
        "gamma_c": bool(mapping.controls),
        "xi_c": bool(mapping.controls) and has_geos,
        "gamma_n": any(x.effective_prior_kind == "coefficient" for x in non_media),
        "xi_n": bool(non_media) and has_geos,
        "xi_fourier": spec.seasonality > 0,
    }
    return [name for name in ABOUT if has.get(name, True)]


def edit(spec: ModelSpec, shown: list[str]) -> ModelSpec:
    """Draw the priors; returns the options as edited.

    Raises:
        SpecError: A text is no prior.
    """
    st.markdown("**Priors of the whole model**")
    st.caption(
        "On the scaled KPI. Written like HalfNormal(5), 0.5 to 3, or mean 1.5, sd 0.8; "
        "blank is the default."
    )
    bare, own = replace(spec, priors=()), dict(spec.priors)
    for start in range(0, len(shown), _PER_ROW):
        row = shown[start : start + _PER_ROW]
        for column, name in zip(st.columns(_PER_ROW), row, strict=False):
            default = bare.parameter_prior(name)
            now = prior_text.shown(spec.parameter_prior(name))
            text = column.text_input(
                name,
                now,
                key=f"model.option.prior.{name}.{state.edition('options')}",
                help=f"Prior of the {ABOUT[name]}. "
                f"Default: {prior_text.shown(default)}.",
            )
            if text.strip() == now:
                continue
            own.pop(name, None)
            given = prior_text.parse(text, name) if text.strip() else default
            if given != default:
                own[name] = given
            if prior_text.shown(given) != text.strip():
                state.start_afresh("options")
    return replace(spec, priors=tuple(sorted(own.items())))
