"""Options of the commands for a team and its server: people, refreshes, operation."""

from core.cli.parts import Add, takes
from core.cli.tables.layout_options import add_again, add_part, add_start

#: The steps of an approval.
_STEPS = {
    "propose": "propose the plan",
    "approve": "approve what was proposed",
    "decline": "decline what was proposed",
    "comment": "only say what --text says",
    "record": "make it the plan of record",
    "unmark": "it is the plan of record no more",
}


def add_people(add: Add) -> None:
    """Add the commands approval, audit and members."""
    way = add("approval", "team.approval:approval_command", "propose and approve plans")
    takes(way, {"PROJECT": ""})
    way.add_argument("plan", metavar="PLAN", nargs="?", help="its name or identifier")
    step = way.add_mutually_exclusive_group()
    for name, about in _STEPS.items():
        step.add_argument(
            f"--{name}", dest="step", action="store_const", const=name, help=about
        )
    takes(way, {"--text TEXT": "a note that goes with it"})
    way.set_defaults(text="")
    audit = add("audit", "team.history:audit_command", "who did what and when")
    audit.add_argument("project", metavar="PROJECT", nargs="?")
    takes(audit, {"--last N": "only the last N lines"})
    takes(
        add("members", "team.members:members_command", "who may do what in a project"),
        {
            "PROJECT": "",
            "--set NAME=ROLE ...": "viewer, planner, admin or none; the name `default` "
            "is everybody else",
            "--remove NAME ...": "take this person's role away; repeat for several",
        },
    )


def add_refresh(add: Add) -> None:
    """Add the commands refresh and history."""
    about = "add new rows, fit again, report what moved and why"
    refresh = add("refresh", "team.refreshing:refreshed", about)
    takes(refresh, {"PROJECT": ""})
    refresh.add_argument(
        "sources",
        metavar="NEW.csv",
        nargs="*",
        help="new rows, or the whole history again; without any, the project's query, "
        "or what was saved since the last fit",
    )
    takes(refresh, {"--yes": "also accept changes to old rows"})
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
    takes(
        refresh,
        {
            "--webhook URL": "send the answer there as JSON, signed with "
            "MIXWRIGHT_WEBHOOK_SECRET",
            "--webhook-timeout SECONDS": "seconds to wait for the webhook (10)",
        },
    )
    refresh.set_defaults(webhook_timeout=10.0)
    add_part(refresh, "files")
    add_start(refresh)
    add_again(refresh)
    takes(
        add("history", "team.history:history", "what happened in a project, and when"),
        {
            "PROJECT": "",
            "--promises": "forecasts, plans and tests with their intervals, and what "
            "came of them",
        },
    )


def add_operations(add: Add) -> None:
    """Add the commands that keep a server: backup, restore, status, delete."""
    about = "back up the workspace to one file while it is in use"
    takes(
        add("backup", "team.backups:backup", about),
        {
            "FILE": "a name that ends in .zip",
            "--project PROJECT": "only this project (the whole workspace)",
        },
    )
    about = "restore a backup, checked by hash"
    restore = add("restore", "team.backups:restore_command", about)
    takes(
        restore,
        {
            "FILE": "written by backup",
            "--project NAME": "only this project of the backup (all)",
        },
    )
    restore.add_argument(
        "--as", dest="name", metavar="NAME", help="call the project by another name"
    )
    takes(
        restore,
        {
            "--yes": "replace projects that have changed since; the trash keeps them",
            "--check": "only check that the backup is whole",
        },
    )
    about = "queue, runs, disk, backups; can a fit start?"
    status = add("status", "team.server:status", about)
    about = "write OpenMetrics for node_exporter's textfile collector (.prom)"
    takes(status, {"--metrics FILE": about})
    about = "move a project of the app to the trash"
    delete = add("delete", "team.server:delete", about)
    delete.add_argument("project", metavar="NAME", help="of a project of the app")
    about = "delete it with its runs and plans, and what the trash has of it"
    takes(delete, {"--for-good": about})
