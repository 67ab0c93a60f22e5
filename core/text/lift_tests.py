"""Words on lift tests: what one did to the model and to the plan."""

from collections.abc import Iterable, Sequence
from typing import Any

from core.text.languages.language import marked, say
from core.text.numbers import estimate, money, probability, share
from core.text.sentences import listed
from core.text.units import Units

#: What a kind of test does to spend, as screens say it.
KINDS = {
    "dark": marked("spend off"),
    "dim": marked("less spend"),
    "heavy-up": marked("more spend"),
}
#: Channels whose money is said to have moved, the most first.
_MOST = 2


def tested(channels: Iterable[str]) -> str:
    """The channels of a test, in words."""
    return say(" and ").join(channels)


def what_they_did(tests: Sequence[Any], units: Units) -> list[tuple[str, str]]:
    """Name of each test and what it did; what no plan can be compared for comes once.

    Args:
        tests: See `core.project.lift_tests.tested_fits.LiftTestEffect`.
        units: Words for the units.
    """
    pairs = [(test.name, what_it_did(test, units)) for test in tests]
    alone = [test.name for test in tests if not test.plan and not test.fit_before]
    if alone:
        name, text = pairs[-1]
        more = say(
            "Plans cannot be compared: there is no earlier fit without {names}.",
            names=listed(alone),
        )
        pairs[-1] = name, f"{text} {more}"
    return pairs


def what_it_did(test: Any, units: Units) -> str:
    """What a test said, what the model says with and without it, how the plan moved.

    Args:
        test: See `core.project.lift_tests.tested_fits.LiftTestEffect`.
        units: Words for the units.
    """
    lines = [say("The test found {outcome}.", outcome=_outcome(test.result, units))]
    now = _outcome(test.now, units)
    if test.without is not None and test.without.is_known:
        alone = _outcome(test.without, units)
        lines.append(
            say(
                "The model says {now} with the test; {alone} without it.",
                now=now,
                alone=alone,
            )
        )
    elif test.before:
        before = _outcome(test.before, units)
        lines.append(
            say(
                "The model says {now} with the test; the fit without it said {before}.",
                before=before,
                now=now,
            )
        )
    else:
        lines.append(say("The model says {now} with the test.", now=now))
    if not test.agrees:
        lines.append(say("Test and model disagree: see the verdict on the fit."))
    if test.plan:
        lines += _plan(test, units)
    return " ".join(lines)


def _plan(test: Any, units: Units) -> list[str]:
    """How the best plan moved, what that is worth, and what was expected."""
    plan, worth = test.plan, test.plan.worth
    moved = money(plan.moved, units.currency)
    steps = sorted(plan.channels, key=lambda each: -abs(each.after - each.before))
    names = [
        f"{each.name} {_change(each, units)}"
        for each in steps[:_MOST]
        if abs(each.after - each.before) >= 0.005 * plan.budget
    ]
    where = f" ({', '.join(names)})" if names else ""
    lines = [
        say(
            "Against the last fit without the test, the best plan of {weeks} weeks "
            "moves {money}, {share} of the budget{where}.",
            weeks=plan.weeks,
            money=moved,
            share=share(plan.share),
            where=where,
        )
    ]
    if not plan.moved:
        return [
            say("The best plan is the same as that of the last fit without the test.")
        ]
    odds = probability(worth.probability_positive)
    lines.append(
        say(
            "By this fit that is worth {outcome}, above zero with a "
            "probability of {odds}.",
            outcome=_outcome(worth, units),
            odds=odds,
        )
    )
    if test.expected is not None:
        lines.append(
            say("The design expected {expected}.", expected=units.show(test.expected))
        )
    return lines


def _change(channel: Any, units: Units) -> str:
    change = channel.after - channel.before
    return money(change, units.currency, signed=True)


def _outcome(outcome: Any, units: Units) -> str:
    if units.is_money:
        return estimate(outcome, "money", units.currency)
    return estimate(outcome, "number", units.outcome)
