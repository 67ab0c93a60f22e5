"""What a model assumes of returns before it has seen the data."""

from core.model.market import Market
from core.model.priors.distribution import estimate
from core.model.shares.of_channel import TREATMENT, prior_of
from core.model.shares.settled import settled
from core.model.spec import ModelSpec


def assumed_returns(spec: ModelSpec, about: Market) -> dict[str, tuple[float, float]]:
    """Both ends of the 90 % range of each channel's ROI, where its prior is on ROI.

    Args:
        spec: The options.
        about: The market.
    """
    spec = settled(spec, about.totals)
    assumed = {
        channel.name: estimate(prior_of(spec, channel, TREATMENT, about.totals))
        for channel in spec.channels
        if channel.effective_prior_kind == "roi"
    }
    return {name: (range_.lo, range_.hi) for name, range_ in assumed.items()}
