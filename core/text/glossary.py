"""Glossary: what each term means, once for tooltips and for the Help screen."""

from collections.abc import Mapping

#: Terms in the order in which a reader meets them.
TERMS: Mapping[str, str] = {
    "Channel": "A place where you advertise: TV, Search, Social.",
    "KPI": "What is counted and should grow: revenue, orders, sign-ups.",
    "Incremental revenue": "Revenue that a channel caused: without it, it would not "
    "have come in.",
    "Contribution": "What a channel added to the KPI in the periods shown, as an "
    "amount or as a share.",
    "Baseline": "What the KPI would have been without any media: trend, season, events "
    "and controls.",
    "ROI": "What a channel added to the KPI per unit of spend. At 1.50 each "
    "euro brought 1.50.",
    "Marginal ROI": "What the next unit of spend would bring: less than the ROI where "
    "a channel is saturated. It decides where more money goes.",
    "CPIK": "Cost per incremental unit of the KPI: spend over what it brought.",
    "Effectiveness": "What one unit of media, such as an impression, added to the KPI.",
    "90 % interval": "The range that holds the true value with a probability of 90 %, "
    "given the data, the model and its priors.",
    "Carryover": "Media keep working after they ran: the share of the effect that is "
    "left a period later (adstock).",
    "Saturation": "Each further contact brings less than the one before (Hill curve).",
    "Half-saturation": "The media at which a channel has half of its largest effect.",
    "Typical exposure": "The exposure at which a typical unit of money is spent: the "
    "mean of media after carryover, weighted by spend.",
    "Slope": "How steeply saturation sets in. Above 1 the first contacts do little.",
    "Prior": "What is assumed about a number before the data are looked at.",
    "Posterior": "What is known about a number after the data: prior and data "
    "together.",
    "Draw": "One plausible set of values for every number in the model. Thousands of "
    "them make up the posterior.",
    "R-hat": "How much the chains differ; below 1.01 they agree.",
    "Effective sample size": "How many independent draws the chains are worth; 400 are "
    "enough.",
    "Divergences": "Places that the sampler could not follow; there should be none.",
    "R²": "Share of the variation that the model explains.",
    "MAPE": "Mean size of the error, in percent of the actual value.",
    "wMAPE": "Mean size of the error, weighted by the actual value, in percent.",
    "Predictive interval": "The range in which actual values should lie, noise "
    "included; wider than the interval of the expected value.",
    "Held out": "Periods left out of the fit, to check its predictions on them.",
    "Evidence": "How much of an ROI comes from the data, and how much from its prior; "
    "tested: a lift test of the channel is in the model.",
    "Lift test": "An experiment that switches media on in some places and off in "
    "others, and measures the difference.",
    "Backtest": "Forecasts made from part of the past, compared with what happened.",
    "Plan": "A spend by channel, for a horizon and within limits, with its odds.",
    "Horizon": "The periods that a plan is for; by default the year after the data.",
    "Split": "How a budget is divided between channels.",
    "Gain": "How much more a plan brings than last year's split of the same budget.",
    "Goal": "A result to reach; a forecast says how likely that is.",
}


def meaning(term: str) -> str:
    """What a term means.

    Raises:
        KeyError: It is not in the glossary.
    """
    return TERMS[term]
