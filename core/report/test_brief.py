"""Brief of a lift test: one page for those who carry it out."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core import text as fmt

_TEMPLATES = Path(__file__).parent / "templates"
_VERB = {"dark": "Switch off", "dim": "Halve", "heavy-up": "Raise by half"}


def brief(
    test: Mapping[str, Any], spend: Sequence[Mapping[str, Any]], units: fmt.Units
) -> str:
    """The brief as an HTML page that needs nothing else.

    Args:
        test: As the workspace keeps it, planned from a design.
        spend: Rows of `core.experiments.life.spend_of_test`.
        units: Of the project.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    channels = " and ".join(test["channels"])
    places = ", ".join(test["geos"]) or "all geos"
    start, end = fmt.date(test["start"]), fmt.date(test["end"])
    return environment.get_template("brief.html").render(
        test=test,
        css=(_TEMPLATES / "report.css").read_text(),
        lead=f"{_VERB[test['kind']]} {channels} in {places} from {start} to {end}.",
        steps=[
            f"{_VERB[test['kind']]} {channels} in {places} on {start}.",
            "Leave every other geo and channel as it is planned: no other change "
            "until the test is over.",
            f"Go back to usual spend on the day after {end}.",
            "Then add the data to the project and read the test.",
        ],
        facts=_facts(test, units),
        rows=_by_geo(spend, units),
    )


def _facts(test: Mapping[str, Any], units: fmt.Units) -> dict[str, str]:
    design = test.get("design") or {}
    if not design:
        return {}

    def amount(value: float) -> str:
        if units.is_money:
            return fmt.money(value, units.currency)
        return fmt.exact(value, decimals=0)

    odds = design["net"]["probability_positive"]
    return {
        "Smallest lift that is detected 8 times in 10": fmt.percent(design["mde"]),
        "Probability to detect what the model expects": fmt.probability(
            design["power"]
        ),
        f"Cost, {units.outcome}": amount(design["cost"]["mean"]),
        f"Worth to the next plan, {units.outcome}": amount(design["value"]),
        "Probability that it pays for itself": fmt.probability(odds),
    }


def _by_geo(
    spend: Sequence[Mapping[str, Any]], units: fmt.Units
) -> list[dict[str, str]]:
    """Spend of each geo and channel over the whole test, treated geos first."""
    sums: dict[tuple[str, str, str], list[float]] = {}
    for row in spend:
        total = sums.setdefault((row["arm"], row["geo"], row["channel"]), [0.0, 0.0])
        total[0] += row["usual"]
        total[1] += row["planned"]
    symbol = fmt.currency_symbol(units.currency)
    return [
        {
            "geo": geo,
            "channel": channel,
            "arm": arm,
            "usual": fmt.exact(usual, symbol, decimals=0),
            "planned": fmt.exact(planned, symbol, decimals=0),
        }
        for (arm, geo, channel), (usual, planned) in sorted(
            sums.items(), key=lambda item: (item[0][0] == "control", item[0])
        )
    ]
