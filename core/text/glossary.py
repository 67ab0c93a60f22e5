"""Glossary: what each term means, once for tooltips and for the Help screen."""

from collections.abc import Mapping

from core.text.languages.language import marked, say

#: Terms in the order in which a reader meets them.
TERMS: Mapping[str, str] = {
    marked("Channel"): marked("A place where you advertise: TV, Search, Social."),
    marked("KPI"): marked(
        "What is counted and should grow: revenue, orders, sign-ups."
    ),
    marked("Incremental revenue"): marked(
        "Revenue that a channel caused: without it, it would not have come in."
    ),
    marked("Contribution"): marked(
        "What a channel added to the KPI in the periods shown, as an "
        "amount or as a share."
    ),
    marked("Baseline"): marked(
        "What the KPI would have been without any media: trend, season, events "
        "and controls."
    ),
    marked("ROI"): marked(
        "What a channel added to the KPI per unit of spend. At 1.50 each "
        "euro brought 1.50."
    ),
    marked("Marginal ROI"): marked(
        "What the next unit of spend would bring: less than the ROI where "
        "a channel is saturated. It decides where more money goes."
    ),
    marked("CPIK"): marked(
        "Cost per incremental unit of the KPI: spend over what it brought."
    ),
    marked("Effectiveness"): marked(
        "What one unit of media, such as an impression, added to the KPI."
    ),
    marked("90 % interval"): marked(
        "The range that holds the true value with a probability of 90 %, "
        "given the data, the model and its priors."
    ),
    marked("Carryover"): marked(
        "Media keep working after they ran: the share of the effect that is "
        "left a period later (adstock)."
    ),
    marked("Saturation"): marked(
        "Each further contact brings less than the one before (Hill curve)."
    ),
    marked("Half-saturation"): marked(
        "The media at which a channel has half of its largest effect."
    ),
    marked("Typical exposure"): marked(
        "The exposure at which a typical unit of money is spent: the "
        "mean of media after carryover, weighted by spend."
    ),
    marked("Slope"): marked(
        "How steeply saturation sets in. Above 1 the first contacts do little."
    ),
    marked("Prior"): marked(
        "What is assumed about a number before the data are looked at."
    ),
    marked("Posterior"): marked(
        "What is known about a number after the data: prior and data together."
    ),
    marked("Draw"): marked(
        "One plausible set of values for every number in the model. Thousands of "
        "them make up the posterior."
    ),
    marked("R-hat"): marked("How much the chains differ; below 1.01 they agree."),
    marked("Effective sample size"): marked(
        "How many independent draws the chains are worth; 400 are enough."
    ),
    marked("Divergences"): marked(
        "Places that the sampler could not follow; there should be none."
    ),
    marked("R²"): marked("Share of the variation that the model explains."),
    marked("MAPE"): marked("Mean size of the error, in percent of the actual value."),
    marked("wMAPE"): marked(
        "Mean size of the error, weighted by the actual value, in percent."
    ),
    marked("Predictive interval"): marked(
        "The range in which actual values should lie, noise "
        "included; wider than the interval of the expected value."
    ),
    marked("Held out"): marked(
        "Periods left out of the fit, to check its predictions on them."
    ),
    marked("Evidence"): marked(
        "How much of an ROI comes from the data, and how much from its prior; "
        "tested: a lift test of the channel is in the model."
    ),
    marked("Lift test"): marked(
        "An experiment that switches media on in some places and off in "
        "others, and measures the difference."
    ),
    marked("Backtest"): marked(
        "Forecasts made from part of the past, compared with what happened."
    ),
    marked("Plan"): marked(
        "A spend by channel, for a horizon and within limits, with its odds."
    ),
    marked("Horizon"): marked(
        "The periods that a plan is for; by default the year after the data."
    ),
    marked("Split"): marked("How a budget is divided between channels."),
    marked("Gain"): marked(
        "How much more a plan brings than last year's split of the same budget."
    ),
    marked("Goal"): marked("A result to reach; a forecast says how likely that is."),
}


def meaning(term: str) -> str:
    """What a term means.

    Raises:
        KeyError: It is not in the glossary.
    """
    return say(TERMS[term])
