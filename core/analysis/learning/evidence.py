r"""Evidence: how much of each paid channel's return is data, and how much prior.

- Contraction, $1 - \mathrm{var}_{post}/\mathrm{var}_{prior}$ of the treatment
  parameter, on the log scale where it is positive: 0, nothing was learned; 1, all.
- Power-scaling sensitivity to the channel's own priors and to the likelihood: how far
  the posterior moves when either counts for a little more or less, from the draws by
  importance weights, without refitting (`sensitivity.power_scaling`).
- How much of it lies below the least spend seen (`below_least`).
- How far a hidden cause as strong as the season, or a control, would move it.
- Whether the data fit as well if it did nothing (`no_effect`).
- What the data lack, in a sentence, and what would help.

Confounding: what a hidden cause as strong as one that is known would do to an ROI.

Cinelli and Hazlett (2020): for a column D of the media and a hidden cause Z,

$$|\mathrm{bias}| = \mathrm{se}\,\sqrt{\mathrm{df}}\,
\sqrt{\frac{R^2_{Y\sim Z|D,X}\,R^2_{D\sim Z|X}}{1 - R^2_{D\sim Z|X}}}$$

with both partial $R^2$ as large as those of a known cause: the season, a control, or a
treatment such as price. All by least squares (`least_squares`): a tight prior would
make an effect look robust that the data do not hold.

Power scaling: how far draws move where a part of their density counts for more.

The draws get the weights $p^{\alpha - 1}$ of the part $p$, prior or likelihood, with
their tail smoothed; the distance moved is that between the distributions with and
without weights (cumulative Jensen-Shannon), per doubling of the part (Kallioinen et al.
2024). As `psense` of arviz-stats, which imports half of SciPy for it.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from jaxtyping import Float

from core.analysis.draws import flat_draws
from core.analysis.learning.cells import of_cells
from core.analysis.learning.no_effect import below_least, no_effect
from core.analysis.learning.priors import treatment_draws, treatment_priors
from core.analysis.learning.shortage import shortage
from core.analysis.record.fit_record import AS_WELL
from core.analysis.sensitivity.least_squares import SEASON, Regression, regression
from core.data.mapping import PAID
from core.dims import CHAIN, DRAW
from core.estimate import estimate
from core.fit.convergence import effective_sizes, number, split
from core.fit.importance import pareto_smoothed
from core.model.build import Model
from core.model.model_latents import transformation_prior, transformation_stems
from core.model.priors.distribution import log_density, quantile
from core.model.priors.prior import Prior
from core.text.languages.language import say
from core.text.numbers import ratio
from core.text.numbers import share as percent

#: Powers that a part of the density is raised to.
ALPHAS = (0.99, 1.01)
#: Tails of the log density by whose effective size that of the weights is chosen.
_TAILS = (0.05, 0.95)
#: Fewest draws of a tail.
_FEWEST = 5


def sensitivity(
    values: Float[np.ndarray, "chain draw"],
    log_density: Float[np.ndarray, "chain draw"],
) -> float:
    """Power-scaling sensitivity of a quantity to one part of the density.

    Args:
        values: The quantity.
        log_density: Log prior or log likelihood of the same draws.

    Returns:
        Distance moved per doubling of the part; above 0.05 is worth a word. NaN
        where draws are too few or do not vary.
    """
    if values.shape[1] < 4 or min(np.ptp(values), np.ptp(log_density)) < 1e-9:
        return float("nan")
    part, n_tail = log_density.reshape(-1), _tail(log_density)
    order = np.argsort(values, axis=None)
    widths = np.diff(values.reshape(-1)[order])
    moved = 0.0
    with np.errstate(all="ignore"):  # draws far from the density have no weights
        for alpha in ALPHAS:
            log_weight = pareto_smoothed((alpha - 1) * part[None], n_tail)[0][0]
            weight = np.exp(log_weight - log_weight.max())[order]
            both_ways = (weight, widths), (weight[::-1], widths[::-1])
            distance = np.max([_distance(*way) for way in both_ways])
            moved += distance / abs(math.log2(alpha))
    return float(moved / len(ALPHAS))


def _tail(log_density: np.ndarray) -> int:
    """Draws of the tail that is smoothed: more where draws depend on each other."""
    chain, n = log_density.reshape(1, 1, -1), log_density.size
    limits = np.quantile(log_density, _TAILS)
    sizes = [effective_sizes(split((chain <= end).astype(float)))[0] for end in limits]
    share = min(sizes) / n
    size = 3 * math.sqrt(n / share) if n * share > 225 else n / 5
    return max(min(math.floor(size), n // 2), _FEWEST)


def _distance(weight: np.ndarray, width: np.ndarray) -> float:
    """Between the distributions of values with and without weights.

    Args:
        weight: Of the values in order.
        width: From each value to the next.
    """
    n = len(weight)
    plain = np.linspace(1 / n, 1 - 1 / n, n - 1)
    weighed = np.cumsum(weight / weight.sum())[:-1]
    middle = np.log2((plain + weighed) / 2)
    area, other = plain @ width, weighed @ width
    logs = np.log2(weighed, out=np.zeros(n - 1), where=weighed > 0)
    of_plain = (width * plain * (np.log2(plain) - middle)).sum()
    of_weighed = (width * weighed * (logs - middle)).sum()
    excess = 0.5 / math.log(2) * (other - area)
    total = max(0.0, of_plain + excess) + max(0.0, of_weighed - excess)
    return float(np.sqrt(total / (area + other)))


class Shift(NamedTuple):
    """How far a hidden cause would move an ROI.

    Attributes:
        cause: The known cause that it is as strong as.
        share: Of the ROI, up or down.
    """

    cause: str
    share: float

    def as_dict(self) -> dict[str, Any]:
        """For summary.json, with the sentence that faces show."""
        cause = "season" if self.cause == SEASON else self.cause
        return {"cause": cause, "share": self.share, "text": self.text}

    @property
    def text(self) -> str:
        """The shift in a sentence."""
        cause = say("the season") if self.cause == SEASON else self.cause
        moved = say("more than 100\u00a0%") if self.share > 1 else percent(self.share)
        return say(
            "A hidden cause as strong as {cause} would move its ROI by {moved}.",
            cause=cause,
            moved=moved,
        )


def shifts(model: Model, draws: Mapping[str, np.ndarray]) -> dict[str, Shift]:
    """For each paid channel the known cause that would move its ROI most.

    Args:
        model: The model.
        draws: Posterior variables, draws first.

    Returns:
        Channels whose effect has a column of its own; none where nothing is known that
        a hidden cause could be compared with.
    """
    fitted = regression(model, draws)
    if fitted is None:
        return {}
    causes = [*model.data.control_names, *model.channels("non_media")]
    causes = [name for name in (SEASON, *causes) if name in fitted.groups]
    results = {}
    for kind in PAID:
        for name in model.channels(kind):
            each = [Shift(cause, _bias(fitted, name, cause)) for cause in causes]
            finite = [shift for shift in each if np.isfinite(shift.share)]
            if finite:
                results[name] = max(finite, key=lambda shift: shift.share)
    return results


def _bias(fitted: Regression, name: str, cause: str) -> float:
    """Bias of a channel's coefficient, which is one as the posterior has it."""
    media = fitted.groups[name][:, 0]
    own = fitted.left(media, name)
    kpi = fitted.left(fitted.kpi)
    freedom = fitted.freedom()
    if freedom < 3 or own @ own < 1e-9 * (media @ media):
        return np.nan
    error = np.sqrt((kpi @ kpi) / freedom / (own @ own))
    of_media = _partial(own, fitted.left(media, name, cause))
    of_kpi = _partial(kpi, fitted.left(fitted.kpi, cause))
    of_media, of_kpi = min(of_media, 0.49), min(of_kpi, 0.99)
    with_media = of_media / (1 - of_media)
    # What a cause like this one shares with it, given the media.
    between = of_media**2 / ((1 - of_media) * (1 - of_media))
    with_kpi = (1 + np.sqrt(between)) ** 2 / (1 - between) * of_kpi / (1 - of_kpi)
    with_kpi = min(with_kpi, 1.0)
    return float(
        error * np.sqrt(freedom * with_kpi * with_media / max(1 - with_media, 1e-3))
    )


