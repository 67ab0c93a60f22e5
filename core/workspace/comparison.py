"""Comparison of two runs: what they were given, what they found, and the verdict."""

from collections.abc import Mapping
from typing import Any, Literal

from core.charts import format as fmt
from core.errors import MMMError
from core.plan.comparison import MEASURES, Agreement, Difference, agreement, differences
from core.plan.record.compared_plans import ComparedPlans, compared_plans, why_not
from core.plan.response.curves import response_curves
from core.workspace.results import open_dataset, read_json
from core.workspace.run_differences import has_same_data, settings_that_differ
from core.workspace.runs import Run

#: `same`: within Monte-Carlo error. `different`: by more. `other data`: another
#: question. `unknown`: nothing to judge by.
Status = Literal["same", "different", "other data", "unknown"]

NAMES = {"roi": "ROI", "mroi": "marginal ROI", "contribution": "contribution"}


def compare_runs(first: Run, second: Run) -> dict[str, Any]:
    """Two finished fits side by side.

    Args:
        first: The fit `a`.
        second: The fit `b`.

    Returns:
        Plain values: `runs`, `verdict` (status, text, remarks), `settings` that differ,
        `channels` with each measure of both and their difference in units of its
        Monte-Carlo error, `only` in one of them, and `plan`.

    Raises:
        WorkspaceError: A result is damaged or missing.
    """
    summaries = [read_json(run.folder, "summary") for run in (first, second)]
    found = differences(*summaries)
    plans, reason = _plans(first, second)
    everything = [*found.values(), *(plans.spend if plans else ())]
    names = [[row["name"] for row in told["channels"]] for told in summaries]
    only = {
        side: [name for name in mine if name not in theirs]
        for side, mine, theirs in (("a", *names), ("b", *reversed(names)))
    }
    same_data = has_same_data(first, second)
    verdict = _verdict(summaries, agreement(everything), plans, same_data=same_data)
    verdict["remarks"] += _remarks(summaries, only, reason)
    return {
        "runs": [
            _about(run, told)
            for run, told in zip((first, second), summaries, strict=True)
        ],
        "verdict": verdict,
        "settings": settings_that_differ(first, second),
        "channels": _channels(summaries, found),
        "only": only,
        "plan": plans.as_dict() if plans else None,
        "outcome_unit": summaries[0].get("outcome_unit"),
        "currency": summaries[0].get("currency"),
        "kpi_name": summaries[0].get("kpi_name"),
        "has_value": summaries[0].get("has_value", 1),
    }


def _about(run: Run, told: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "run": str(run.folder),
        "run_id": run.run_id,
        "created": run.created,
        "verdict": (told.get("diagnostics") or {}).get("verdict", ""),
        "seed": run.seed,
    }


def _plans(first: Run, second: Run) -> tuple[ComparedPlans | None, str]:
    """The plans of both fits, or why they cannot be compared."""
    try:
        one, other = (
            response_curves(open_dataset(run.folder, "curves"))
            for run in (first, second)
        )
    except MMMError as error:
        return None, error.message
    reason = why_not(one, other)
    return (None, reason) if reason else (compared_plans(one, other), "")


def _channels(
    summaries: list[dict[str, Any]], found: Mapping[tuple[str, str], Difference]
) -> list[dict[str, Any]]:
    """Each shared channel with its measures in both fits."""
    others = {row["name"]: row for row in summaries[1]["channels"]}
    rows = []
    for one in summaries[0]["channels"]:
        other = others.get(one["name"])
        if other is None:
            continue
        row: dict[str, Any] = {"name": one["name"], "kind": one["kind"]}
        for measure in MEASURES:
            given = found.get((one["name"], measure))
            row[measure] = given and (
                {"a": one[measure], "b": other[measure]} | given.as_dict()
            )
        rows.append(row)
    return rows


