"""Sections of the record of a fit: channels, evidence, verdict, checks, lift tests.

The names of attributes are the keys of summary.json. Those with a default are left out
of it where they have it; the others are always there, None where nobody knows. Outcomes
are in units of the outcome, money is currency, intervals are 90 %.
"""

from msgspec import Struct, field

from core.data.experiments.entry import Entry
from core.estimate import OptionalEstimate


class OptimalFrequency(OptionalEstimate, frozen=True, kw_only=True):
    """The frequency at which a channel brings most: over draws, and of their mean."""

    best: float
    current: float


class ChannelPrior(Struct, frozen=True, kw_only=True):
    """What was believed of a channel before the data.

    Attributes:
        kind: What the prior is on: `roi`, `mroi`, `contribution` or `coefficient`.
        text: In words.
        family: Of the distribution.
        parameters: Its numbers by name.
        shift: Added to it.
        mean: Its mean.
        lo: Lower end of its interval.
        hi: Upper end of its interval.
    """

    kind: str
    text: str
    family: str
    parameters: dict[str, float | tuple[float, ...]]
    shift: float
    mean: float | None
    lo: float | None
    hi: float | None


class Readings(Struct, frozen=True):
    """ROI of a channel if its spend follows demand, and if it does not."""

    follows: OptionalEstimate
    apart: OptionalEstimate = field(name="not")


class ChannelDemand(Struct, frozen=True, kw_only=True):
    """How likely it is that a channel's spend follows demand.

    Attributes:
        follows: Whether it does more likely than not.
        probability: After the fit.
        prior: Before the fit.
        by: Who gave the prior.
        reason: Why.
        readings: ROI in either case; None where one reading will do.
        sentence: For a reader.
    """

    follows: bool
    probability: float
    prior: float
    by: str
    reason: str
    readings: Readings | None
    sentence: str


class Confounder(Struct, frozen=True):
    """How far a hidden cause as strong as a known one would move a channel's ROI."""

    cause: str
    share: float
    text: str


class Evidence(Struct, frozen=True, kw_only=True):
    """How much of a channel's return the data say, and how much the prior.

    Attributes:
        contraction: Share of the prior's variance that the data took away.
        prior_sensitivity: Distance moved per doubling of the prior.
        likelihood_sensitivity: The same of the likelihood.
        label: `measured`, `partly assumed`, ...
        reason: Why.
        remedy: What would tell more; empty where nothing need.
        below_least: Share of its return that lies below the least it ever spent.
        confounder: None where nothing is known that a hidden cause is compared with.
        no_effect: Bayes factor of no effect; None where it was not worked out.
        rank: Its place among what is worth knowing.
        matters: Share of the budget's response that hangs on it.
        worth: What knowing its return exactly would be worth, in outcome.
        moves: Share of the budget that would move.
        plan_start: First day of the plan that it is ranked for.
        plan_end: Its last day.
        plan_periods: Its number of periods.
    """

    contraction: float | None
    prior_sensitivity: float | None
    likelihood_sensitivity: float | None
    label: str
    reason: str
    remedy: str
    below_least: OptionalEstimate
    confounder: Confounder | None
    no_effect: float | None = None
    rank: int
    matters: float
    worth: float
    moves: float
    plan_start: str
    plan_end: str
    plan_periods: int

    @property
    def plan_span(self) -> tuple[str, str, int]:
        """First day, last day and number of periods of that plan."""
        return self.plan_start, self.plan_end, self.plan_periods


class MonteCarloErrors(Struct, frozen=True):
    """Standard errors of a channel's means that come from the number of draws."""

    roi: float | None
    mroi: float | None
    contribution: float | None
    contribution_share: float | None = None


