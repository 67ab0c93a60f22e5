"""Lift tests as tables: those that a project has, and those that could be next."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from core import text as fmt
from core.analysis.record.sections import BeforeAndAfter, LiftTestResult
from core.estimate import Estimate
from core.text.languages.language import say
from core.text.languages.reworded import reworded
from core.text.lift_tests import KINDS, tested
from core.view.sections.section import Table

if TYPE_CHECKING:
    from core.experiments.design.precision import Precision
    from core.experiments.design.record import Design
    from core.experiments.kept import KeptTest


def board_of(tests: Sequence[tuple["KeptTest", str, str]]) -> Table:
    """The tests of a project: each with its state, and what is next."""
    heads = say("Test"), say("State"), say("What is next")
    rows = [
        (
            test.name,
            reworded(state),
            reworded(following),
            fmt.listed(test.channels),
            fmt.listed(test.geos, limit=2) or say("all"),
            _dates(test),
        )
        for test, state, following in tests
    ]
    heads += say("Channel"), say("Geos"), say("Dates")
    return Table(say("Lift tests by state"), heads, rows, texts=len(heads))


def _dates(test: "KeptTest | LiftTestResult") -> str:
    if not (test.start and test.end):
        return fmt.NONE
    start, end = fmt.date(test.start), fmt.date(test.end)
    return say("{start} to {end}", start=start, end=end)


def designs_of(
    designs: "Sequence[Design]", units: fmt.Units, *, is_brief: bool = False
) -> Table:
    """Tests that could be next, by what they bring to the next plan.

    Args:
        designs: The best first.
        units: Words for the units.
        is_brief: Whether intervals are left out, as in a terminal.
    """

    def shown(number: Estimate) -> str:
        if is_brief:
            return units.show(number.mean)
        if units.is_money:
            return fmt.estimate(number, "money", units.currency)
        return fmt.estimate(number, "number")

    unit = units.outcome
    heads = {
        say("Channel"): "",
        say("Test"): say("Spend off, half of it, or half as much again."),
        say("Weeks"): "",
        say("Starts"): say("The best of a few starts."),
        say("Geos"): say("How many are treated; choose a row for names."),
        say("Lift"): say("Smallest lift: found 8 times in 10."),
        say("Power"): say("To detect what the model expects."),
        say("Cost, {unit}", unit=unit): "",
        say("Value, {unit}", unit=unit): say("To the plan of the next year."),
        say("Net, {unit}", unit=unit): "",
        say("Pays"): say("Probability that it pays for itself"),
    }
    rows = [
        (
            each.channel,
            say(KINDS[each.kind]),
            str(each.weeks),
            fmt.date(each.start),
            str(len(each.geos) or say("all")),
            fmt.percent(each.mde),
            fmt.share(each.power),
            shown(each.cost),
            units.show(each.value),
            shown(each.net),
            fmt.probability(each.net.probability_positive),
        )
        for each in designs
    ]
    title = say("Designs of tests, the best first")
    return Table(title, list(heads), rows, texts=2, helps=_said(heads))


def precisions_of(designs: "Sequence[Precision]", outcome: str) -> Table:
    """Tests by how small a lift they find.

    Args:
        designs: The most precise first.
        outcome: Its unit.
    """
    lifts = list(designs[0].power) if designs else []
    heads = {
        say("Weeks"): "",
        say("Treated geos"): "",
        say("Smallest lift"): say("Detected 8 times in 10."),
        say("In {outcome}", outcome=outcome): "",
    }
    heads |= {say("Power at {lift} %", lift=f"{100 * lift:g}"): "" for lift in lifts}
    rows = [
        (
            str(each.weeks),
            ", ".join(each.geos) or say("all"),
            fmt.percent(each.mde),
            fmt.number(each.mde_outcome),
            *(fmt.share(each.power[lift]) for lift in lifts),
        )
        for each in designs
    ]
    title = say("Tests by how small a lift they find")
    return Table(title, list(heads), rows, texts=2, helps=_said(heads))


def results_of(
    tests: Sequence[LiftTestResult], units: fmt.Units, *, is_brief: bool = False
) -> Table:
    """What each test in a model found, and what it did to the model.

    Args:
        tests: Of a fit.
        units: Words for its units.
        is_brief: Leave out what analysts alone ask for.
    """
    result, model, alone = (
        say("The test"),
        say("With the test"),
        say("Without the test"),
    )
    apart, narrower = say("Apart, SE"), say("Narrower, %")
    roi = say("ROI without it"), say("ROI with it")
    columns = {
        say("Lift test"): [tested(test.channels) for test in tests],
        say("Dates"): [_dates(test) for test in tests],
        say("Verdict"): [
            say("agrees") if test.agrees else say("in tension") for test in tests
        ],
        result: [units.estimate(test.test, bare=True) for test in tests],
        model: [units.estimate(test.posterior, bare=True) for test in tests],
        alone: [units.estimate(test.without, bare=True) for test in tests],
        roi[0]: [_roi(test, "without") for test in tests],
        roi[1]: [_roi(test, "posterior") for test in tests],
        apart: [
            fmt.ratio(test.standard_errors_apart, signed=True, decimals=1)
            for test in tests
        ],
        narrower: [fmt.exact(_narrower(test.roi), decimals=0) for test in tests],
    }
    for head in (apart, narrower) if is_brief else ():
        del columns[head]
    helps = {
        apart: say(
            "Test less model, in standard errors of the test. Beyond 2, or beyond 2 "
            "for the model without the test, they are in tension."
        ),
        alone: say(
            "From reweighted draws. A dash: the test weighs too much for that; fit "
            "without it to see."
        ),
        narrower: say("How much the test narrowed the ROI's 90 % interval."),
    }
    helps |= dict.fromkeys((result, model), units.outcome)
    helps |= dict.fromkeys(roi, units.roi)
    rows = list(zip(*columns.values(), strict=True))
    return Table("", list(columns), rows, texts=3, helps=helps)


def _roi(test: LiftTestResult, side: Literal["without", "posterior"]) -> str:
    return fmt.estimate(test.roi and getattr(test.roi, side), "ratio")


def _narrower(roi: BeforeAndAfter | None) -> float | None:
    """By how much the test narrowed the interval of ROI, in percent."""
    if roi is None or not (roi.without.is_known and roi.posterior.is_known):
        return None
    without, with_it = (each.hi - each.lo for each in (roi.without, roi.posterior))
    return 100 * (1 - with_it / without) if without > 0 else None


def _said(helps: dict[str, str]) -> dict[str, str]:
    return {head: text for head, text in helps.items() if text}
