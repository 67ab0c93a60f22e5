"""The prior that the model takes for a parameter of a channel, and its default."""

from dataclasses import replace

from core.data.mapping import PAID
from core.model.prior import Prior
from core.model.spec import SUFFIX, ChannelSpec, ModelSpec
from core.model.total_contribution import roi_of_total_contribution
from pages.ui.market import Market

#: Stem of the parameter that a channel's treatment prior is about.
TREATMENT = "treatment"


def prior_of(spec: ModelSpec, channel: ChannelSpec, stem: str, about: Market) -> Prior:
    """The prior of a parameter of a channel: its own, else the default."""
    own = channel.prior if stem == TREATMENT else dict(channel.priors).get(stem)
    return own or default_of(spec, channel, stem, about)


def default_of(
    spec: ModelSpec, channel: ChannelSpec, stem: str, about: Market
) -> Prior:
    """The prior of a parameter of a channel that has none of its own.

    Without a value per KPI unit ROI priors are Meridian's total-contribution prior.
    """
    if stem != TREATMENT:
        return spec.parameter_prior(f"{stem}_{SUFFIX[channel.kind]}")
    name = channel.treatment_parameter
    is_roi = channel.effective_prior_kind == "roi"
    if is_roi and not about.units.is_money and name not in dict(spec.priors):
        paid = [one.name for one in spec.channels if one.kind in PAID]
        spend = [about.spend.get(name, 0.0) for name in paid]
        if sum(spend) > 0 and about.outcome > 0:
            return roi_of_total_contribution(spend, about.outcome)
    return spec.parameter_prior(name)


def with_prior(
    spec: ModelSpec, channel: ChannelSpec, stem: str, given: Prior | None, about: Market
) -> ChannelSpec:
    """The channel with another prior of a parameter; None for the default."""
    if given is not None and given == default_of(spec, channel, stem, about):
        given = given if given.written else None
    if stem == TREATMENT:
        return replace(channel, prior=given)
    own = {name: kept for name, kept in channel.priors if name != stem}
    if given is not None:
        own[stem] = given
    return replace(channel, priors=tuple(sorted(own.items())))