class Channel(Struct, frozen=True, kw_only=True):
    """What a channel returned.

    Attributes:
        name: Its name.
        kind: `media`, `rf`, `organic_media`, `non_media`, ...
        spend: Over all periods; None where it is not paid.
        units: Media units over all periods; None where they cannot be added up.
        prior: What was believed before.
        demand: Whether its spend follows demand; None where it is not paid.
        roi: Incremental outcome over spend.
        mroi: Of the next unit of currency.
        cpik: Spend over incremental KPI.
        effectiveness: Incremental outcome over media units.
        contribution: Incremental outcome.
        contribution_share: Of the expected outcome.
        optimal_frequency: None where it has no frequency.
        roi_last_year: None where nothing was spent.
        evidence: None where it is not paid.
        mcse: Errors of the means.
    """

    name: str
    kind: str
    spend: float | None
    units: float | None
    prior: ChannelPrior
    demand: ChannelDemand | None
    roi: OptionalEstimate | None
    mroi: OptionalEstimate | None
    cpik: OptionalEstimate | None
    effectiveness: OptionalEstimate | None
    contribution: OptionalEstimate
    contribution_share: OptionalEstimate
    optimal_frequency: OptimalFrequency | None
    roi_last_year: OptionalEstimate | None
    evidence: Evidence | None
    mcse: MonteCarloErrors

    @property
    def has_roi(self) -> bool:
        """Whether its ROI is known."""
        return self.roi is not None and self.roi.is_known


class Returns(Struct, frozen=True, kw_only=True):
    """What a channel returned and no more, as answers before the fit have it.

    Attributes:
        name: Its name.
        roi: Incremental outcome over spend.
        mroi: Of the next unit of currency.
        contribution: Incremental outcome.
        mcse: Errors of the means; None where they are not known.
    """

    name: str
    roi: OptionalEstimate | None = None
    mroi: OptionalEstimate | None = None
    contribution: OptionalEstimate | None = None
    mcse: MonteCarloErrors | None = None


class BeforeAndAfter(Struct, frozen=True, kw_only=True):
    """A number by the prior, and by the fit with and without a lift test.

    Attributes:
        prior: Before the data.
        posterior: After them.
        without: By the data without the test; None where nobody knows.
    """

    prior: OptionalEstimate
    posterior: OptionalEstimate
    without: OptionalEstimate | None


class LiftTestResult(Entry, frozen=True, kw_only=True, omit_defaults=False):
    """A lift test as it was entered, and what it did to the fit.

    Its first fields are those of the test; outcomes are of the test's geos and
    periods.

    Attributes:
        test: What the test says.
        prior: What was believed before any data.
        posterior: What the fit says.
        without: What it says without the test; None where nobody knows.
        roi: Of its channels over all periods; None where they are unpaid.
        pareto_k: Of the weights that take the test out; None where not finite.
        standard_errors_apart: Of test and posterior.
        standard_errors_apart_without: Of test and the fit without it.
        agrees: Whether they are not in tension.
    """

    test: OptionalEstimate
    prior: OptionalEstimate
    posterior: OptionalEstimate
    without: OptionalEstimate | None
    roi: BeforeAndAfter | None
    pareto_k: float | None
    standard_errors_apart: float
    standard_errors_apart_without: float | None
    agrees: bool

    @property
    def entry(self) -> Entry:
        """The test as `[[experiment]]` of project.toml has it."""
        return Entry(**{name: getattr(self, name) for name in Entry.__struct_fields__})


class Accuracy(Struct, frozen=True):
    """How close the expected outcome is to the actual one, see `summary.Accuracy`."""

    r2: float | None
    mape: float | None
    wmape: float | None
    mape_left_out: int = 0


class FollowsDemand(Struct, frozen=True, kw_only=True):
    """Channels whose spend follows demand more likely than not.

    Attributes:
        channels: Their names.
        untested: Those without a lift test.
        sentence: What to make of it; empty where there is nothing to say.
    """

    channels: tuple[str, ...]
    untested: tuple[str, ...]
    sentence: str


class Check(Struct, frozen=True, kw_only=True):
    """A feature of the KPI beside simulations from the model."""

    name: str
    unit: str
    actual: float | None
    median: float | None
    lo: float | None
    hi: float | None
    p: float | None
    status: str
    label: str
    text: str
    advice: str