def _partial(after: np.ndarray, before: np.ndarray) -> float:
    """Share of what was left before that a cause explains."""
    return float(np.clip(1 - (after @ after) / max(before @ before, 1e-300), 0.0, 1.0))


#: Contraction below which a number is mostly assumed; from which it is measured where
#: the prior hardly holds it; and from which it is in any case.
MOSTLY_PRIOR, MOSTLY_DATA, SURELY_DATA = 0.3, 0.7, 0.9
#: The sensitivity worth a word (Kallioinen et al. 2024).
SENSITIVE = 0.05
#: Share of a return below the least spend that is worth a word.
_WORTH_A_WORD = 0.1
#: Draws of the sensitivities.
_DRAWS = 2000


def with_evidence(
    summary: dict[str, Any], model: Model, posterior: xr.Dataset
) -> dict[str, Any]:
    """The summary, each paid channel with its `evidence`; None for the others.

    Args:
        summary: What `core.analysis.summary.summary` gives.
        model: The model.
        posterior: All draws; dims chain, draw, ...
    """
    by_channel = evidence(model, posterior)
    channels = [
        row | {"evidence": by_channel.get(row["name"])} for row in summary["channels"]
    ]
    return summary | {"channels": channels}


def evidence(model: Model, posterior: xr.Dataset) -> dict[str, dict[str, Any]]:
    """For each paid channel: label, contraction, sensitivities, reason, remedy.

    `below_least` is an estimate of the share of its return that lies below the least
    it ever spent; `confounder` says how far a hidden cause as strong as a known one
    would move it (`sensitivity.confounding`), None where nothing is known; `no_effect`
    is the Bayes factor of no effect, None where it has none.

    Args:
        model: The model.
        posterior: All draws; dims chain, draw, ...
    """
    # Thinned within chains, which must stay chains: their effective size is in the
    # measure.
    step = -(-posterior.sizes[CHAIN] * posterior.sizes[DRAW] // _DRAWS)
    some = posterior.isel({DRAW: slice(None, None, step)})
    shape = (some.sizes[CHAIN], some.sizes[DRAW])
    draws = flat_draws(some)
    likelihood = log_likelihoods(model, draws).reshape(shape)
    priors, by_draw = treatment_priors(model), treatment_draws(model, draws)
    unseen, hidden = below_least(model, draws), shifts(model, draws)
    without = no_effect(model, draws)
    tests = {name for test in model.spec.experiments for name in test.channels}
    result = {}
    for kind in PAID:
        for name in model.channels(kind):
            prior = priors[name]
            values = on_scale(prior, by_draw[name]).reshape(shape)
            own = log_priors(model, draws, name).reshape(shape)
            measured = {
                "contraction": number(contraction(prior, by_draw[name])),
                "prior_sensitivity": number(sensitivity(values, own)),
                "likelihood_sensitivity": number(sensitivity(values, likelihood)),
            }
            text = _evidence_in_words(model, draws, name, measured, prior, by_draw)
            result[name] = measured | (tested(text) if name in tests else text)
            result[name]["below_least"] = estimate(unseen[name])
            shift = hidden.get(name)
            result[name]["confounder"] = shift and shift.as_dict()
            share = float(unseen[name].mean())
            if share >= _WORTH_A_WORD:
                below = say(
                    "{share} of its return is below the least it ever spent",
                    share=percent(share),
                )
                result[name]["reason"] += f"; {below}"
            result[name]["no_effect"] = without.get(name)
            if without.get(name, 0.0) >= AS_WELL:
                idle = say("the data fit about as well if it did nothing")
                result[name]["reason"] += f"; {idle}"
    return result


def tested(words: Mapping[str, str]) -> dict[str, str]:
    """Label, reason and remedy of a channel with a lift test in the model.

    Args:
        words: The same without a word on the test.
    """
    reason = say(
        "a lift test of it is in the model, and {reason}", reason=words["reason"]
    )
    return {"label": "tested", "reason": reason, "remedy": words["remedy"]}


def _evidence_in_words(
    model: Model,
    draws: Mapping[str, np.ndarray],
    name: str,
    measured: Mapping[str, float | None],
    prior: Prior,
    by_draw: Mapping[str, np.ndarray],
) -> dict[str, str]:
    """Label, reason and remedy."""
    learned = measured["contraction"]
    if learned is None:
        return {
            "label": "fixed",
            "reason": say("its prior is fixed to one number"),
            "remedy": "",
        }
    is_sensitive = (measured["prior_sensitivity"] or 0.0) > SENSITIVE
    if learned >= (SURELY_DATA if is_sensitive else MOSTLY_DATA):
        # From a ratio of variances to one of widths, which is what a reader sees.
        times = ratio(1 / np.sqrt(max(1 - learned, 1e-6)), decimals=1)
        reason = say(
            "its range is {times} times narrower than the prior's", times=times
        )
        label, remedy = "measured", ""
    else:
        label = "mostly assumed" if learned < MOSTLY_PRIOR else "partly assumed"
        reason, remedy = shortage(model, draws, name)
    low, high = quantile(prior, [0.05, 0.95])
    is_beyond = not low <= np.median(by_draw[name]) <= high
    if is_beyond:
        beyond = say("the data pull it beyond what the prior considers likely")
        reason += f"; {beyond}"
        remedy = remedy or say(
            "Check its prior on the Model screen, or run a lift test."
        )
    return {"label": label, "reason": reason, "remedy": remedy}


def contraction(prior: Prior, draws: np.ndarray) -> float:
    """Share of the prior's variance that the data took away; negative if it grew.

    NaN where the prior is one number.
    """
    if prior.family == "Deterministic":
        return float("nan")
    # Even quantiles: the prior's variance on this scale without a closed form.
    shares = (np.arange(4000) + 0.5) / 4000
    before = on_scale(prior, quantile(prior, shares)).var()
    return float(1 - on_scale(prior, draws).var() / before)


def on_scale(prior: Prior, values: np.ndarray) -> np.ndarray:
    """Logarithms where the prior allows positive numbers only, else as they are."""
    values = np.asarray(values, np.float64)
    if prior.support[0] < 0 or values.min() <= 0:
        return values
    return np.log(values)


def log_priors(model: Model, draws: Mapping[str, np.ndarray], name: str) -> np.ndarray:
    """Log prior of a channel's own parameters per draw: return, carryover, shape."""
    channel = model.spec.channel(name)
    group = next(g for g in model.structure.groups if name in model.channels(g.kind))
    names = model.channels(group.kind)
    place, channels = names.index(name), [model.spec.channel(other) for other in names]
    parts = [(treatment_priors(model)[name], treatment_draws(model, draws)[name])]
    for stem in transformation_stems(channels):
        prior = transformation_prior(model.spec, channel, stem)
        parts.append((prior, draws[f"{stem}_{group.suffix}"][:, place]))
    total = np.zeros(len(parts[0][1]))
    for prior, values in parts:
        total += log_density(prior, values)
    return total


def log_likelihoods(model: Model, draws: Mapping[str, np.ndarray]) -> np.ndarray:
    """Log likelihood of the KPI's seen cells and of lift tests, per draw."""
    return of_cells(model, draws, "log_likelihood").astype(np.float64)
