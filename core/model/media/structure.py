"""Structure and arrays: what is compiled, and what a compiled function is given.

`Structure` is static and hashable: shapes and options, no names and no numbers.
`ModelArrays` holds everything that may change without compiling anew: data, prior
numbers, windows, denominators.
"""

from dataclasses import dataclass
from typing import NamedTuple

import jax

from core.data.mapping import ChannelKind
from core.model.latents import Latent
from core.model.spec import Adstock, MediaEffects, Saturation
from core.model.terms.linear_terms import LinearTerm, TermStructure


@dataclass(frozen=True)
class GroupStructure:
    """Channels of one kind that carry over: media, reach, organic.

    Attributes:
        kind: Their kind.
        suffix: Of their parameters: m, rf, om, orf.
        n_channels: How many.
        n_lags: Longest window of any of them, in periods.
        adstock: Kind of carryover, per channel.
        saturation: Kind of saturation, per channel.
        slope_is_one: Whether every slope is fixed at one.
        saturates_first: Whether saturation comes before carryover.
        treatment: Sampled treatment parameter and the channels it is about.
        coefficient: Per channel, whether that parameter is the effect itself.
        has_counterfactual: Whether a treatment prior is about a change of media
            other than switching the channel off (calibration window, marginal ROI).
        spreads: Whether effects differ between geos.
        drifts: Per channel, whether its effect may change over the years; empty where
            none does.
    """

    kind: ChannelKind
    suffix: str
    n_channels: int
    n_lags: int
    adstock: tuple[Adstock, ...]
    saturation: tuple[Saturation, ...]
    slope_is_one: bool
    saturates_first: bool
    treatment: tuple[tuple[str, tuple[int, ...]], ...]
    coefficient: tuple[bool, ...]
    has_counterfactual: bool
    spreads: bool
    drifts: tuple[bool, ...] = ()

    @property
    def by_reach(self) -> bool:
        """Whether frequency saturates and reach carries over."""
        return self.kind in ("reach_frequency", "organic_reach_frequency")


@dataclass(frozen=True)
class NonMediaStructure:
    """Non-media treatments: price, promotion.

    Attributes:
        n_channels: How many.
        treatment: Sampled parameter and the treatments it is about.
    """

    n_channels: int
    treatment: tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(frozen=True)
class MediatorStructure:
    """An organic channel that is the KPI of another model: a step on the way.

    Attributes:
        group: Its group.
        place: Its place in that group.
        structure: Of the model whose KPI it is.
        ours: Places of the channels that both models have, among those here that carry
            over.
        theirs: Their places in the other model.
    """

    group: GroupStructure
    place: int
    structure: "Structure"
    ours: tuple[int, ...]
    theirs: tuple[int, ...]

    @property
    def suffix(self) -> str:
        """Of its group's parameters."""
        return self.group.suffix


@dataclass(frozen=True)
class Structure:
    """Everything that decides what is compiled.

    Attributes:
        n_geos: Number of geos.
        n_times: Number of KPI periods.
        latents: The random variables, in a fixed order.
        groups: Channels that carry over, by kind.
        non_media: Non-media treatments, if any.
        media_effects: Distribution of effects over geos.
        unique_sigma: Whether each geo has its own residual scale.
        n_controls: Number of controls.
        lifts: Group suffix and place of every channel of each lift test.
        terms: Linear terms of the baseline, in order.
        mediators: Organic channels that paid ones move; none while a model is fitted.
        tested: The same of a model that is fitted to lift tests of channels that work
            through them; see `core.model.media.lift.ByWay`.
    """

    n_geos: int
    n_times: int
    latents: tuple[Latent, ...]
    groups: tuple[GroupStructure, ...]
    non_media: NonMediaStructure | None
    media_effects: MediaEffects
    unique_sigma: bool
    n_controls: int
    lifts: tuple[tuple[tuple[str, int], ...], ...] = ()
    terms: tuple[TermStructure, ...] = ()
    mediators: tuple[MediatorStructure, ...] = ()
    tested: tuple[MediatorStructure, ...] = ()

    @property
    def shared_terms(self) -> tuple[TermStructure, ...]:
        """The terms that all geos share."""
        return tuple(term for term in self.terms if not (term.by_geo or term.by_cell))

    @property
    def geo_terms(self) -> tuple[TermStructure, ...]:
        """The terms of which every geo has its own coefficients."""
        return tuple(term for term in self.terms if term.by_geo)

    @property
    def cell_terms(self) -> tuple[TermStructure, ...]:
        """The terms whose design differs between geos, with coefficients for all."""
        return tuple(term for term in self.terms if term.by_cell)

    @property
    def has_memory(self) -> bool:
        """Whether noise goes on from one period to the next."""
        return any(latent.name == "rho" for latent in self.latents)

    def latent(self, name: str) -> Latent:
        """The latent of that name."""
        return next(latent for latent in self.latents if latent.name == name)

    def is_integrated(self, name: str) -> bool:
        """Whether a latent is integrated out."""
        return any(
            latent.name == name and latent.role == "integrated"
            for latent in self.latents
        )


