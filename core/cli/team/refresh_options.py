"""Options of refresh and history."""

from core.cli.arguments import seconds
from core.cli.parts import Add
from core.cli.tables.layout_options import add_again, add_part, add_start


def add_refresh(add: Add) -> None:
    """Add the commands of every month."""
    refresh = add(
        "refresh",
        "team.refreshing:refreshed",
        "add new rows, fit again, report what moved and why",
    )
    refresh.add_argument("project", metavar="PROJECT")
    refresh.add_argument(
        "sources",
        metavar="NEW.csv",
        nargs="*",
        help="new rows, or the whole history again; without any, the project's query, "
        "or what was saved since the last fit",
    )
    refresh.add_argument(
        "--yes", action="store_true", help="also accept changes to old rows"
    )
    refresh.add_argument(
        "--if",
        dest="conditions",
        metavar="CONDITION",
        action="append",
        default=[],
        help='exit with status 4 if it is true: "moved > 1 sd", "plan < -5 %%", '
        '"actual < -10 %%", "changed > 0 cells", "new > 0 periods", "not trustworthy"; '
        "may be given several times",
    )
    refresh.add_argument(
        "--webhook",
        metavar="URL",
        help="send the answer there as JSON, signed with MIXWRIGHT_WEBHOOK_SECRET",
    )
    refresh.add_argument(
        "--webhook-timeout",
        type=seconds,
        default=10.0,
        metavar="SECONDS",
        help="seconds to wait for the webhook (10)",
    )
    add_part(refresh, "files")
    add_start(refresh)
    add_again(refresh)
    _add_history(add)


def _add_history(add: Add) -> None:
    history = add(
        "history", "team.history:history", "what happened in a project, and when"
    )
    history.add_argument("project", metavar="PROJECT")
    history.add_argument(
        "--promises",
        action="store_true",
        help="forecasts, plans and tests with their intervals, and what came of them",
    )
