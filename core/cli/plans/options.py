"""Options of the commands about plans: plan, portfolio, prices and actuals."""

import argparse
from typing import TYPE_CHECKING, Any

from core.cli.arguments import (
    budget,
    channel_amounts,
    channel_multiple,
    channel_range,
    lock,
    name_of,
)
from core.cli.parts import Add, parts_of, takes
from core.errors import PlanError
from core.service.planning.asked import FIELDS, SWITCHES

if TYPE_CHECKING:
    from core.service.records.plan import HorizonRequest


def _best(text: str) -> tuple[str, str]:
    """A channel that is bought at its best frequency, and the word for that."""
    return text, "best"


#: How the value of the flag of a field is read.
_READ = {
    "locked": lock,
    "gamma": channel_multiple,
    "price": channel_multiple,
    "frequency": _best,
}
_BOUNDS = "limits of every channel, as multiples of its spend in the same periods last "
_BOUNDS += "year (0.7:1.3)"

#: What follows the limits and the switches of a plan.
_MORE = {
    "--objective mean|p10|cvar10|reach:X": "what to maximise: the KPI's mean "
    "(the default), a quantile of its draws, the mean of its worst draws, or "
    "the probability of reaching X",
    "--scenario FILE": "a TOML file with budget, limits, groups, steps and "
    "targets, or a plan's JSON or edited XLSX",
    "--geo-bounds LOW:HIGH": "limits of every channel in every geo, as "
    "multiples of what it spends there (0.5:2)",
    "--geo-totals LOW:HIGH": "limits of every geo's total, as multiples (none)",
    "--without-tests": "plans over weeks and geos keep to the spend of the "
    "project's planned tests; this plans as if there were none",
    "--teach": "vary spend from week to week so that the next plan knows more; "
    "on simulated markets it neither earned nor taught measurably more within "
    "a year than the plan that only earns",
    "--teach-cost SHARE": "most that it may cost, as a share of what media "
    "bring (0.5%%)",
    "--teach-later N": "later horizons of the same length that use what is learned (1)",
    "--teach-spread SHARE": "with several geos, how far a geo's share of a "
    "channel's money may differ from last year's, such as 20%% of it (0%%)",
    "--save NAME": "save the plan in the project",
    "--out FILE ...": "write the plan: .xlsx, .csv, .json, or .toml as a "
    "scenario file; repeat for several",
}


def add_plan(add: Add) -> None:
    """Add the command plan."""
    plan = add("plan", "plans.planning:plan_command", "find the best split of a budget")
    takes(plan, {"RUN": ""})
    plan.add_argument(
        "--over",
        choices=("channels", "geos", "weeks"),
        help="what the money is split over: channels, channels in geos, or channels in "
        "weeks (channels, or what the scenario says)",
    )
    takes(plan, {"--periods N": "how many periods to plan (default: a year)"})
    plan.add_argument(
        "--from",
        dest="start",
        metavar="DATE",
        help="begin with the first period that starts on this day or later (the first "
        "after the data)",
    )
    about = "plan the data's own periods instead, as Meridian's optimiser does"
    takes(plan, {"--as-fitted": about})
    takes(
        plan,
        {
            "--budget X|LOW:HIGH": "75M or 75000 (default: what these periods cost a "
            "year earlier); or its least and most, 60M:80M, between which profit "
            "decides",
        },
        budget=budget,
    )
    add_limits(plan)
    add_buying(plan)
    takes(plan, {f"--{switch.flag}": switch.about for switch in SWITCHES})
    takes(plan, _MORE, save=name_of)


def add_limits(plan: argparse.ArgumentParser) -> None:
    """Add the limits of all channels and of single ones, and rising prices."""
    takes(
        plan,
        {
            "--bounds LOW:HIGH": _BOUNDS,
            "--limit CHANNEL=LOW:HIGH ...": "limits of one channel, as multiples",
            "--limit-money CHANNEL=LOW:HIGH ...": "limits of one channel, in currency "
            "(TV=5M:12M)",
        },
        limit=channel_range,
        limit_money=channel_amounts,
    )
    _add_fields(plan, "locked", "gamma")


def add_buying(plan: argparse.ArgumentParser) -> None:
    """Add prices, mediators that are bought, the best frequency, and the margin."""
    _add_fields(plan, "price")
    about = "pay for what channels make be spent on a mediator of a funnel, of which a "
    about += "share X is bought (1: as now)"
    takes(plan, {"--bought MEDIATOR=X ...": about})
    _add_fields(plan, "frequency")
    about = "profit before media per unit of outcome, where profit decides (1)"
    takes(plan, {"--margin X": about})


def _add_fields(plan: argparse.ArgumentParser, *names: str) -> None:
    """Add the flags of fields of a limit, each with a value for a channel."""
    for field in map(FIELDS.__getitem__, names):
        usage = f"--{field.flag} {field.metavar} ..."
        takes(plan, {usage: field.about}, **{field.argument: _READ[field.name]})


def horizon(options: argparse.Namespace) -> "HorizonRequest | None":
    """The periods that options ask for; None for the usual ones."""
    from core.service.records.plan import HorizonRequest

    request = HorizonRequest(options.periods, options.start, options.as_fitted)
    return None if request == HorizonRequest() else request


def teach(options: argparse.Namespace) -> dict[str, Any] | None:
    """What flags ask of teaching; None for nothing.

    Raises:
        PlanError: One of them needs --teach.
    """
    more = {"cost": options.teach_cost, "later": options.teach_later}
    more["spread"] = options.teach_spread
    more = {key: value for key, value in more.items() if value is not None}
    if more and not options.teach:
        flag = f"--teach-{next(iter(more))}"
        raise PlanError(f"{flag} needs --teach.", hint="Add --teach, or leave it out.")
    return more if options.teach else None


def add_portfolio(add: Add) -> None:
    """Add the command portfolio with its parts."""
    about = "one budget over the fits of several projects"
    part = parts_of(add("portfolio", "plans.portfolio:plan_portfolio", about))
    about = "write a portfolio file to edit"
    init = part("init", "plans.portfolio:init_portfolio", about)
    init.add_argument("projects", metavar="PROJECT", nargs="+")
    init.add_argument("--out", metavar="FILE", required=True, help="portfolio.toml")
    takes(init, {"--currency CODE": "such as EUR"})
    about = "find the best split of the budget"
    takes(
        part("plan", "plans.portfolio:plan_portfolio", about),
        {
            "FILE": "portfolio.toml",
            "--budget X": "goes before the file's",
            "--bounds LOW:HIGH": _BOUNDS,
            "--objective mean|p10|cvar10|reach:X": "what to maximise (the file's, else "
            "the mean)",
            "--best": "print the best plan even if the draws do not support it",
            "--out FILE ...": "write it: .html, .pdf, .pptx, .xlsx, .csv or .json; "
            "repeat for several",
            "--save NAME": "save each project's part in that project",
        },
        save=name_of,
    )


def add_actuals(add: Add) -> None:
    """Add the commands prices and actuals."""
    about = "which channels get dearer with volume, by the data of a fit"
    takes(add("prices", "plans.actuals:prices_command", about), {"RUN": ""})
    about = "compare a saved plan with what happened"
    command = add("actuals", "plans.actuals:actuals_command", about)
    takes(command, {"PLAN": "its name, identifier or file"})
    about = "what was spent and came in: one table, or the exports of each"
    command.add_argument("files", metavar="FILE", nargs="+", help=about)
