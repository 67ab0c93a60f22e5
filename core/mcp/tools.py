"""Tools: what an agent may call, with what each is for."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.mcp import arguments, lift_tests, planning, working
from core.mcp.desk import Desk


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
        lift_tests.tests,
    ),
    "design_tests": Tool(
        "Lift tests by what their answers are worth to the plan, the best first.",
        arguments.Design,
        lift_tests.design,
    ),
    "read_test": Tool(
        "What a geo test did: lift, incremental outcome, iROAS, p, checks.",
        arguments.ReadTest,
        lift_tests.read,
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
