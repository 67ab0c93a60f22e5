"""ModelSpec: every option of the model, frozen and hashable, with its default.

The spec says what is modelled, never with which numbers of data; it is what
project.toml stores and the screens edit. Free of JAX.
"""

from dataclasses import dataclass, replace
from typing import Literal

from core.data.experiments.entry import Entry
from core.data.mapping import PAID, ChannelKind
from core.errors import SpecError
from core.model.holdout import HeldOut
from core.model.inputs.events import Event
from core.model.priors.default_priors import DEFAULT_PRIORS, Preset, default_prior
from core.model.priors.prior import Prior

#: Carryover of more periods than this is a slip of the pen.
MAX_LAG = 1000
#: So is a holiday that is felt for more than a year of days before or after it.
MAX_WINDOW = 366

PriorKind = Literal["roi", "mroi", "contribution", "coefficient"]
Adstock = Literal["geometric", "binomial", "delayed", "weibull_cdf", "weibull_pdf"]
Saturation = Literal["hill", "none"]
MediaEffects = Literal["log_normal", "normal"]
Baseline = Literal["structural", "knots"]
GeoPart = Literal["trend", "season", "smooth"]
Effectiveness = Literal["constant", "drifting"]
FollowsDemand = bool | float | Literal["auto"]

#: Suffix of a group's parameter names, as in Meridian: alpha_m, ec_rf, xi_n.
SUFFIX: dict[ChannelKind, str] = {
    "media": "m",
    "reach_frequency": "rf",
    "organic_media": "om",
    "organic_reach_frequency": "orf",
    "non_media": "n",
}

#: Parameters of carryover, and where they rest in a channel whose kind has no use for
#: them.
CARRYOVER: dict[str, float] = {"alpha": 0.0, "theta": 0.0, "lam": 1.0, "k": 1.0}
#: Parameters of a channel's media that can have a prior of their own.
CHANNEL_STEMS = (*CARRYOVER, "ec", "slope", "eta")
#: Parameters of each kind of carryover.
ADSTOCK_PARAMETERS: dict[Adstock, tuple[str, ...]] = {
    "geometric": ("alpha",),
    "binomial": ("alpha",),
    "delayed": ("alpha", "theta"),
    "weibull_cdf": ("lam", "k"),
    "weibull_pdf": ("lam", "k"),
}

#: Default prior kind of each channel kind.
DEFAULT_PRIOR_KIND: dict[ChannelKind, PriorKind] = {
    "media": "roi",
    "reach_frequency": "roi",
    "organic_media": "contribution",
    "organic_reach_frequency": "contribution",
    "non_media": "contribution",
}


