"""What the data settle of the options where nobody has said.

The kind of a paid channel's prior depends on units and totals (core/model/shares).
Whether effects change over the years depends on whether there are geos: a national
baseline is flexible enough that a change of effectiveness has to earn its place, but
the baselines of single geos drift in ways that the default model does not have, and a
saturated channel whose effect may change takes them up (docs/decisions.md).
"""

from dataclasses import replace

from core.model.priors.distribution import estimate
from core.model.shares.default import default_kind, kind_left_out
from core.model.shares.of_channel import TREATMENT, prior_of
from core.model.shares.totals import Totals
from core.model.spec import Effectiveness, ModelSpec


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
