"""Options of approval, audit and members: who may do what, and who did."""

from core.cli.arguments import grant
from core.cli.parts import Add

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
    """Add the commands about who may do what, and who did."""
    way = add("approval", "team.approval:approval_command", "propose and approve plans")
    way.add_argument("project", metavar="PROJECT")
    way.add_argument("plan", metavar="PLAN", nargs="?", help="its name or identifier")
    step = way.add_mutually_exclusive_group()
    for name, about in _STEPS.items():
        step.add_argument(
            f"--{name}", dest="step", action="store_const", const=name, help=about
        )
    way.add_argument(
        "--text", metavar="TEXT", default="", help="a note that goes with it"
    )
    audit = add("audit", "team.audit:audit_command", "who did what and when")
    audit.add_argument("project", metavar="PROJECT", nargs="?")
    audit.add_argument("--last", type=int, metavar="N", help="only the last N lines")
    members = add(
        "members", "team.members:members_command", "who may do what in a project"
    )
    members.add_argument("project", metavar="PROJECT")
    members.add_argument(
        "--set",
        type=grant,
        metavar="NAME=ROLE",
        action="append",
        help="viewer, planner, admin or none; the name `default` is everybody else",
    )
    members.add_argument(
        "--remove",
        metavar="NAME",
        action="append",
        help="take this person's role away; repeat for several",
    )