@dataclass(frozen=True)
class ChannelSpec:
    """How one channel works.

    Attributes:
        name: The channel.
        kind: What it is.
        adstock: Shape of the carryover: `geometric`, `binomial`, `delayed` (with a
            late peak), `weibull_cdf` or `weibull_pdf`.
        saturation: Diminishing returns: `hill` or `none`.
        max_lag: Longest carryover in periods; None for the model's.
        prior_kind: What the treatment prior is about; None for the kind's default.
        prior: The treatment prior; None for the default of its kind.
        priors: Priors of this channel's other parameters by stem: `alpha`, `theta`,
            `lam`, `k`, `ec`, `slope`, `eta`.
        calibration: Inclusive date ranges (ISO) in which the ROI prior holds.
        baseline: Value of a non-media treatment that counts as none of it.
        effectiveness: Whether what its media does may change over the years:
            `constant` or `drifting`; None for the model's.
        follows_demand: Whether people's demand decides what is spent: yes, no, or how
            likely before the fit; `auto` takes the probability from the channel's name
            and spend. Paid channels only.
    """

    name: str
    kind: ChannelKind = "media"
    adstock: Adstock = "geometric"
    saturation: Saturation = "hill"
    max_lag: int | None = None
    prior_kind: PriorKind | None = None
    prior: Prior | None = None
    priors: tuple[tuple[str, Prior], ...] = ()
    calibration: tuple[tuple[str, str], ...] = ()
    baseline: float | Literal["min", "max"] = "min"
    effectiveness: Effectiveness | None = None
    follows_demand: FollowsDemand = "auto"

    def __post_init__(self) -> None:
        """Refuse combinations that mean nothing.

        Raises:
            SpecError: An option does not fit the channel's kind.
        """
        if self.effective_prior_kind in ("roi", "mroi") and self.kind not in PAID:
            raise SpecError(
                f"Channel {self.name} has no spend, so it cannot have a "
                f"{self.effective_prior_kind} prior.",
                hint="Use a contribution or coefficient prior.",
                where=self.name,
            )
        if self.max_lag is not None and not 0 <= self.max_lag <= MAX_LAG:
            raise SpecError(
                f"Channel {self.name}: max_lag must be between 0 and {MAX_LAG:,} "
                "periods.",
                where=self.name,
            )
        if self.follows_demand not in ("auto", False) and self.kind not in PAID:
            raise SpecError(
                f"Channel {self.name} has no spend that could follow demand.",
                hint="Remove follows_demand.",
                where=f"{self.name}.follows_demand",
            )
        is_number = not isinstance(self.follows_demand, bool | str)
        if is_number and not 0.0 < self.follows_demand < 1.0:
            raise SpecError(
                f"Channel {self.name}: follows_demand is true, false or a probability "
                f"between 0 and 1, not {self.follows_demand:g}.",
                hint="Write a number such as 0.7, or true or false.",
                where=f"{self.name}.follows_demand",
            )
        if self.calibration and self.effective_prior_kind != "roi":
            raise SpecError(
                f"Channel {self.name}: a calibration window needs an ROI prior.",
                where=self.name,
            )

    @property
    def effective_prior_kind(self) -> PriorKind:
        """The prior kind, with the default filled in."""
        return self.prior_kind or DEFAULT_PRIOR_KIND[self.kind]

    @property
    def treatment_parameter(self) -> str:
        """Name of the sampled treatment parameter: `roi_m`, `beta_om`, `gamma_n`."""
        kind = self.effective_prior_kind
        if kind == "coefficient":
            kind = "gamma" if self.kind == "non_media" else "beta"
        return f"{kind}_{SUFFIX[self.kind]}"

    @property
    def treatment_prior(self) -> Prior:
        """The treatment prior, with the default filled in."""
        return self.prior or DEFAULT_PRIORS[self.treatment_parameter]


