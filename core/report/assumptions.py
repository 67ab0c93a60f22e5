"""What a report says of its model: priors, options, the window, where it comes from."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from core import text as fmt
from core.analysis.record.sections import ChannelPrior, ModelCheck
from core.charts.drawing import marks
from core.model import holdout
from core.model.priors.prior import describe
from core.model.spec import ChannelSpec, ModelSpec
from core.report.content import Content
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded


@dataclass(frozen=True)
class PriorRow:
    """What was believed of a channel, and its carryover and saturation, in words."""

    name: str
    about: str
    prior: str
    range: str
    adstock: str
    saturation: str


#: Facts by their names, each with what it is called and what it says.
Facts = Mapping[str, tuple[str, str]]


@dataclass(frozen=True)
class Assumptions:
    """What a report says of its model.

    Attributes:
        priors: A row per channel.
        shared: One sentence on those that are equal; empty where few are.
        different: Rows that it does not speak of.
        window: The periods, in words.
        periods: Their number.
        data: Of the data.
        options: Of the model.
        fit: Of the fit.
    """

    priors: list[PriorRow]
    shared: str
    different: list[PriorRow]
    window: str
    periods: str
    data: Facts
    options: Facts
    fit: Facts


_ABOUT = {
    "roi": marked("ROI"),
    "mroi": marked("marginal ROI"),
    "contribution": marked("contribution"),
    "coefficient": marked("coefficient"),
}


#: What a prior's row says besides the channel's name.
_PRIOR = ("about", "prior", "range", "adstock", "saturation")
#: Channels of one prior from which on a sentence stands for their rows.
_FEW = 3
_ALL = marked(
    "All {number} channels have the same prior on {about}: {prior}, 90 % of it "
    "{range}. Carryover: {adstock}. Saturation: {saturation}."
)
_MOST = marked(
    "{number} channels have the same prior on {about}: {prior}, 90 % of it {range}. "
    "Carryover: {adstock}. Saturation: {saturation}. The others differ:"
)
#: Distributions of a channel's effect over geos.
_EFFECTS = {"log_normal": marked("log-normal"), "normal": marked("normal")}
#: Forms of saturation and of carryover as people read them.
_SATURATION = {"hill": marked("hill"), "none": marked("none")}
_CARRYOVER = {
    "geometric": marked("geometric"),
    "binomial": marked("binomial"),
    "delayed": marked("delayed"),
    "weibull": marked("weibull"),
    "none": marked("none"),
}


def prior_columns() -> dict[str, str]:
    """What a table says of the prior of each channel: heads by the part of a row."""
    return {
        "name": say("Channel"),
        "about": say("Prior on"),
        "prior": say("Prior"),
        "range": say("90 % of it"),
        "adstock": say("Carryover"),
        "saturation": say("Saturation"),
    }


def assumptions(content: Content) -> Assumptions:
    """Priors, options, window and provenance."""
    spec, priors = content.project.spec, content.priors
    rows = [
        _prior(channel, spec.max_lag, priors.get(channel.name))
        for channel in spec.channels
    ]
    shared, different = _shared(rows)
    window, periods = _window(content)
    return Assumptions(
        rows,
        shared,
        different,
        window,
        periods,
        data=_named_facts(
            {marked("Window"): window, marked("Periods"): periods} | _data(content)
        ),
        options=_named_facts(_options(spec) | _demand(content)),
        fit=_named_facts(_fit(content)),
    )


def _prior(
    channel: ChannelSpec, max_lag: int, implied: ChannelPrior | None
) -> PriorRow:
    lag = max_lag if channel.max_lag is None else channel.max_lag
    carries = channel.kind != "non_media"
    kind = implied.kind if implied else channel.effective_prior_kind
    return PriorRow(
        channel.name,
        about=say(_ABOUT[kind]),
        prior=implied.text if implied else describe(channel.treatment_prior),
        range=_range(implied),
        adstock=say(
            "{adstock}, up to lag {lag}",
            adstock=say(_CARRYOVER.get(channel.adstock, channel.adstock)),
            lag=lag,
        )
        if carries
        else fmt.NONE,
        saturation=say(_SATURATION.get(channel.saturation, channel.saturation))
        if carries
        else fmt.NONE,
    )


def _shared(rows: Sequence[PriorRow]) -> tuple[str, list[PriorRow]]:
    """What most channels have in common as a sentence, and the others."""
    about = {row.name: tuple(getattr(row, key) for key in _PRIOR) for row in rows}
    counted = Counter(about.values()).most_common(1)
    if not counted or counted[0][1] < _FEW:
        return "", list(rows)
    common, number = counted[0]
    places = dict(zip(_PRIOR, common, strict=True)) | {"number": number}
    is_all = number == len(rows)
    text = say(_ALL if is_all else _MOST, **places)
    return text, [row for row in rows if about[row.name] != common]


def _named_facts(facts: Mapping[str, str]) -> Facts:
    """Facts by their names, each with what it is called."""
    return {name: (say(name), value) for name, value in facts.items()}


def _yes_or_no(answer: bool) -> str:
    return say("yes") if answer else say("no")


def _options(spec: ModelSpec) -> dict[str, str]:
    per_geo = _yes_or_no(spec.unique_sigma_for_each_geo)
    return {
        marked("Defaults"): spec.preset,
        marked("Baseline"): _baseline(spec),
        marked("Effect of a channel over geos"): say(_EFFECTS[spec.media_effects]),
        marked("Saturation before carryover"): _yes_or_no(spec.hill_before_adstock),
        marked("Residual scale per geo"): per_geo,
        marked("Noise"): say("goes on over periods (AR 1)")
        if spec.has_memory
        else say("independent"),
        marked("Held out"): holdout.describe(spec.holdout),
    }


def _demand(content: Content) -> dict[str, str]:
    chances = {
        channel.name: channel.demand.probability
        for channel in content.fit.channels
        if channel.demand
    }
    lines = [f"{name} {fmt.probability(chance)}" for name, chance in chances.items()]
    return {marked("Spend follows demand"): ", ".join(lines)} if lines else {}


def _baseline(spec: ModelSpec) -> str:
    if spec.is_structural:
        parts = [say("level"), say("trend"), say("season"), say("smooth deviation")]
        parts += (
            [say("holidays of {country}", country=spec.holidays)]
            if spec.holidays
            else []
        )
        parts += [say("own events")] if spec.events else []
        return say("structural: {parts}", parts=", ".join(parts))
    if isinstance(spec.knots, tuple):
        return say("knots at {number} given periods", number=len(spec.knots))
    return say(
        "knots, {which}",
        which=say("default number") if spec.knots is None else spec.knots,
    )


def _window(content: Content) -> tuple[str, str]:
    """The periods, and their number, in words."""
    fit = content.fit
    ends = {"start": fmt.date(fit.start), "end": fmt.date(fit.end)}
    word = marks.period(content.weeks["time"].values)
    return say("{start} to {end}", **ends), fmt.count(fit.n_times, word)


def _data(content: Content) -> dict[str, str]:
    fit, mapping = content.fit, content.project.mapping
    return {
        marked("Geos"): str(fit.n_geos) if fit.n_geos > 1 else say("national"),
        marked("KPI"): mapping.kpi,
        marked("Controls"): ", ".join(mapping.controls) or say("none"),
        marked("Data fingerprint"): content.about.data_sha256[:12] or fmt.NONE,
    }


def _moment(when: datetime | None) -> str:
    """A day and a time as the project writes them."""
    if when is None:
        return fmt.NONE
    return f"{fmt.date(when.date())}, {when:%H:%M} UTC"


def _fit(content: Content) -> dict[str, str]:
    sampler, diagnostics = content.project.sampler, content.fit.diagnostics
    versions = content.about.versions
    return {
        marked("Run"): content.about.run_id,
        marked("Created"): _moment(content.about.moment),
        marked("Chains and draws"): say(
            "{chains} chains, at most {warmup} warm-up, {draws} draws each",
            chains=sampler.chains,
            warmup=sampler.warmup,
            draws=sampler.draws,
        ),
        marked("Seed and precision"): f"{sampler.seed}, {sampler.precision}",
        marked("Largest R-hat"): fmt.exact(diagnostics.rhat_max, decimals=3),
        marked("Smallest effective draws"): ", ".join(
            f"{fmt.exact(least, decimals=0)} {say(part)}"
            for least, part in (
                (diagnostics.ess_bulk_min, marked("bulk")),
                (diagnostics.ess_tail_min, marked("tail")),
            )
        ),
        marked("Divergences"): str(diagnostics.divergences),
        marked("Model check"): check_line(content.fit.model_check),
        marked("Versions"): ", ".join(
            f"{name} {number}" for name, number in versions.items()
        ),
    }


def check_line(check: ModelCheck | None) -> str:
    """A model check in one line: passed, or what is missed."""
    if check is None:
        return fmt.NONE
    missed = [each.text for each in check.checks if each.status == "missed"]
    if not missed:
        return say("passed ({number} checks)", number=len(check.checks))
    return say(
        "{number} of {all} missed: {checks}",
        number=len(missed),
        all=len(check.checks),
        checks="; ".join(dict.fromkeys(reworded(text) for text in missed)),
    )


def _range(implied: ChannelPrior | None) -> str:
    if implied is None or implied.lo is None:
        return fmt.NONE
    if implied.kind == "contribution":
        return say(
            "{low} to {high}\u00a0%",
            low=fmt.locale().written(f"{100 * implied.lo:.2g}"),
            high=fmt.locale().written(f"{100 * implied.hi:.2g}"),
        )
    return say("{low} to {high}", low=fmt.roi(implied.lo), high=fmt.roi(implied.hi))
