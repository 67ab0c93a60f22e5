"""The prior that the model takes for a parameter of a channel, and its default."""

from dataclasses import replace

from core.model.priors.prior import Prior
from core.model.shares.default import parameter_prior
from core.model.shares.totals import Totals
from core.model.spec import SUFFIX, ChannelSpec, ModelSpec

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
        return spec.parameter_prior(f"{stem}_{SUFFIX[channel.kind]}")
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