@dataclass(frozen=True)
class ModelSpec:
    """Every option of the model. What is None has the preset's default.

    Attributes:
        channels: One entry per channel, in the data's order.
        preset: Whose defaults fill what is not given.
        baseline: How the baseline moves over time: `structural` (level, trend,
            season, smooth deviation, events) or `knots`. None: knots where `knots`
            is given or the preset is Meridian's, else structural.
        knots: Number of knots, their zero-based positions, `auto` to choose them
            from the KPI, or None for one knot per period (geo) or one (national).
        seasonality: Pairs of sine and cosine of the year; None: four in a
            structural baseline from two years on, two from one year on, as far as
            the periods tell them apart; else none.
        weekday: Whether the days of the week differ; None: in a structural baseline
            of daily data.
        smooth: Basis functions of the smooth deviation per span of the data; None:
            25 in a structural baseline, else none.
        recurring: Whether every week of the year has an effect of its own, for
            peaks that return; needs two years, and costs time.
        holidays: Country (and subdivision) whose public holidays may move the KPI.
        holiday_window: Periods before and after a holiday with an own effect.
        events: Own events that may move the KPI.
        varies_by_geo: Parts of a structural baseline that geos have of their own
            beside the shared one: `trend`, `season`, `smooth`. None: the first two.
        media_effects: Distribution of a channel's effect over geos.
        hill_before_adstock: Saturate before carrying over (never for reach).
        max_lag: Longest carryover in periods, for channels without their own.
        effectiveness: Whether what media does may change over the years, for channels
            that do not say: `constant` or `drifting`. None: drifting in the structural
            baseline of a national market.
        unique_sigma_for_each_geo: One residual scale per geo.
        autocorrelation: Whether noise goes on from one period to the next, by a share
            that is learned (AR(1)). None: in a structural baseline.
        baseline_geo: The geo whose `tau_g` is zero; None for the largest.
        holdout: Cells (geo, ISO date) that the likelihood does not see, or a rule.
        population_scaled_controls: Controls divided by population.
        population_scaled_non_media: Non-media treatments divided by population.
        priors: Priors that differ from the defaults, by parameter name.
        experiments: Lift tests that the likelihood sees.
    """

    channels: tuple[ChannelSpec, ...] = ()
    preset: Preset = "mixwright"
    baseline: Baseline | None = None
    knots: int | tuple[int, ...] | Literal["auto"] | None = None
    seasonality: int | None = None
    weekday: bool | None = None
    smooth: int | None = None
    recurring: bool = False
    holidays: str | None = None
    holiday_window: tuple[int, int] = (1, 0)
    events: tuple[Event, ...] = ()
    varies_by_geo: tuple[GeoPart, ...] | None = None
    media_effects: MediaEffects = "log_normal"
    hill_before_adstock: bool = False
    max_lag: int = 8
    effectiveness: Effectiveness | None = None
    unique_sigma_for_each_geo: bool = False
    autocorrelation: bool | None = None
    baseline_geo: str | None = None
    holdout: HeldOut = ()
    population_scaled_controls: tuple[str, ...] = ()
    population_scaled_non_media: tuple[str, ...] = ()
    priors: tuple[tuple[str, Prior], ...] = ()
    experiments: tuple[Entry, ...] = ()

    def __post_init__(self) -> None:
        """Refuse options that mean nothing.

        Raises:
            SpecError: A value is out of range or a channel is named twice.
        """
        if not 0 <= self.max_lag <= MAX_LAG:
            raise SpecError(
                f"max_lag must be between 0 and {MAX_LAG:,} periods.",
                where="model.max_lag",
            )
        for name in ("seasonality", "smooth"):
            if (getattr(self, name) or 0) < 0:
                raise SpecError(f"{name} must be zero or more.", where=f"model.{name}")
        if isinstance(self.knots, int) and self.knots < 1:
            raise SpecError("knots must be one or more.", where="model.knots")
        if self.baseline == "structural" and self.knots is not None:
            raise SpecError(
                "A structural baseline has no knots.",
                hint='Take out knots, or write baseline = "knots".',
                where="model.knots",
            )
        is_pair = len(self.holiday_window) == 2
        if not is_pair or not all(0 <= n <= MAX_WINDOW for n in self.holiday_window):
            raise SpecError(
                "holiday_window is two numbers of periods, before and after, of at "
                f"most {MAX_WINDOW} each.",
                hint="Write holiday_window = [1, 0].",
                where="model.holiday_window",
            )
        names = [channel.name for channel in self.channels]
        doubled = sorted({name for name in names if names.count(name) > 1})
        if doubled:
            raise SpecError(
                f"Channel {doubled[0]} is listed twice.",
                hint="Give every channel its own name.",
                where=doubled[0],
            )

    @property
    def is_structural(self) -> bool:
        """Whether the baseline is level, trend, season and smooth deviation."""
        if self.baseline is not None:
            return self.baseline == "structural"
        return self.preset == "mixwright" and self.knots is None

    @property
    def has_memory(self) -> bool:
        """Whether noise goes on from one period to the next."""
        if self.autocorrelation is not None:
            return self.autocorrelation
        return self.is_structural

    @property
    def effectiveness_of_all(self) -> Effectiveness:
        """Effectiveness over the years of the channels that do not say.

        Constant where the data have not settled it (core/model/shares/settled.py).
        """
        return self.effectiveness or "constant"

    def parameter_prior(self, name: str) -> Prior:
        """Prior of a parameter that is not per channel, default filled in."""
        return dict(self.priors).get(name) or default_prior(name, self.preset)

    def drifts(self, channel: ChannelSpec) -> bool:
        """Whether the effect of a channel's media may change over the years."""
        if channel.kind == "non_media":
            return False
        return (channel.effectiveness or self.effectiveness_of_all) == "drifting"

    def channel_prior(self, channel: ChannelSpec, stem: str) -> Prior:
        """Prior of a channel's `alpha`, `ec`, `slope`, `eta`, ..., by stem.

        The channel's, else the model's, else the preset's default.
        """
        return dict(channel.priors).get(stem) or self.usual_prior(channel, stem)

    def usual_prior(self, channel: ChannelSpec, stem: str) -> Prior:
        """The same for a channel that has none of its own."""
        name = f"{stem}_{SUFFIX[channel.kind]}"
        default = default_prior(name, self.preset, channel.name)
        return dict(self.priors).get(name) or default

    def channel(self, name: str) -> ChannelSpec:
        """The channel of that name.

        Raises:
            SpecError: There is none.
        """
        for channel in self.channels:
            if channel.name == name:
                return channel
        raise SpecError(f"There is no channel {name}.", where=name)

    def with_channel(self, changed: ChannelSpec) -> "ModelSpec":
        """The same spec with one channel replaced by name."""
        channels = tuple(
            changed if channel.name == changed.name else channel
            for channel in self.channels
        )
        return replace(self, channels=channels)
