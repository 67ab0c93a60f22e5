"""Origin: which fit and which day a plan comes from, and what the newest fit says."""

from collections.abc import Iterable

from core import text as fmt
from core.plan.record.plan_record import PlanRecord
from core.project.refresh.record import ScoredPlan
from core.project.refresh.standing import Standing
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from core.view.advice import WORDS, advice_in_words, kept
from core.view.plan_claim import plan_claim, tidied

#: Why the response of a plan differs between two fits.
_CAUSES = {
    "data": marked("from other data"),
    "model": marked("from another model"),
    "data and model": marked("from other data and another model"),
    "simulation": marked("within simulation error"),
}

#: What a plan gains by the newest fit, which scores weeks by their channels' totals.
_GAIN = marked(
    "There is a newer fit, of {day}: by it, this plan gains {gain} over {over}, with a "
    "probability of {odds}."
)
_GAIN_LEFT = marked(
    "There is a newer fit, of {day}: by it, this plan gains {gain} in the weeks that "
    "are left, {first} to {last}, over {over}, with a probability of {odds}."
)
_TOTALS_GAIN = marked(
    "There is a newer fit, of {day}: by it, this plan's totals by channel, in the "
    "timing that ran, gain {gain} over {over}, with a probability of {odds}."
)
_TOTALS_GAIN_LEFT = marked(
    "There is a newer fit, of {day}: by it, this plan's totals by channel, in the "
    "timing that ran, gain {gain} in the weeks that are left, {first} to {last}, over "
    "{over}, with a probability of {odds}."
)
#: A plan that the newest fit does not score; the same on Compare itself.
_OLDER = marked(
    "There is a newer fit, of {day}: the numbers of this plan are of the older one. "
    "Plan these periods again, or score the plan on Compare."
)
_OLDER_COMPARED = marked(
    "There is a newer fit, of {day}: the numbers of this plan are of the older one."
)
#: What a plan claims that the newest fit advises otherwise on, by that fit's advice.
_CLAIM_NOW = {
    "keep": marked("Keep {what}: the newest fit does not recommend this plan"),
    "test": marked("Test first: the newest fit does not recommend this plan"),
    "change": marked("The newest fit recommends this plan; its own fit did not"),
}
#: What to do about it: where it says why, and for what weeks gain.
_SEE_WHY = marked("Compare shows why that differs.")
_WEEKS_AGAIN = marked("Plan the weeks again for what their timing gains.")


def fit_day(run_id: str) -> str:
    """The day of a fit, from its identifier; empty where it has none."""
    digits = run_id[:8]
    if len(digits) < 8 or not digits.isdigit():
        return ""
    return fmt.date(f"{digits[:4]}-{digits[4:6]}-{digits[6:]}")


def origin(plan: PlanRecord) -> str:
    """The day of a plan, and its fit, in a sentence.

    Empty where the plan was made with no fit that is kept.
    """
    fitted = fit_day(plan.run_id)
    if not fitted:
        return ""
    if not plan.created:
        return say("Planned with the fit of {fitted}.", fitted=fitted)
    return say(
        "Planned {day} with the fit of {fitted}.",
        day=fmt.date(plan.created[:10]),
        fitted=fitted,
    )


def origin_lines(
    plan: PlanRecord,
    standing: Standing,
    units: fmt.Units,
    *,
    is_compared: bool = False,
) -> list[str]:
    """The same, and where there is a newer fit, what that says of the plan.

    Args:
        plan: The plan.
        standing: Beside the newest fit.
        units: Words for the units.
        is_compared: Whether it stands where plans are compared, so that nobody is sent
            there.
    """
    lines = [line for line in [origin(plan)] if line]
    if not standing.is_older:
        return lines
    day = fit_day(standing.newest)
    if standing.gain is None and is_over(plan, standing.data_end):
        return [
            *lines,
            say(
                "There is a newer fit, of {day}, whose data have all periods of this "
                "plan: History shows what came of it.",
                day=day,
            ),
        ]
    if standing.gain is None:
        older = _OLDER_COMPARED if is_compared else _OLDER
        return [*lines, say(older, day=day)]
    now = [_gained(plan, standing, units)]
    if plan.over == "weeks":
        now.append(say(_WEEKS_AGAIN))
    elif not is_compared:
        now.append(say(_SEE_WHY))
    return [*lines, " ".join(now), *_changes(standing, units)]


