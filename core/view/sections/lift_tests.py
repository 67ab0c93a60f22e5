"""Lift tests as tables: those that a project has, and those that could be next."""

from collections.abc import Sequence

from core import text as fmt
from core.estimate import Estimate
from core.experiments.design.precision import Precision
from core.experiments.design.record import Design
from core.experiments.kept import KeptTest
from core.text.languages.language import say
from core.text.languages.reworded import reworded
from core.text.lift_tests import KINDS
from core.view.sections.section import Table


def board_of(tests: Sequence[tuple[KeptTest, str, str]]) -> Table:
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


def _dates(test: KeptTest) -> str:
    if not (test.start and test.end):
        return fmt.NONE
    start, end = fmt.date(test.start), fmt.date(test.end)
    return say("{start} to {end}", start=start, end=end)


def designs_of(
    designs: Sequence[Design], units: fmt.Units, *, is_brief: bool = False
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


def precisions_of(designs: Sequence[Precision], outcome: str) -> Table:
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


def _said(helps: dict[str, str]) -> dict[str, str]:
    return {head: text for head, text in helps.items() if text}
