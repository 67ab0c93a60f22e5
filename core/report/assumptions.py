"""What a report says of its model: priors, options, the window, where it comes from."""

from collections.abc import Mapping
from typing import Any

from core import text as fmt
from core.charts.drawing import marks
from core.model import holdout
from core.model.priors.prior import describe
from core.model.spec import ChannelSpec, ModelSpec
from core.report.content import Content
from core.text.scores import check_line

_ABOUT = {
    "roi": "ROI",
    "mroi": "marginal ROI",
    "contribution": "contribution",
    "coefficient": "coefficient",
}


def assumptions(content: Content) -> dict[str, Any]:
    """Priors, options, window and provenance."""
    spec, priors = content.project.spec, content.priors
    return {
        "priors": [
            _prior(channel, spec.max_lag, priors.get(channel.name, {}))
            for channel in spec.channels
        ],
        "options": _options(spec) | _demand(content),
        "data": _data(content),
        "fit": _fit(content),
    }


def _prior(
    channel: ChannelSpec, max_lag: int, implied: Mapping[str, Any]
) -> dict[str, str]:
    lag = max_lag if channel.max_lag is None else channel.max_lag
    carries = channel.kind != "non_media"
    return {
        "name": channel.name,
        "about": _ABOUT[str(implied.get("kind") or channel.effective_prior_kind)],
        "prior": str(implied.get("text") or describe(channel.treatment_prior)),
        "range": _range(implied),
        "adstock": f"{channel.adstock}, up to lag {lag}" if carries else fmt.NONE,
        "saturation": channel.saturation if carries else fmt.NONE,
    }


def _options(spec: ModelSpec) -> dict[str, str]:
    per_geo = "yes" if spec.unique_sigma_for_each_geo else "no"
    return {
        "Defaults": spec.preset,
        "Baseline": _baseline(spec),
        "Effect of a channel over geos": spec.media_effects.replace("_", "-"),
        "Saturation before carryover": "yes" if spec.hill_before_adstock else "no",
        "Residual scale per geo": per_geo,
        "Noise": "goes on over periods (AR 1)" if spec.has_memory else "independent",
        "Held out": holdout.describe(spec.holdout),
    }


def _demand(content: Content) -> dict[str, str]:
    chances = {
        row["name"]: row["demand"]["probability"]
        for row in content.summary["channels"]
        if row.get("demand")
    }
    told = [f"{name} {fmt.probability(chance)}" for name, chance in chances.items()]
    return {"Spend follows demand": ", ".join(told)} if told else {}


def _baseline(spec: ModelSpec) -> str:
    if spec.is_structural:
        parts = ["level", "trend", "season", "smooth deviation"]
        parts += [f"holidays of {spec.holidays}"] if spec.holidays else []
        parts += ["own events"] if spec.events else []
        return f"structural: {', '.join(parts)}"
    if isinstance(spec.knots, tuple):
        return f"knots at {len(spec.knots)} given periods"
    return f"knots, {'default number' if spec.knots is None else spec.knots}"


def _data(content: Content) -> dict[str, str]:
    summary = content.summary
    word = marks.period(content.weeks["time"].values)
    mapping = content.project.mapping
    return {
        "Window": f"{fmt.date(summary['start'])} to {fmt.date(summary['end'])}",
        "Periods": f"{summary['n_times']} {word}s",
        "Geos": str(summary["n_geos"]) if summary["n_geos"] > 1 else "national",
        "KPI": mapping.kpi,
        "Controls": ", ".join(mapping.controls) or "none",
        "Data fingerprint": str(content.about.get("data_sha256", ""))[:12] or fmt.NONE,
    }


def _fit(content: Content) -> dict[str, str]:
    sampler, diagnostics = content.project.sampler, content.summary["diagnostics"]
    versions = content.about.get("versions") or {}
    return {
        "Run": str(content.about.get("run_id", "")),
        "Created": str(content.about.get("created", ""))[:16].replace("T", " ")
        + " UTC",
        "Chains and draws": f"{sampler.chains} chains, {sampler.warmup} warm-up, "
        f"{sampler.draws} draws each",
        "Seed and precision": f"{sampler.seed}, {sampler.precision}",
        "Largest R-hat": _plain(diagnostics.get("rhat_max"), 3),
        "Smallest effective draws": ", ".join(
            f"{_plain(diagnostics.get(f'ess_{part}_min'), 0)} {part}"
            for part in ("bulk", "tail")
        ),
        "Divergences": str(diagnostics.get("divergences", fmt.NONE)),
        "Model check": check_line(content.summary.get("model_check")),
        "Versions": ", ".join(f"{name} {number}" for name, number in versions.items()),
    }


def _range(implied: Mapping[str, Any]) -> str:
    if implied.get("lo") is None:
        return fmt.NONE
    if implied.get("kind") == "contribution":
        return f"{100 * implied['lo']:.2g} to {100 * implied['hi']:.2g}\u00a0%"
    return f"{fmt.roi(implied['lo'])} to {fmt.roi(implied['hi'])}"


def _plain(number: Any, decimals: int) -> str:
    return fmt.NONE if number is None else fmt.exact(float(number), decimals=decimals)
