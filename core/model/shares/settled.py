"""What the data settle of the options where nobody has said.

The kind of a paid channel's prior depends on units and totals (core/model/shares).
Whether effects change over the years depends on whether there are geos: a national
baseline is flexible enough that a change of effectiveness has to earn its place, but
the baselines of single geos drift in ways that the default model does not have, and a
saturated channel whose effect may change takes them up (docs/decisions.md).

The prior that the model takes for a parameter of a channel, and its default.
"""

from dataclasses import replace

from core.model.priors.distribution import estimate
from core.model.priors.prior import Prior
from core.model.shares.default import default_kind, kind_left_out, parameter_prior
from core.model.shares.totals import Totals
from core.model.spec import ChannelSpec, Effectiveness, ModelSpec

#: Stem of the parameter that a channel's treatment prior is about.
TREATMENT = "treatment"


def prior_of(spec: ModelSpec, channel: ChannelSpec, stem: str, about: Totals) -> Prior:
    """The prior of a parameter of a channel: its own, else the default."""
    own = channel.prior if stem == TREATMENT else dict(channel.priors).get(stem)
    return own or default_of(spec, channel, stem, about)


def default_of(
    spec: ModelSpec, channel: ChannelSpec, stem: str, about: Totals
) -> Prior:
    """The prior of a parameter of a channel that has none of its own."""
    if stem != TREATMENT:
        return spec.usual_prior(channel, stem)
    return parameter_prior(spec, replace(channel, prior=None), about)


def with_prior(
    spec: ModelSpec, channel: ChannelSpec, stem: str, prior: Prior | None, about: Totals
) -> ChannelSpec:
    """The channel with another prior of a parameter; None for the default."""
    if prior is not None and prior == default_of(spec, channel, stem, about):
        prior = None if prior.written is None else prior
    if stem == TREATMENT:
        return replace(channel, prior=prior)
    own = {name: current for name, current in channel.priors if name != stem}
    if prior is not None:
        own[stem] = prior
    return replace(channel, priors=tuple(sorted(own.items())))


def settled(spec: ModelSpec, about: Totals) -> ModelSpec:
    """The options with what was left open settled by the data.

    What somebody has said stays. A settled spec stays as it is.
    """
    channels = tuple(
        replace(channel, prior_kind=default_kind(spec, channel, about))
        if channel.prior_kind is None and channel.prior is None
        else channel
        for channel in spec.channels
    )
    effectiveness = spec.effectiveness or default_effectiveness(spec, about)
    if channels == spec.channels and effectiveness == spec.effectiveness:
        return spec
    return replace(spec, channels=channels, effectiveness=effectiveness)


def unsettled(spec: ModelSpec, about: Totals) -> ModelSpec:
    """The options as project.toml has them: what is the default is left out."""
    channels = tuple(
        replace(channel, prior_kind=None)
        if channel.prior_kind is not None
        and channel.prior_kind == kind_left_out(spec, channel, about)
        else channel
        for channel in spec.channels
    )
    is_usual = spec.effectiveness == default_effectiveness(spec, about)
    effectiveness = None if is_usual else spec.effectiveness
    if channels == spec.channels and effectiveness == spec.effectiveness:
        return spec
    return replace(spec, channels=channels, effectiveness=effectiveness)


def default_effectiveness(spec: ModelSpec, about: Totals) -> Effectiveness:
    """Whether effects change over the years where nobody has said.

    They may in a structural baseline of a national market.
    """
    return "drifting" if spec.is_structural and about.n_geos == 1 else "constant"


def assumed_returns(spec: ModelSpec, about: Totals) -> dict[str, tuple[float, float]]:
    """Both ends of the 90 % range of each channel's ROI, where its prior is on ROI."""
    spec = settled(spec, about)
    assumed = {
        channel.name: estimate(prior_of(spec, channel, TREATMENT, about))
        for channel in spec.channels
        if channel.effective_prior_kind == "roi"
    }
    return {name: (range_.lo, range_.hi) for name, range_ in assumed.items()}
