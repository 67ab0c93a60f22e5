"""Options of the commands of portfolios: portfolio init and plan."""

from core.cli.arguments import money, multiples, name_of
from core.cli.parts import Add, parts_of


def add_portfolio(add: Add) -> None:
    """Add the command `portfolio` with its parts."""
    about = "one budget over the fits of several projects"
    top = add("portfolio", "plans.portfolio:plan_portfolio", about)
    part = parts_of(top)
    init = part(
        "init", "plans.portfolio:init_portfolio", "write a portfolio file to edit"
    )
    init.add_argument("projects", metavar="PROJECT", nargs="+")
    init.add_argument("--out", metavar="FILE", required=True, help="portfolio.toml")
    init.add_argument("--currency", metavar="CODE", help="such as EUR")
    plan = part(
        "plan", "plans.portfolio:plan_portfolio", "find the best split of the budget"
    )
    plan.add_argument("file", metavar="FILE", help="portfolio.toml")
    plan.add_argument(
        "--budget", type=money, metavar="X", help="goes before the file's"
    )
    plan.add_argument(
        "--bounds",
        type=multiples,
        metavar="LOW:HIGH",
        help="limits of every channel, as multiples of its spend in the same periods "
        "last year (0.7:1.3)",
    )
    plan.add_argument(
        "--objective",
        metavar="mean|p10|cvar10|reach:X",
        help="what to maximise (the file's, else the mean)",
    )
    plan.add_argument(
        "--best",
        action="store_true",
        help="print the best plan even if the draws do not support it",
    )
    plan.add_argument(
        "--out",
        metavar="FILE",
        action="append",
        default=[],
        help="write it: .html, .pdf, .pptx, .xlsx, .csv or .json; repeat for several",
    )
    plan.add_argument(
        "--save",
        type=name_of,
        metavar="NAME",
        help="save each project's part in that project",
    )
