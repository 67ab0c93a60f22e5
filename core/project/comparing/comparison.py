"""Comparison of two runs: what they were given, what they found, and the verdict."""

from collections.abc import Mapping
from typing import Any, Literal

from core.analysis.record.fit_record import FitRecord
from core.errors import MMMError
from core.plan.against.compared_plans import ComparedPlans, compared_plans, why_not
from core.plan.comparison import MEASURES, Agreement, Difference, agreement, differences
from core.plan.plan import plan
from core.plan.response.curves import response_curves
from core.plan.scenario.scenario import scenario
from core.project.fits.run_differences import has_same_data, settings_that_differ
from core.project.fits.runs import Run
from core.store.fit_results import read_fit
from core.store.results import open_dataset
from core.text import verdicts
from core.text.fits import two_fits
from core.text.units import Units

#: `same`: means within Monte-Carlo error, intervals as wide. `sharper`: means so,
#: intervals not. `different`: means by more. `other data`: another question.
#: `unknown`: nothing to judge by.
Status = Literal["same", "sharper", "different", "other data", "unknown"]


def compare_runs(first: Run, second: Run) -> dict[str, Any]:
    """Two finished fits side by side.

    Args:
        first: The fit `a`.
        second: The fit `b`.

    Returns:
        Plain values: `runs`, `verdict` (status, text; findings on means, intervals and
        advice; remarks for analysts), `advice` of both, `settings` that differ,
        `channels` with each measure of both and their difference in units of its
        Monte-Carlo error, `only` in one of them, and `plan`.

    Raises:
        WorkspaceError: A result is damaged or missing.
    """
    fits = [read_fit(run.folder) for run in (first, second)]
    apart = differences(*(fit.channels for fit in fits))
    plans, reason = _plans(first, second)
    advice = [
        _advice(run, fit.verdict)
        for run, fit in zip((first, second), fits, strict=True)
    ]
    channels = _channels(fits, apart)
    everything = [*apart.values(), *(plans.spend if plans else ())]
    names = [[channel.name for channel in fit.channels] for fit in fits]
    only = {
        side: [name for name in mine if name not in theirs]
        for side, mine, theirs in (("a", *names), ("b", *reversed(names)))
    }
    same_data = has_same_data(first, second)
    verdict = _verdict(fits, agreement(everything), plans, same_data=same_data)
    verdict = _told(verdict, channels, advice, fits[0].units)
    spans = {(fit.start, fit.end) for fit in fits}
    verdict["remarks"] += verdicts.not_compared(
        only, reason, same_periods=len(spans) == 1
    )
    return {
        "runs": [
            _about(run, fit.verdict)
            for run, fit in zip((first, second), fits, strict=True)
        ],
        "verdict": verdict,
        "settings": settings_that_differ(first, second),
        "channels": channels,
        "advice": dict(zip("ab", advice, strict=True)),
        "only": only,
        "plan": plans.as_dict() if plans else None,
        **fits[0].unit_names,
    }


def _about(run: Run, verdict: str) -> dict[str, Any]:
    return {
        "run": str(run.folder),
        "run_id": run.run_id,
        "created": run.created,
        "verdict": verdict,
        "seed": run.seed,
    }


def _plans(first: Run, second: Run) -> tuple[ComparedPlans | None, str]:
    """The plans of both fits, or why they cannot be compared."""
    try:
        first_curves, second_curves = (
            response_curves(open_dataset(run.folder, "curves"))
            for run in (first, second)
        )
    except MMMError as error:
        return None, error.message
    reason = why_not(first_curves, second_curves)
    return (
        (None, reason) if reason else (compared_plans(first_curves, second_curves), "")
    )


def _channels(
    fits: list[FitRecord], apart: Mapping[tuple[str, str], Difference]
) -> list[dict[str, Any]]:
    """Each shared channel with its measures in both fits."""
    others = {channel.name: channel for channel in fits[1].channels}
    channels = []
    for channel in fits[0].channels:
        other = others.get(channel.name)
        if other is None:
            continue
        row: dict[str, Any] = {"name": channel.name, "kind": channel.kind}
        for measure in MEASURES:
            difference = apart.get((channel.name, measure))
            row[measure] = difference and (
                {"a": getattr(channel, measure), "b": getattr(other, measure)}
                | difference.as_dict()
            )
        channels.append(row)
    return channels


def _verdict(
    fits: list[FitRecord],
    said: Agreement,
    plans: ComparedPlans | None,
    *,
    same_data: bool,
) -> dict[str, Any]:
    """Whether the two give the same answer, in numbers, and remarks on that."""
    beyond = said.beyond
    if plans and plans.costs_nothing:  # other splits, as good by both fits
        beyond = tuple(each for each in beyond if each.measure != "spend")
    checks = [fit.verdict for fit in fits]
    status: Status = "different" if beyond else "same"
    if not same_data:
        status = "other data"
    elif "failed" in checks or said.unknown or not said.n:
        status = "unknown"
    verdict = {
        "status": status,
        "compared": said.n,
        "limit": said.limit,
        "beyond": [difference.as_row() for difference in beyond],
        "largest": said.largest and said.largest.as_row(),
        "resolution": said.resolution,
    }
    losses = plans.losses if plans else ()
    return verdict | {
        "is_identical": said.is_identical,
        "remarks": verdicts.evidence(
            verdict,
            [loss["share"] for loss in losses],
            checks,
            is_identical=said.is_identical,
            is_old=bool(said.unknown),
        ),
    }


def _advice(run: Run, verdict: str) -> str:
    """What a fit advises on the budget that ran; empty where it cannot be planned."""
    try:
        curves = response_curves(open_dataset(run.folder, "curves"))
        return plan(curves, scenario(curves), verdict=verdict).advice.advice
    except MMMError:
        return ""


def _told(
    verdict: dict[str, Any],
    channels: list[dict[str, Any]],
    advice: list[str],
    words: Units,
) -> dict[str, Any]:
    """The verdict in words: one sentence in all, and one each for what it rests on."""
    if verdict["status"] == "same" and two_fits.other_widths(channels):
        verdict["status"] = "sharper"
    has_same_advice = advice[0] == advice[1] if all(advice) else None
    is_identical = verdict.pop("is_identical")
    findings = [] if is_identical else [two_fits.means(verdict["beyond"], words)]
    if not is_identical:
        findings.append(two_fits.intervals(channels))
    findings.append(two_fits.advice(*advice))
    return verdict | {
        "text": two_fits.headline(
            verdict["status"],
            is_identical=is_identical,
            has_same_advice=has_same_advice,
        ),
        "findings": [line for line in findings if line],
    }
