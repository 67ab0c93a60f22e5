"""Comparison of two runs: what they were given, what they found, and the verdict."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from core.analysis.record.fit_record import FitRecord
from core.errors import MMMError
from core.plan.against.compared_plans import ComparedPlans, compared_plans, why_not
from core.plan.comparison import (
    MEASURES,
    Agreement,
    Both,
    ComparedChannel,
    Difference,
    agreement,
    differences,
)
from core.plan.plan import plan
from core.plan.response.curves import response_curves
from core.plan.scenario.scenario import scenario
from core.project.comparing.records import (
    Amount,
    Comparison,
    Side,
    Splits,
    Status,
    TwoFits,
)
from core.project.fits.run_differences import has_same_data, settings_that_differ
from core.project.fits.runs import Run
from core.store.fit_results import read_fit
from core.store.results import open_dataset
from core.text import verdicts
from core.text.fits import two_fits
from core.text.units import Units


def compare_runs(first: Run, second: Run) -> Comparison:
    """Two finished fits side by side.

    Args:
        first: The fit `a`.
        second: The fit `b`.

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
    text = agreement(everything)
    verdict = _verdict(fits, text, plans, same_data=same_data)
    verdict = _told(verdict, channels, advice, fits[0].units, text.is_identical)
    spans = {(fit.start, fit.end) for fit in fits}
    missing = verdicts.not_compared(only, reason, same_periods=len(spans) == 1)
    return Comparison(
        runs=(_about(first, fits[0].verdict), _about(second, fits[1].verdict)),
        verdict=replace(verdict, remarks=(*verdict.remarks, *missing)),
        settings=settings_that_differ(first, second),
        channels=channels,
        advice=dict(zip("ab", advice, strict=True)),
        only=only,
        plan=None if plans is None else _splits(plans),
        **fits[0].unit_names,
    )


def _about(run: Run, verdict: str) -> Side:
    return Side(
        run=str(run.folder),
        run_id=run.run_id,
        created=run.created,
        verdict=verdict,
        seed=run.seed,
    )


def _splits(plans: ComparedPlans) -> Splits:
    first, second = plans.losses
    return Splits(
        budget=plans.budget,
        channels=tuple(
            Amount(name=each.channel, a=each.a, b=each.b, **each.apart)
            for each in plans.spend
        ),
        loss_of_b_under_a=first,
        loss_of_a_under_b=second,
    )


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
) -> tuple[ComparedChannel, ...]:
    """Each shared channel with its measures in both fits."""
    others = {channel.name: channel for channel in fits[1].channels}
    channels = []
    for channel in fits[0].channels:
        other = others.get(channel.name)
        if other is None:
            continue
        results = {name: apart.get((channel.name, name)) for name in MEASURES}
        both = {
            name: Both(a=getattr(channel, name), b=getattr(other, name), **each.apart)
            for name, each in results.items()
            if each is not None
        }
        channels.append(ComparedChannel(name=channel.name, kind=channel.kind, **both))
    return tuple(channels)


def _verdict(
    fits: list[FitRecord],
    result: Agreement,
    plans: ComparedPlans | None,
    *,
    same_data: bool,
) -> TwoFits:
    """Whether the two give the same answer, in numbers, and remarks on that."""
    beyond = result.beyond
    if plans and plans.costs_nothing:  # other splits, as good by both fits
        beyond = tuple(each for each in beyond if each.measure != "spend")
    checks = [fit.verdict for fit in fits]
    status: Status = "different" if beyond else "same"
    if not same_data:
        status = "other data"
    elif "failed" in checks or result.unknown or not result.n:
        status = "unknown"
    verdict = TwoFits(
        status=status,
        compared=result.n,
        limit=result.limit,
        beyond=beyond,
        largest=result.largest,
        resolution=result.resolution,
        remarks=(),
    )
    remarks = verdicts.evidence(
        verdict,
        [loss.share for loss in plans.losses] if plans else [],
        checks,
        is_identical=result.is_identical,
        is_old=bool(result.unknown),
    )
    return replace(verdict, remarks=tuple(remarks))


def _advice(run: Run, verdict: str) -> str:
    """What a fit advises on the budget that ran; empty where it cannot be planned."""
    try:
        curves = response_curves(open_dataset(run.folder, "curves"))
        return plan(curves, scenario(curves), verdict=verdict).advice
    except MMMError:
        return ""


def _told(
    verdict: TwoFits,
    channels: Sequence[ComparedChannel],
    advice: list[str],
    words: Units,
    is_identical: bool,
) -> TwoFits:
    """The verdict in words: one sentence in all, and one each for what it rests on."""
    status = verdict.status
    if status == "same" and two_fits.other_widths(channels, verdict.limit):
        status = "sharper"
    has_same_advice = advice[0] == advice[1] if all(advice) else None
    findings = [] if is_identical else [two_fits.means(verdict.beyond, words)]
    if not is_identical:
        findings.append(two_fits.intervals(channels, verdict.limit))
    findings.append(two_fits.advice(*advice))
    text = two_fits.headline(
        status, is_identical=is_identical, has_same_advice=has_same_advice
    )
    lines = tuple(line for line in findings if line)
    return replace(verdict, status=status, text=text, findings=lines)
