"""Tools: what an agent may call, with what each is for.

Those of lift tests answer here: the list, the design of the next, what one did.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import WorkspaceError
from core.mcp import answers, arguments, planning, working
from core.mcp.desk import Desk, judged
from core.service import places
from core.service.experiments import lift_tests
from core.service.experiments.designs import plan_design
from core.text import Units
from core.view.suggestions.next_test import next_test, worth_nothing


def listed_tests(desk: Desk, request: arguments.InProject) -> dict[str, Any]:
    """The tests of a project, and what is next with each."""
    listing = lift_tests.listed(desk.project(request.project))
    advice = "Each test says what is next."
    if not listing.tests:
        advice = "No tests yet: design one."
    if not listing.did:
        return answers.plain(listing.as_dict(), advice)
    fit = desk.fit(request.project, "")
    return answers.estimated(listing.as_dict(), judged(fit), advice)


def design_tests(desk: Desk, request: arguments.Design) -> dict[str, Any]:
    """Tests by what their answers are worth, the best first."""
    if request.save:
        desk.permit("test saved")
    options = _options(request)
    source = places.fit_or_project(
        str(desk.run_or_project(request.project, request.run))
    )
    if isinstance(source, Path):
        return _without_fit(source, request, options)
    of = judged(source)
    ranking = lift_tests.design(source, request.channel, options)
    if request.save:
        plan_design(places.project_of(source), ranking.designs[0], request.save)
    result = ranking.as_dict(request.top)
    warning = worth_nothing(ranking.designs[0], of.units) if request.save else ""
    if warning:
        result["warnings"] = [*result.get("warnings", ()), warning]
    advice = " ".join(next_test(ranking.designs, of.units))
    return answers.estimated(result, of, advice)


def _options(request: arguments.Design) -> lift_tests.Options:
    """What designs are looked for."""
    standard = lift_tests.Options()
    return lift_tests.Options(
        weeks=tuple(request.weeks) or standard.weeks,
        kinds=tuple(request.kind) or standard.kinds,
        geos=tuple(request.geos),
        left_out=tuple(request.leave_out),
        in_control=tuple(request.control),
        start=request.start or None,
    )


def _without_fit(
    source: Path, request: arguments.Design, options: lift_tests.Options
) -> dict[str, Any]:
    """How small a lift tests of a project without a fit would find."""
    if request.save:
        raise WorkspaceError(
            "Only a test that a fit has ranked is saved: it says what the test costs.",
            hint="Fit the project first, or leave out save.",
        )
    precise = lift_tests.precision(source, request.channel, options)
    return answers.plain(precise.as_dict(request.top), precise.note)


def read_test(desk: Desk, request: arguments.ReadTest) -> dict[str, Any]:
    """What a test of geos did."""
    if bool(request.project) == bool(request.file):
        raise WorkspaceError("Name a project or a file, one of them.")
    source = (
        desk.project(request.project) if request.project else desk.file(request.file)
    )
    test = lift_tests.GeoTest(
        tuple(request.treated),
        request.start,
        request.end,
        tuple(request.channel),
        tuple(request.leave_out),
    )
    reading = lift_tests.read(source, test)
    open_ = [check for check in reading.readout.checks if check.status != "good"]
    warns = bool(lift_tests.warnings_of(reading.readout))
    units = Units("kpi", "", reading.readout.unit)
    verdict, advice = "sound", "Give it to the model."
    if warns:
        verdict, advice = "doubtful", "Settle what its checks warn of first."
    of = answers.Judged(verdict, [check.message for check in open_], units, "")
    answer = answers.estimated(reading.as_dict(), of, advice)
    answer["verdict"] = answer["verdict"] | {"of": "the read-out, by its checks"}
    return answer


@dataclass(frozen=True)
class Tool:
    """Something that an agent may call.

    Attributes:
        about: What it is for.
        takes: Its arguments.
        work: What it does.
        writes: Whether it always changes something.
    """

    about: str
    takes: type[arguments.Struct]
    work: Callable[[Desk, Any], dict[str, Any]]
    writes: bool = False


TOOLS: dict[str, Tool] = {
    "projects": Tool(
        "List the projects: state, newest fit, its verdict, what is next.",
        arguments.Nothing,
        working.projects,
    ),
    "check": Tool(
        "What is wrong with the data of a project, or of files, each with a remedy. "
        "Errors block a fit.",
        arguments.Check,
        working.check,
    ),
    "columns": Tool(
        "What files are taken for (date, KPI, channels, controls, currency) and the "
        "questions that are open; answers are arguments. With create, make a project.",
        arguments.Columns,
        working.recognise,
    ),
    "fit": Tool(
        "Start a fit of a project (minutes); returns its run at once: see status.",
        arguments.Fit,
        working.fit,
        writes=True,
    ),
    "status": Tool(
        "How a run stands; when a fit is done, its verdict, and what moved since the "
        "one before.",
        arguments.Status,
        working.status,
    ),
    "summary": Tool(
        "ROI, marginal ROI, contribution and cost per unit by channel, baseline, "
        "accuracy and diagnostics of a fit.",
        arguments.OfFit,
        working.summary,
    ),
    "plan": Tool(
        "The best split of a budget within limits, with its gain, odds, bound and an "
        "advice: change, test or keep. Weeks, and periods beyond the year after the "
        "data, are worked out by a run first (writes): if it takes longer, the answer "
        "names the run; ask for the same again later.",
        arguments.Plan,
        planning.plan,
    ),
    "evaluate": Tool(
        "What given amounts would bring, as they are, beside the same weeks last year.",
        arguments.Evaluate,
        planning.evaluate,
    ),
    "forecast": Tool(
        "The outcome of the next periods under media as a year earlier, a plan, a file "
        "or multiples; the odds of a goal.",
        arguments.Forecast,
        working.forecast,
    ),
    "tests": Tool(
        "Lift tests of a project by state, what they did and what is next.",
        arguments.InProject,
        listed_tests,
    ),
    "design_tests": Tool(
        "Lift tests by what their answers are worth to the plan, the best first.",
        arguments.Design,
        design_tests,
    ),
    "read_test": Tool(
        "What a geo test did: lift, incremental outcome, iROAS, p, checks.",
        arguments.ReadTest,
        read_test,
    ),
    "promises": Tool(
        "What forecasts, plans and tests of a project promised and what came: how many "
        "intervals of each level held, and whether that is a reason to doubt.",
        arguments.InProject,
        working.promises,
    ),
    "refresh": Tool(
        "Take new rows into a project and start the fit that answers for them; returns "
        "at once: see status. Changed old rows are a question first.",
        arguments.Refresh,
        working.refresh,
        writes=True,
    ),
    "suggest_priors": Tool(
        "Priors on ROI that the fits and lift tests of other projects suggest, with "
        "their sources and weights; accept takes them into the project.",
        arguments.SuggestPriors,
        working.suggest_priors,
    ),
    "report": Tool(
        "Write a fit's report into the project's folder reports.",
        arguments.Report,
        working.report,
        writes=True,
    ),
    "approval": Tool(
        "How saved plans stand; propose, comment, approve or decline one. Nobody "
        "approves a plan that they saved or proposed.",
        arguments.Approval,
        planning.approval,
    ),
}