def _gained(plan: PlanRecord, standing: Standing, units: fmt.Units) -> str:
    """What a plan gains by the newest fit, over what it is compared with."""
    places = {
        "day": fit_day(standing.newest),
        "gain": units.estimate(standing.gain, bare=True, signed=True),
        "over": plan.horizon.compared(is_scaled=plan.current_scaled),
        "odds": fmt.probability(standing.gain.probability_positive),
    }
    if standing.window is None:
        return say(_TOTALS_GAIN if plan.over == "weeks" else _GAIN, **places)
    first, last = map(fmt.date, standing.window)
    pattern = _TOTALS_GAIN_LEFT if plan.over == "weeks" else _GAIN_LEFT
    return say(pattern, first=first, last=last, **places)


def is_over(plan: PlanRecord, data_end: str) -> bool:
    """Whether data have all periods of a plan that were ahead when it was made.

    Args:
        plan: The plan.
        data_end: First day of the last period of the data; empty where unknown.
    """
    ahead = plan.horizon
    return not ahead.as_fitted and "" < ahead.end <= data_end


def _changes(standing: Standing, units: fmt.Units) -> list[str]:
    """How the advice changed with the newest fit; nothing where it did not."""
    if standing.again is None or not standing.is_changed:
        return []
    return [changed(standing.again, units)]


def changed_plans(standings: Iterable[tuple[PlanRecord, Standing]]) -> list[str]:
    """Saved plans whose advice the newest fit changed, each in sentences.

    Args:
        standings: Of `core.service.plans.changed`.
    """
    return [
        fmt.named(plan.title, changed(stood.again, plan.units))
        for plan, stood in standings
    ]


def changed(again: ScoredPlan, units: fmt.Units) -> str:
    """How the advice on a plan changed with a fit, and why, in sentences.

    Args:
        again: The plan by that fit (plans.json).
        units: Words for the units.
    """
    was, now = say(WORDS[again.was]), say(WORDS[again.advice])
    before, after = (
        units.estimate(each, bare=True) for each in (again.before, again.after)
    )
    moved = again.after.mean - again.before.mean
    # What moved the other way is no part of it.
    with_it = [row for row in again.channels if row.response * moved > 0]
    most = max(with_it, key=lambda row: abs(row.response), default=None)
    cause = say(_CAUSES.get(again.cause, ""))
    if most is not None:
        cause = say(
            "{cause}, most of it {channel}'s response ({moved})",
            cause=cause,
            channel=most.name,
            moved=units.show(most.response, signed=True),
        )
    names = [row.name for row in again.channels]
    lines = [
        say(
            "The advice changed: {was} by the plan's own fit, {now} by the newest.",
            was=was,
            now=now,
        ),
        *(reworded(reason, names) for reason in again.reasons),
        say(
            "What its media bring from {start} to {end} was {before} and is {after}, "
            "{cause}.",
            start=fmt.date(again.start),
            end=fmt.date(again.end),
            before=before,
            after=after,
            cause=cause,
        ),
    ]
    return " ".join(lines)


def advice_now(plan: PlanRecord, standing: Standing) -> str:
    """The advice on a plan in a cell, with the newer one where that differs."""
    text = advice_in_words(plan)
    if not standing.is_changed:
        return text
    now = say(WORDS[standing.again.advice])
    return say("{advice}; changed to {now} by the newest fit", advice=text, now=now)


def claim_now(plan: PlanRecord, standing: Standing, units: fmt.Units) -> str:
    """The claim of a plan, or what the newest fit says instead.

    Args:
        plan: The plan.
        standing: Where it stands beside the newest fit.
        units: Words for the units.
    """
    if not standing.is_changed:
        return plan_claim(plan, units)
    return tidied(say(_CLAIM_NOW[standing.again.advice], what=kept(plan)))


def made_with(plan: PlanRecord, standing: Standing) -> str:
    """The fit of a plan in a cell of a table: `2 Jan 2026, older`."""
    day = fit_day(plan.run_id) or fmt.NONE
    return say("{day}, older", day=day) if standing.is_older else day


def odds_now(plan: PlanRecord, standing: Standing) -> str:
    """Odds of a gain by the newest fit, in a cell; a dash where nobody knows."""
    gain = standing.gain if standing.is_older else plan.gain
    return fmt.probability(gain and gain.probability_positive)
