"""Brief of a lift test: one page for those who carry it out."""

from collections.abc import Sequence

from core import text as fmt
from core.experiments.kept import KeptTest
from core.experiments.life import SpendOfTest
from core.project.settings.definition import Project
from core.report.template import filled
from core.text.languages.language import marked, say, spoken_in
from core.text.languages.locale import locale_in

#: What is done with channels in places: today until a day, or from a day on.
_LEADS = {
    "dark": marked("Switch off {channels} in {places} from {start} to {end}."),
    "dim": marked("Halve {channels} in {places} from {start} to {end}."),
    "heavy-up": marked("Raise {channels} by half in {places} from {start} to {end}."),
}
_BEGIN = {
    "dark": marked("Switch off {channels} in {places} on {start}."),
    "dim": marked("Halve {channels} in {places} on {start}."),
    "heavy-up": marked("Raise {channels} by half in {places} on {start}."),
}
#: What a geo is in the test.
_ARMS = {"treatment": marked("treatment"), "control": marked("control")}


def brief(
    test: KeptTest,
    spend: Sequence[SpendOfTest],
    units: fmt.Units,
    project: Project,
) -> str:
    """The brief as an HTML page that needs nothing else, in the project's language.

    Args:
        test: As the workspace keeps it, planned from a design.
        spend: Rows of `core.experiments.life.spend_of_test`.
        units: Of the project.
        project: Whose test it is.
    """
    how = locale_in(project.language, project.locale)
    with fmt.written_in(how), spoken_in(project.language):
        return _page(test, spend, units)


def _page(test: KeptTest, spend: Sequence[SpendOfTest], units: fmt.Units) -> str:
    end = fmt.date(test.end)
    about = {
        "channels": fmt.listed(test.channels),
        "places": ", ".join(test.geos) or say("all geos"),
        "start": fmt.date(test.start),
        "end": end,
    }
    return filled(
        "brief.html",
        test=test,
        lead=say(_LEADS[test.kind], **about),
        steps=[
            say(_BEGIN[test.kind], **about),
            say(
                "Leave every other geo and channel as it is planned: no other change "
                "until the test is over."
            ),
            say("Go back to usual spend on the day after {end}.", end=end),
            say("Then add the data to the project and read the test."),
        ],
        facts=_facts(test, units),
        rows=_by_geo(spend, units),
    )


def _facts(test: KeptTest, units: fmt.Units) -> dict[str, str]:
    design = test.design
    if design is None or design.net is None or design.cost is None:
        return {}

    def amount(value: float) -> str:
        if units.is_money:
            return fmt.money(value, units.currency)
        return fmt.exact(value, decimals=0)

    odds = design.net.probability_positive
    return {
        say("Smallest lift that is detected 8 times in 10"): fmt.percent(design.mde),
        say("Probability to detect what the model expects"): fmt.probability(
            design.power
        ),
        say("Cost, {unit}", unit=units.outcome): amount(design.cost.mean),
        say("Worth to the next plan, {unit}", unit=units.outcome): amount(design.value),
        say("Probability that it pays for itself"): fmt.probability(odds),
    }


def _by_geo(spend: Sequence[SpendOfTest], units: fmt.Units) -> list[dict[str, str]]:
    """Spend of each geo and channel over the whole test, treated geos first."""
    sums: dict[tuple[str, str, str], list[float]] = {}
    for row in spend:
        total = sums.setdefault((row.arm, row.geo, row.channel), [0.0, 0.0])
        total[0] += row.usual
        total[1] += row.planned
    symbol = fmt.currency_symbol(units.currency)
    return [
        {
            "geo": geo,
            "channel": channel,
            "arm": say(_ARMS.get(arm, arm)),
            "usual": fmt.exact(usual, symbol, decimals=0),
            "planned": fmt.exact(planned, symbol, decimals=0),
        }
        for (arm, geo, channel), (usual, planned) in sorted(
            sums.items(), key=lambda item: (item[0][0] == "control", item[0])
        )
    ]