def _verdict(
    summaries: list[dict[str, Any]],
    said: Agreement,
    plans: ComparedPlans | None,
    *,
    same_data: bool,
) -> dict[str, Any]:
    """Whether the two give the same answer, in words and in numbers."""
    beyond = said.beyond
    if plans and plans.costs_nothing:  # other splits, as good by both fits
        beyond = tuple(one for one in beyond if one.measure != "spend")
    checks = [(told.get("diagnostics") or {}).get("verdict") for told in summaries]
    status: Status = "different" if beyond else "same"
    if not same_data:
        status = "other data"
    elif "failed" in checks or said.unknown or not said.n:
        status = "unknown"
    units = fmt.units(summaries[0])
    return {
        "status": status,
        "text": _sentence(status, said, beyond, units),
        "remarks": _counts(status, said, beyond, plans, checks),
        "compared": said.n,
        "limit": said.limit,
        "beyond": [_named(one) | one.as_dict() for one in beyond],
        "largest": said.largest and _named(said.largest) | said.largest.as_dict(),
        "resolution": said.resolution,
    }


def _named(one: Difference) -> dict[str, Any]:
    return {"channel": one.channel, "measure": one.measure, "a": one.a, "b": one.b}


def _sentence(
    status: Status, said: Agreement, beyond: tuple[Difference, ...], units: fmt.Units
) -> str:
    if status == "unknown":
        return "It cannot be said whether the two fits give the same answer."
    if said.is_identical:
        numbers = "The two fits give exactly the same numbers"
        return f"{numbers}{', from different data' * (status == 'other data')}."
    if status == "same":
        return "The two fits give the same answer within Monte-Carlo error."
    if not beyond:
        return (
            "The fits answer different questions: their data differ. What they share "
            "is no further apart than Monte-Carlo error, which may be chance."
        )
    worst = beyond[0]
    size = f"{_shown(worst, worst.a, units)} and {_shown(worst, worst.b, units)}"
    lead = "The two fits give different answers"
    if status == "other data":
        lead = "The fits answer different questions, as their data differ"
    return (
        f"{lead}: {NAMES.get(worst.measure, 'planned spend')} of {worst.channel} is "
        f"{size}, {abs(worst.units or 0):.1f} times the Monte-Carlo error apart."
    )


def _shown(one: Difference, value: float, units: fmt.Units) -> str:
    if one.measure in ("roi", "mroi"):
        return fmt.ratio(value)
    if one.measure == "spend":
        return fmt.money(value, units.currency)
    return units.show(value)


def _counts(
    status: Status,
    said: Agreement,
    beyond: tuple[Difference, ...],
    plans: ComparedPlans | None,
    checks: list[str | None],
) -> list[str]:
    """What the verdict rests on."""
    told = []
    if said.n and not said.is_identical:
        how_many = f"{len(beyond)} of {said.n} numbers differ"
        if not beyond:
            how_many = f"None of {said.n} numbers differs"
        told.append(
            f"{how_many} by more than {said.limit:.1f} Monte-Carlo errors, which "
            "chance alone brings in one comparison in a hundred."
        )
    if status == "same" and said.resolution and not said.is_identical:
        told.append(
            f"A difference of {said.resolution:.2f} posterior standard deviations "
            "would have been seen in every number."
        )
    if plans:
        shares = [f"{100 * max(loss['share'], 0):.2f}\u00a0%" for loss in plans.losses]
        told.append(
            f"The best split of B would lose {shares[0]} of the outcome by fit A; that "
            f"of A would lose {shares[1]} by fit B."
        )
    for side, check in zip("AB", checks, strict=True):
        if check != "trustworthy":
            told.append(f"Fit {side} is {check or 'of unknown quality'}.")
    if said.unknown:
        told.append(
            "A fit was made before Monte-Carlo errors were kept; fit again to compare."
        )
    return told


def _remarks(
    summaries: list[dict[str, Any]], only: Mapping[str, list[str]], reason: str
) -> list[str]:
    """What is not compared, and why."""
    told = [
        f"Only in fit {side.upper()}: {', '.join(names)}."
        for side, names in only.items()
        if names
    ]
    if reason:
        told.append(f"Plans are not compared: {reason.rstrip('.')}.")
    spans = {(one.get("start"), one.get("end")) for one in summaries}
    if len(spans) > 1:
        told.append("The fits cover different periods, so contributions do too.")
    return told