class FarPeriod(Struct, frozen=True):
    """A period that is far from what the model expects, in standard deviations."""

    time: str
    sd: float


class ModelCheck(Struct, frozen=True, kw_only=True):
    """Whether data simulated from the model look like the data."""

    status: str
    checks: tuple[Check, ...]
    farthest: tuple[FarPeriod, ...]
    n_draws: int

    @property
    def missed(self) -> list[str]:
        """Labels of the features that the model misses."""
        return [check.label for check in self.checks if check.status == "missed"]


class LeaveOneOut(Struct, frozen=True, kw_only=True):
    """How well the model predicts cells left out (PSIS-LOO)."""

    elpd: float | None
    se: float | None
    p_loo: float | None
    n: int
    n_smoothed: int
    n_bad_k: int
    k_max: float | None
    k_limit: float | None
    n_draws: int
    warnings: tuple[str, ...]


class Diagnostics(Struct, frozen=True, kw_only=True):
    """The one verdict, on sampling and contradictions, that everything shows.

    Attributes:
        verdict: `trustworthy`, `doubtful` or `failed`.
        reasons: Why it is no better.
        rhat_max: The highest R-hat.
        ess_bulk_min: The lowest bulk effective sample size.
        ess_tail_min: The lowest tail effective sample size.
        worst_parameter: The parameter with the highest R-hat.
        worst_name: In words.
        divergences: How many trajectories diverged.
        draws_wanted: Draws per chain that would be enough; None where they are.
        converged: Whether sampling alone gives no reason for doubt.
        contradictions: Reasons that more draws do not take away.
        notes: What else is to be known.
    """

    verdict: str
    reasons: tuple[str, ...]
    rhat_max: float | None
    ess_bulk_min: float | None
    ess_tail_min: float | None
    worst_parameter: str
    worst_name: str
    divergences: int
    draws_wanted: int | None
    converged: bool
    contradictions: tuple[str, ...]
    notes: tuple[str, ...]


class Convergence(Struct, frozen=True, kw_only=True):
    """How far the draws of one scalar have converged; None where that is not one.

    Attributes:
        name: Of the parameter that it belongs to.
        rhat: Rank-normalised split R-hat.
        ess_bulk: Bulk effective sample size.
        ess_tail: Tail effective sample size.
    """

    name: str
    rhat: float | None
    ess_bulk: float | None
    ess_tail: float | None


class AllDiagnostics(Diagnostics, frozen=True, kw_only=True):
    """The verdict, with the figures of every scalar behind it: diagnostics.json."""

    parameters: tuple[Convergence, ...] = ()


class HiddenDemand(Struct, frozen=True):
    """What hidden demand would take from a mediator's effect."""

    vanishes_at: OptionalEstimate
    correlation: float
    left: OptionalEstimate


class Mediator(Struct, frozen=True):
    """What carries effects of other channels, and what they caused of it."""

    name: str
    project: str
    whole: OptionalEstimate
    caused: OptionalEstimate
    hidden: HiddenDemand


class FunnelChannel(Struct, frozen=True, omit_defaults=True):
    """A channel that works through a mediator: its total in parts.

    Attributes:
        name: Its name.
        total: Incremental outcome.
        direct: Without what comes by way of mediators.
        through: By way of each mediator.
        share: Of the total that comes by way of mediators.
        induced: What it makes be spent on mediators; None where they cost nothing.
        roi_with_induced: The total over both spends.
    """

    name: str
    total: OptionalEstimate
    direct: OptionalEstimate
    through: dict[str, OptionalEstimate]
    share: OptionalEstimate
    induced: OptionalEstimate | None = None
    roi_with_induced: OptionalEstimate | None = None


class Funnel(Struct, frozen=True):
    """Totals in their parts, where channels work through mediators."""

    mediators: tuple[Mediator, ...]
    channels: tuple[FunnelChannel, ...]


class Span(Struct, frozen=True):
    """The periods that a fit's plans are for unless others are named."""

    start: str
    end: str
    periods: int
