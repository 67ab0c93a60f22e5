"""The next test: which design to run, or that none is worth its cost; its name.

Of a project that has no result to show yet, the next step in a sentence.
"""

from collections.abc import Mapping, Sequence

from core import text as fmt
from core.data.mapping import ColumnMapping
from core.experiments.design.candidate import Design
from core.text.languages.language import marked, say
from core.text.lift_tests import KINDS


def named(design: Design) -> str:
    """The name that a design gets as a planned test, in the reader's language."""
    return say(
        "{channel}, {kind}, {start}",
        channel=design.channel,
        kind=say(KINDS[design.kind]),
        start=fmt.date(design.start),
    )


def worth_nothing(design: Design, units: fmt.Units) -> str:
    """What is to be known of a design that is planned though it does not pay; or empty.

    Args:
        design: What is planned.
        units: Words for the units.
    """
    if design.net.mean > 0:
        return ""
    return say(
        "By this fit the test is not worth its cost: {net} in expectation, worth it "
        "with a probability of {odds}. Run it only for a reason the fit does not know.",
        net=units.show(design.net.mean, signed=True),
        odds=fmt.probability(design.net.probability_positive),
    )


def next_test(designs: Sequence[Design], units: fmt.Units) -> tuple[str, str]:
    """The advice and what it rests on: `Run this:` and a sentence.

    Args:
        designs: By net value, the best first.
        units: Words for the units.
    """
    if not designs or designs[0].net.mean <= 0:
        return say("None is worth its cost:"), say("plan without a test.")
    best = designs[0]
    return say("Run this:"), say(
        "{channel}, {kinds}, {weeks} from {start}{where}: {net} after its cost, worth "
        "it with a probability of {odds}.",
        channel=best.channel,
        kinds=say(KINDS[best.kind]),
        weeks=fmt.count(best.weeks, "week"),
        start=fmt.date(best.start),
        where=say(" in {geos}", geos=fmt.listed(best.geos)) if best.geos else "",
        net=units.show(best.net.mean, signed=True),
        odds=fmt.probability(best.net.probability_positive),
    )


#: By the state of its card.
_NEXT: Mapping[str, str] = {
    "empty": marked("Next: drop a file on Data."),
    "ready": marked("Next: look at the findings on Data, then fit."),
    "out_of_date": marked("Next: fit again to bring the results up to date."),
}


def next_step(state: str, mapping: ColumnMapping | None = None) -> str:
    """What a project holds, and what to do with it; empty where it needs nothing.

    Args:
        state: Of its card, see `core.project.shelf.cards.ProjectCard`.
        mapping: Its columns; None where they cannot be read or do not matter.
    """
    if state not in _NEXT:
        return ""
    step = say(_NEXT[state])
    if mapping is None or state != "ready":
        return step
    kpi = fmt.spoken(mapping.kpi)
    return say(
        "{kpi} and {channels}. {step}",
        kpi=kpi[:1].upper() + kpi[1:],
        channels=fmt.count(len(mapping.channels), "channel"),
        step=step,
    )