class MediaArrays(NamedTuple):
    """Scaled media of one group, channel first.

    Attributes:
        lags: Media at each lag, channel lag geo time; None where something comes
            before carryover.
        units: Media or reach, channel geo media_time; None where `lags` is given.
        frequency: Average frequency, channel geo media_time; reach groups only.
    """

    lags: jax.Array | None
    units: jax.Array | None
    frequency: jax.Array | None


class GroupArrays(NamedTuple):
    """Numbers of one group.

    Attributes:
        media: As it happened.
        counterfactual: What the treatment prior compares it with; None where that
            is no media at all for every channel.
        window: Periods that an exposure works, channel.
        typical: Scaled media (or frequency) that half-saturation is a multiple of
            (`media.typical`), channel.
        denominator: What the treatment parameter is multiplied by to give an
            incremental outcome: spend, 1 % of spend, total outcome; channel.
        drift: Waves of the effectiveness over time (`terms.effectiveness`), time
            wave; None where no channel's changes.
        change: How much each channel's effect changes over a year, as a multiple of
            xi, channel; None where none does.
    """

    media: MediaArrays
    counterfactual: MediaArrays | None
    window: jax.Array
    typical: jax.Array
    denominator: jax.Array
    drift: jax.Array | None = None
    change: jax.Array | None = None


class NonMediaArrays(NamedTuple):
    """Numbers of the non-media treatments, channel first.

    Attributes:
        scaled: Centred and scaled values, channel geo time.
        baseline: The value that counts as none, on the same scale, channel.
        denominator: Total outcome (contribution) or one (coefficient), channel.
    """

    scaled: jax.Array
    baseline: jax.Array
    denominator: jax.Array


class BaselineArrays(NamedTuple):
    """Numbers of the baseline.

    Attributes:
        knot_weights: knot time.
        controls: Centred and scaled controls, geo time control.
        tau_is_free: One where a geo has its own `tau_g`, zero at the baseline geo.
        tau_index: Place of each geo in `tau_g_excl_baseline`; geo, int.
        terms: Numbers of the linear terms, by name.
    """

    knot_weights: jax.Array
    controls: jax.Array
    tau_is_free: jax.Array
    tau_index: jax.Array
    terms: dict[str, LinearTerm]


class ModelArrays(NamedTuple):
    """Everything a compiled function of the model is given.

    Attributes:
        kpi: Scaled KPI, geo time.
        is_seen: One where the likelihood sees a cell, zero where it is held out.
        outcome_scale: Outcome per unit of scaled KPI, geo time.
        groups: By suffix.
        non_media: Or None.
        baseline: Knots, controls, geo effects.
        block: The linear block's designs and Gram matrices.
        priors: Numbers of each latent's prior, by name.
        errors: Of latents that have a spread, by name; see `constrain`.
        lifts: Numbers of each lift test (`core.model.media.lift.LiftArrays`).
        mediators: Numbers of the model of each mediator, whose outcome is the scaled
            media of this one.
    """

    kpi: jax.Array
    is_seen: jax.Array
    outcome_scale: jax.Array
    groups: dict[str, GroupArrays]
    non_media: NonMediaArrays | None
    baseline: BaselineArrays
    block: NamedTuple
    priors: dict[str, jax.Array]
    errors: dict[str, jax.Array]
    lifts: tuple[NamedTuple, ...] = ()
    mediators: tuple["ModelArrays", ...] = ()
