"""Belief: whether a fit deserves it, which takes more than chains that agree.

A fit is trustworthy where its sampling converged and where model, priors and data do
not contradict each other. Sampling is judged in `core.fit.diagnostics`; here the rest
is, and both become the one verdict that files, screens and reports show.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import ndtri

from core.analysis.draws import flat_draws
from core.analysis.following import FOLLOWS, probabilities
from core.analysis.learning.drift_or_saturation import drift_or_saturation
from core.analysis.learning.experiments import TENSION
from core.analysis.learning.media_left import Left
from core.analysis.learning.no_effect import assumed, extrapolated
from core.analysis.learning.prior_predictive import movement_missed
from core.analysis.learning.priors import treatment_draws, treatment_priors
from core.analysis.record.sections import Diagnostics, LiftTestResult
from core.analysis.sensitivity.timing import timing
from core.data.demand.paid_by_sale import paid_by_sale
from core.data.mapping import PAID
from core.dims import INTERVAL
from core.estimate import Estimate
from core.fit.diagnostics import Verdict
from core.model.build import Model
from core.model.priors.distribution import estimate, mode, probability_below
from core.model.priors.prior import Prior
from core.model.shares.contradiction import contradictions
from core.model.shares.totals import totals
from core.model.terms.effectiveness import waves
from core.text.languages.language import marked, say
from core.text.languages.locale import date
from core.text.numbers import estimate as written
from core.text.numbers import probability

#: Mass of a prior beyond the posterior's middle at which the two contradict each
#: other: outside the prior's 90 % range.
_TAIL = (1 - INTERVAL) / 2
#: Middles of equally likely parts of a distribution, and days of a year.
_MIDDLES, _YEAR = (np.arange(20) + 0.5) / 20, 365
#: Draws whose mean the checks of timing take.
_DRAWS = 500
_NAMES = {
    "roi": marked("ROI"),
    "mroi": marked("marginal ROI"),
    "contribution": marked("share of the outcome"),
    "coefficient": "coefficient",
}


def judged(
    sampled: Verdict,
    model: Model,
    posterior: xr.Dataset,
    summary: Mapping[str, Any],
    residuals: Mapping[str, Left],
    *,
    kpi: str,
    seed: int,
    tests: Sequence[LiftTestResult] = (),
) -> Diagnostics:
    """The verdict on a fit: on its sampling, and on model, priors and data together.

    Args:
        sampled: The verdict on the sampling.
        model: The model.
        posterior: All draws; dims chain, draw, ...
        summary: Of the fit, with each paid channel's `evidence`, and with sentences on
            spend that is in the data and in no channel in `unused_spend`, and the ROI
            of channels in the year after the data in `roi_ahead`.
        residuals: What the residuals still have of each channel (`media_left`).
        kpi: Name of the KPI.
        seed: Of the draws from the priors.
        tests: What each lift test did (`core.analysis.learning.experiments`).

    Returns:
        `sampled` with the joint `verdict` and `reasons`; `converged` says whether the
        sampling alone would be trusted, `contradictions` holds the other reasons;
        `notes` are sentences that belong beside the verdict and do not change it.
    """
    # One fault is said once: what sales pay for goes beyond its prior by that, and a
    # return beyond its prior over the data is so in the year ahead, too.
    of_sales = dict(_of_sales(model, kpi))
    of_priors = dict(_of_priors(model, posterior))
    beyond = {name: of_priors[name] for name in of_priors if name not in of_sales}
    ahead = summary.get("roi_ahead", {})
    ahead = {
        name: roi
        for name, roi in ahead.items()
        if name not in of_priors and name not in of_sales
    }
    against = [
        *_of_shares(model, kpi),
        *beyond.values(),
        *of_year_ahead(model, posterior, ahead),
        *of_sales.values(),
        *_of_residuals(residuals),
        *movement_missed(model, seed),
        *_of_tests(tests),
        *summary.get("unused_spend", ()),
    ]
    status: str = sampled.status
    some = flat_draws(posterior, _DRAWS)
    if against and status == "trustworthy":
        status = "doubtful"
    notes = (
        _of_the_unseen(summary),
        _of_no_effect(summary),
        *timing(model, some),
        drift_or_saturation(model, some),
    )
    return Diagnostics(
        **sampled.as_dict()
        | {"verdict": status, "reasons": (*sampled.reasons, *against)},
        converged=sampled.status == "trustworthy",
        contradictions=tuple(against),
        notes=tuple(note for note in notes if note),
    )


def _of_the_unseen(summary: Mapping[str, Any]) -> str:
    """Whose return lies mostly where no spend was seen."""
    shares = {
        row["name"]: row["evidence"]["below_least"].mean
        for row in summary["channels"]
        if (row.get("evidence") or {}).get("below_least")
    }
    return extrapolated({name: own for name, own in shares.items() if own is not None})


def _of_no_effect(summary: Mapping[str, Any]) -> str:
    """Whose effect only the prior vouches for."""
    rows = {row["name"]: row["evidence"] or {} for row in summary["channels"]}
    return assumed({name: own.get("no_effect") for name, own in rows.items()})


def _of_shares(model: Model, kpi: str) -> Iterator[str]:
    """Priors that leave paid media next to nothing, or more than there is."""
    for finding in contradictions(model.spec, totals(model.data), kpi):
        if finding.severity == "error":
            yield f"{finding.message} {finding.hint}"


def _of_priors(model: Model, posterior: xr.Dataset) -> Iterator[tuple[str, str]]:
    """Channels whose posterior lies in the tail of its prior, and what to say of it."""
    flat = flat_draws(posterior)
    priors, draws = treatment_priors(model), treatment_draws(model, flat)
    follows = probabilities(model, flat)
    for kind in PAID:
        for name in model.channels(kind):
            tail, is_high = tail_mass(priors[name], float(np.median(draws[name])))
            if tail < _TAIL:
                about = _NAMES[model.spec.channel(name).effective_prior_kind]
                mean = float(np.mean(draws[name]))  # as every table has it
                chance = follows.get(name, 0.0) if is_high else 0.0
                words = _tail_words(name, about, priors[name], mean, is_high, chance)
                yield name, words


def _of_sales(model: Model, kpi: str) -> Iterator[tuple[str, str]]:
    """Channels that sales pay for where nobody has said what they bring, and words."""
    tested = {name for test in model.spec.experiments for name in test.channels}
    for name in paid_by_sale(model.data):
        if name in tested or model.spec.channel(name).prior is not None:
            continue
        words = say(
            "What is spent on {name} is a nearly fixed share of {kpi}, as a fee paid "
            "by sale is: the data cannot tell what {name} brings from what pays for "
            "it. Leave its column out of the file if it is a cost of sales, or run a "
            "lift test.",
            name=name,
            kpi=kpi,
        )
        yield name, words


def of_year_ahead(
    model: Model, posterior: xr.Dataset, ahead: Mapping[str, Estimate]
) -> Iterator[str]:
    """Channels that change, by the draws, until what plans expect is beyond the prior.

    A prior is about the return over the data. A channel whose spend goes with sales may
    take their growth for its own and carry it on, and plans build on that. So its
    return in the year after the data is held against the prior, carried on by as large
    a change of effectiveness as the draws have.

    Args:
        model: The model.
        posterior: All draws; dims chain, draw, ...
        ahead: ROI of paid channels in that year, by name.
    """
    if "xi_drift" not in posterior:
        return
    priors, times = treatment_priors(model), model.data.times
    after = times[-1] + np.arange(1, _YEAR + 1).astype("timedelta64[D]")
    size = np.linalg.norm(waves(after, times).mean(axis=0))
    scale = np.quantile(posterior["xi_drift"], _MIDDLES)
    change = size * np.outer(scale, ndtri(_MIDDLES)).ravel()
    share = {
        name: by
        for group in model.structure.groups
        if group.drifts
        for name, by in zip(
            model.channels(group.kind),
            np.asarray(model.arrays.groups[group.suffix].change),
            strict=True,
        )
    }
    for name, roi in ahead.items():
        if name not in priors:  # it works by way of a mediator alone
            continue
        channel = model.spec.channel(name)
        is_about_roi = channel.effective_prior_kind == "roi"
        if not is_about_roi or not model.spec.drifts(channel):
            continue
        prior = priors[name]
        own = np.exp(change * share[name])
        above = 1.0 - float(np.mean(probability_below(prior, roi.median / own)))
        if prior.family == "Deterministic" or above >= _TAIL:
            continue
        statistics = estimate(prior)
        yield say(
            "The fit expects an ROI of {value} from {name} in the year after the data, "
            "above what its prior considers likely ({low} to {high}): growth of sales "
            "can look like a channel that works better from year to year. Run a lift "
            "test of {name}, or keep its effect the same in all years: "
            'effectiveness = "constant" in its table in project.toml.',
            name=name,
            value=_number(roi.mean),
            low=_number(statistics.lo),
            high=_number(statistics.hi),
        )


def tail_mass(prior: Prior, value: float) -> tuple[float, bool]:
    """Mass of a prior further out than a value, and whether that is above it.

    There is no tail below where a prior is highest at the least possible value. One
    where the prior is a single number.
    """
    if prior.family == "Deterministic":
        return 1.0, True
    below = float(probability_below(prior, value))
    if below >= 0.5:
        return 1.0 - below, True
    if mode(prior) <= prior.support[0]:
        return 1.0, False
    return below, False


def _tail_words(
    name: str, about: str, prior: Prior, mean: float, is_high: bool, follows: float
) -> str:
    statistics = estimate(prior)
    by = 100.0 if about == _NAMES["contribution"] else 1.0
    unit = "\u00a0%" if by > 1 else ""
    low, high, value = (_number(by * x) for x in (statistics.lo, statistics.hi, mean))
    places = {
        "about": say(about),
        "name": name,
        "value": f"{value}{unit}",
        "low": low,
        "high": f"{high}{unit}",
    }
    if follows >= FOLLOWS:
        # A wider prior would let in more of what is bought anyway.
        return say(
            "The data put the {about} of {name} at {value}, above what its prior "
            "considers likely ({low} to {high}), and its spend probably follows demand "
            "({chance}): sales that come anyway can look like its effect. Run a lift "
            "test of {name}, and check the unit of its spend.",
            chance=probability(follows),
            **places,
        )
    if is_high:
        return say(
            "The data put the {about} of {name} at {value}, above what its prior "
            "considers likely ({low} to {high}). Check the unit of the spend of "
            "{name}, widen the prior if it was not well founded, or run a lift test.",
            **places,
        )
    return say(
        "The data put the {about} of {name} at {value}, below what its prior considers "
        "likely ({low} to {high}). Check the unit of the spend of {name}, widen the "
        "prior if it was not well founded, or run a lift test.",
        **places,
    )


def _of_residuals(residuals: Mapping[str, Left]) -> Iterator[str]:
    """Channels whose effect the priors hold back, so that it stays in the residuals."""
    names = [name for name, residual in residuals.items() if residual.is_held_back]
    for name in names[:3]:
        correlation = residuals[name].correlation
        places = {"name": name, "correlation": f"{correlation:.2f}"}
        if correlation > 0:
            yield say(
                "What the model leaves unexplained moves with {name} (correlation "
                "{correlation}): it does more than its prior or its shape allows. "
                "Check the unit of the spend of {name} and its prior on the Model "
                "screen, or "
                'put the prior on its share: kind = "contribution".',
                **places,
            )
        else:
            yield say(
                "What the model leaves unexplained moves with {name} (correlation "
                "{correlation}): it does less than its prior or its shape allows. "
                "Check the unit of the spend of {name} and its prior on the Model "
                "screen, or "
                'put the prior on its share: kind = "contribution".',
                **places,
            )


def _of_tests(tests: Sequence[LiftTestResult]) -> Iterator[str]:
    """Lift tests that the model cannot follow."""
    for test in tests:
        if test.agrees:
            continue
        channels = say(" and ").join(test.channels)
        apart = abs(test.standard_errors_apart_without or 0.0)
        is_alone = apart > max(TENSION, abs(test.standard_errors_apart))
        alone = test.without if is_alone else None
        places = {
            "channels": channels,
            "start": date(test.start),
            "end": date(test.end),
            "test": written(test.test, "number"),
            "model": written(alone or test.posterior, "number"),
        }
        if alone:
            yield say(
                "The lift test of {channels} ({start} to {end}) and the model "
                "disagree: the test found {test}, and the model without it says "
                "{model}. Check dates, geos and amounts of the test on the "
                "Experiments screen, then the prior and the carryover of its channel.",
                **places,
            )
        else:
            yield say(
                "The lift test of {channels} ({start} to {end}) and the model "
                "disagree: the test found {test}, and the model says {model}. "
                "Check dates, geos and amounts of the test on the Experiments "
                "screen, then the prior and the carryover of its channel.",
                **places,
            )


def _number(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
