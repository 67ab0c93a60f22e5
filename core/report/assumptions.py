"""What a report says of its model: priors, options, the window, where it comes from."""

from collections.abc import Mapping
from typing import Any

from core import text as fmt
from core.charts import marks
from core.model import holdout
from core.model.prior import describe
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
    channel: ChannelSpec, max_lag: int, told: Mapping[str, Any]
) -> dict[str, str]:
    lag = max_lag if channel.max_lag is None else channel.max_lag
    carries = channel.kind != "non_media"
    return {
        "name": channel.name,
        "about": _ABOUT[str(told.get("kind") or channel.effective_prior_kind)],
        "prior": str(told.get("text") or describe(channel.treatment_prior)),
        "range": _range(told),
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
    names = content.summary.get("follows_demand", {}).get("channels", [])
    return {"Channels that follow demand": ", ".join(names)} if names else {}


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
    told = content.summary
    word = marks.period(content.weeks["time"].values)
    mapping = content.project.mapping
    return {
        "Window": f"{fmt.date(told['start'])} to {fmt.date(told['end'])}",
        "Periods": f"{told['n_times']} {word}s",
        "Geos": str(told["n_geos"]) if told["n_geos"] > 1 else "national",
        "KPI": mapping.kpi,
        "Controls": ", ".join(mapping.controls) or "none",
        "Data fingerprint": str(content.about.get("data_sha256", ""))[:12] or fmt.NONE,
    }


def _fit(content: Content) -> dict[str, str]:
    sampler, told = content.project.sampler, content.summary["diagnostics"]
    versions = content.about.get("versions") or {}
    return {
        "Run": str(content.about.get("run_id", "")),
        "Created": str(content.about.get("created", ""))[:16].replace("T", " ")
        + " UTC",
        "Chains and draws": f"{sampler.chains} chains, {sampler.warmup} warm-up, "
        f"{sampler.draws} draws each",
        "Seed and precision": f"{sampler.seed}, {sampler.precision}",
        "Largest R-hat": _plain(told.get("rhat_max"), 3),
        "Smallest effective draws": f"{_plain(told.get('ess_bulk_min'), 0)} bulk, "
        f"{_plain(told.get('ess_tail_min'), 0)} tail",
        "Divergences": str(told.get("divergences", fmt.NONE)),
        "Model check": check_line(content.summary.get("model_check")),
        "Versions": ", ".join(f"{name} {number}" for name, number in versions.items()),
    }


def _range(told: Mapping[str, Any]) -> str:
    if told.get("lo") is None:
        return fmt.NONE
    if told.get("kind") == "contribution":
        return f"{100 * told['lo']:.2g} to {100 * told['hi']:.2g}\u00a0%"
    return f"{fmt.roi(told['lo'])} to {fmt.roi(told['hi'])}"


def _plain(number: Any, decimals: int) -> str:
    return fmt.NONE if number is None else fmt.exact(float(number), decimals=decimals)
