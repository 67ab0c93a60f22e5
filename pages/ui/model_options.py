"""Model options that are not about one channel, in groups, each with its default."""

from dataclasses import dataclass, replace

import streamlit as st

from core.data.mapping import ColumnMapping
from core.model.prior import describe
from core.model.spec import ModelSpec
from pages.ui import prior_text, state
from pages.ui.market import Market

_EFFECTS = {"log_normal": "never below zero", "normal": "may differ in sign"}


@dataclass(frozen=True)
class Scope:
    """What the options are about.

    Attributes:
        market: Periods and geos.
        mapping: Controls and treatments.
        is_analyst: Whether families and parameters are shown.
        default_knots: Number of knots of a new project with this table.
    """

    market: Market
    mapping: ColumnMapping
    is_analyst: bool
    default_knots: int | None = None


def edit(spec: ModelSpec, scope: Scope) -> ModelSpec:
    """Draw the options; returns them as edited.

    Raises:
        SpecError: An entry is impossible.
    """
    first, second, third = st.columns(3, gap="medium")
    with first.container(border=True, height="stretch"):
        spec = _baseline(spec, scope)
    with second.container(border=True, height="stretch"):
        spec = _carryover(spec)
    with third.container(border=True, height="stretch"):
        if scope.market.geos:
            spec = _geos(spec, scope)
        else:
            _national()
    if scope.is_analyst:
        spec = _priors(spec, bool(scope.market.geos))
    return spec


def _key(name: str) -> str:
    return f"model.option.{name}.{state.edition('options')}"


def _baseline(spec: ModelSpec, scope: Scope) -> ModelSpec:
    st.markdown("**Baseline over time**")
    st.caption("The outcome without any media moves freely between its knots.")
    limit = max(scope.market.n_times, 1)
    if isinstance(spec.knots, tuple):
        st.text_input(
            "Knots at periods",
            ", ".join(map(str, spec.knots)),
            disabled=True,
            key=_key("positions"),
            help="Set in project.toml.",
        )
    elif st.toggle(
        "Choose knots from the data",
        spec.knots == "auto",
        key=_key("auto_knots"),
        help="Knots are put where the outcome moves. Default: off, evenly spaced.",
    ):
        spec = replace(spec, knots="auto")
    else:
        shown = spec.knots or (limit if scope.market.geos else 1)
        if shown == "auto":
            shown = scope.default_knots or limit
            spec = replace(spec, knots=shown)
        knots = st.number_input(
            "Number of knots",
            1,
            limit,
            min(shown, limit),
            key=_key("knots"),
            help="More knots follow the seasons more closely and leave less for media. "
            "Default: about one every six weeks.",
        )
        if knots != shown:
            spec = replace(spec, knots=int(knots))
    spec = _season(spec)
    scaled = [c for c in spec.population_scaled_controls if c in scope.mapping.controls]
    if scope.market.geos and scope.mapping.controls:
        controls = st.multiselect(
            "Controls divided by population",
            list(scope.mapping.controls),
            scaled,
            key=_key("controls"),
            help="For controls that grow with a geo's size. Default: none.",
        )
        spec = replace(spec, population_scaled_controls=tuple(controls))
    return spec


def _season(spec: ModelSpec) -> ModelSpec:
    pairs = st.number_input(
        "Waves of the year",
        0,
        26,
        min(spec.seasonality, 26),
        key=_key("seasonality"),
        help="Pairs of sine and cosine that repeat every year, beside the knots: 2 to "
        "4 with few knots. Default: 0, none.",
    )
    return replace(spec, seasonality=int(pairs))


def _carryover(spec: ModelSpec) -> ModelSpec:
    st.markdown("**Carryover and saturation**")
    st.caption("Media works on after it ran, and each further contact adds less.")
    lag = st.number_input(
        "Longest carryover, periods",
        0,
        52,
        spec.max_lag,
        key=_key("max_lag"),
        help="For channels without their own. Default: 8.",
    )
    order = st.selectbox(
        "Order",
        [False, True],
        int(spec.hill_before_adstock),
        format_func=lambda first: (
            "saturate, then carry over" if first else "carry over, then saturate"
        ),
        key=_key("order"),
        help="Whether a week's media or the carried-over sum saturates. Default: carry "
        "over, then saturate.",
    )
    return replace(spec, max_lag=int(lag), hill_before_adstock=bool(order))


def _national() -> None:
    st.markdown("**Geos**")
    st.caption(
        "This market is national. Data by region or city would tell the channels "
        "apart better; its options would stand here."
    )


def _geos(spec: ModelSpec, scope: Scope) -> ModelSpec:
    st.markdown("**Geos**")
    st.caption("Geos share what they have in common and keep what differs.")
    options = list(_EFFECTS)
    effects = st.selectbox(
        "Effect of a channel over geos",
        options,
        options.index(spec.media_effects),
        format_func=_EFFECTS.get,
        key=_key("effects"),
        help="log_normal or normal. Default: never below zero.",
    )
    geos = [None, *scope.market.geos]
    base = st.selectbox(
        "Geo that others are compared with",
        geos,
        geos.index(spec.baseline_geo) if spec.baseline_geo in geos else 0,
        format_func=lambda geo: "the largest" if geo is None else geo,
        key=_key("baseline_geo"),
        help="Its geo effect is zero. Default: the largest.",
    )
    own = st.toggle(
        "Noise of its own in each geo",
        spec.unique_sigma_for_each_geo,
        key=_key("sigma"),
        help="One residual scale per geo instead of one for all. Default: one for all.",
    )
    return replace(
        spec, media_effects=effects, baseline_geo=base, unique_sigma_for_each_geo=own
    )


_ABOUT = {
    "knot_values": "level at each knot",
    "tau_g_excl_baseline": "geo effects",
    "gamma_c": "controls",
    "xi_c": "spread of controls over geos",
    "sigma": "noise",
}


def _priors(spec: ModelSpec, has_geos: bool) -> ModelSpec:
    """Priors of parameters that belong to no channel, as family and parameters."""
    names = [n for n in _ABOUT if has_geos or n not in ("tau_g_excl_baseline", "xi_c")]
    own = dict(spec.priors)
    bare = replace(spec, priors=())
    for column, name in zip(st.columns(len(names)), names, strict=True):
        default = describe(bare.parameter_prior(name))
        text = column.text_input(
            f"{name}",
            describe(spec.parameter_prior(name)),
            key=_key(f"prior.{name}"),
            help=f"Prior of the {_ABOUT[name]}, on the scaled KPI. Default: {default}.",
        )
        if text.strip() == describe(spec.parameter_prior(name)):
            continue
        given = prior_text.parse(text or default, name)
        own.pop(name, None)
        if given != bare.parameter_prior(name):
            own[name] = given
    return replace(spec, priors=tuple(sorted(own.items())))
