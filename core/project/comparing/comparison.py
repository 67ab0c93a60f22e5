"""Comparison of two runs: what they were given, what they found, and the verdict."""

from collections.abc import Mapping
from typing import Any, Literal

from core.errors import MMMError
from core.plan.against.compared_plans import ComparedPlans, compared_plans, why_not
from core.plan.comparison import MEASURES, Agreement, Difference, agreement, differences
from core.plan.plan import plan
from core.plan.response.curves import response_curves
from core.plan.scenario.scenario import scenario
from core.project.fits.run_differences import has_same_data, settings_that_differ
from core.project.fits.runs import Run
from core.store.results import open_dataset, read_json
from core.text import units, verdicts
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
    summaries = [read_json(run.folder, "summary") for run in (first, second)]
    apart = differences(*summaries)
    plans, reason = _plans(first, second)
    advice = [
        _advice(run, summary)
        for run, summary in zip((first, second), summaries, strict=True)
    ]
    channels = _channels(summaries, apart)
    everything = [*apart.values(), *(plans.spend if plans else ())]
    names = [[row["name"] for row in summary["channels"]] for summary in summaries]
    only = {
        side: [name for name in mine if name not in theirs]
        for side, mine, theirs in (("a", *names), ("b", *reversed(names)))
    }
    same_data = has_same_data(first, second)
    verdict = _verdict(summaries, agreement(everything), plans, same_data=same_data)
    verdict = _told(verdict, channels, advice, units(summaries[0]))
    spans = {(summary.get("start"), summary.get("end")) for summary in summaries}
    verdict["remarks"] += verdicts.not_compared(
        only, reason, same_periods=len(spans) == 1
    )
    return {
        "runs": [
            _about(run, summary)
            for run, summary in zip((first, second), summaries, strict=True)
        ],
        "verdict": verdict,
        "settings": settings_that_differ(first, second),
        "channels": channels,
        "advice": dict(zip("ab", advice, strict=True)),
        "only": only,
        "plan": plans.as_dict() if plans else None,
        "outcome_unit": summaries[0].get("outcome_unit"),
        "currency": summaries[0].get("currency"),
        "kpi_name": summaries[0].get("kpi_name"),
        "has_value": summaries[0].get("has_value", 1),
    }


def _about(run: Run, summary: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "run": str(run.folder),
        "run_id": run.run_id,
        "created": run.created,
        "verdict": (summary.get("diagnostics") or {}).get("verdict", ""),
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
    summaries: list[dict[str, Any]], apart: Mapping[tuple[str, str], Difference]
) -> list[dict[str, Any]]:
    """Each shared channel with its measures in both fits."""
    others = {row["name"]: row for row in summaries[1]["channels"]}
    channels = []
    for channel in summaries[0]["channels"]:
        other = others.get(channel["name"])
        if other is None:
            continue
        row: dict[str, Any] = {"name": channel["name"], "kind": channel["kind"]}
        for measure in MEASURES:
            difference = apart.get((channel["name"], measure))
            row[measure] = difference and (
                {"a": channel[measure], "b": other[measure]} | difference.as_dict()
            )
        channels.append(row)
    return channels


def _verdict(
    summaries: list[dict[str, Any]],
    said: Agreement,
    plans: ComparedPlans | None,
    *,
    same_data: bool,
) -> dict[str, Any]:
    """Whether the two give the same answer, in numbers, and remarks on that."""
    beyond = said.beyond
    if plans and plans.costs_nothing:  # other splits, as good by both fits
        beyond = tuple(each for each in beyond if each.measure != "spend")
    checks = [
        (summary.get("diagnostics") or {}).get("verdict") for summary in summaries
    ]
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


def _advice(run: Run, summary: Mapping[str, Any]) -> str:
    """What a fit advises on the budget that ran; empty where it cannot be planned."""
    try:
        curves = response_curves(open_dataset(run.folder, "curves"))
        verdict = (summary.get("diagnostics") or {}).get("verdict")
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
