"""Options of the commands of lift tests: tests list, design, brief and read."""

import argparse

from core.cli.arguments import name_of, ratio, weeks
from core.cli.parts import Add, parts_of, takes

_TESTED = {"--channel CHANNEL ...": "tested; may be repeated"}


def add_lift_tests(add: Add) -> None:
    """Add the command tests with its parts."""
    about = "lift tests: choose, read and record them"
    add_part = parts_of(add("tests", "tests.lift_tests:list_tests", about))

    def part(name: str, command: str, about: str) -> argparse.ArgumentParser:
        parser = add_part(name, command, about)
        takes(parser, {"PROJECT": ""})
        return parser

    about = "the project's tests, and what is next"
    part("list", "tests.lift_test_life:list_tests", about)
    _add_results(
        part("add", "tests.lift_test_life:add_results", "give the model a result")
    )
    about = "rank tests by what they are worth; PROJECT may be a table"
    _add_design(part("design", "tests.lift_tests:design_tests", about))
    about = "write what a planned test needs"
    _add_brief(part("brief", "tests.lift_test_life:brief_test", about))
    about = "what a test of geos did; PROJECT may be a table"
    _add_read(part("read", "tests.lift_tests:read_test", about))


def _add_design(parser: argparse.ArgumentParser) -> None:
    takes(
        parser,
        {
            "--channel CHANNEL ...": "only this; may be repeated",
            "--weeks N,N": "how long (2,4,8,12)",
        },
        weeks=weeks,
    )
    parser.add_argument(
        "--kind",
        action="append",
        choices=("dark", "dim", "heavy-up"),
        help="what happens to spend; may be repeated (all three)",
    )
    takes(
        parser,
        {
            "--geos A,B": "treat these",
            "--leave-out A,B": "geos that take no part",
            "--control A,B": "geos to leave untreated",
            "--at-risk SHARE": "largest share of the outcome in treated geos (0.3)",
            "--start DATE": "first day (after the data)",
            "--horizon WEEKS": "of the plan (52)",
            "--bounds LOW:HIGH": "of the plan, as multiples of spend (0.7:1.3)",
            "--seed SEED": "of the draw of geos (0)",
            "--top N": "print the best N (10; all with --json)",
            "--save NAME": "keep the best design as a planned test",
        },
        at_risk=ratio,
        horizon=int,
        seed=int,
        save=name_of,
    )
    parser.set_defaults(geos=(), leave_out=(), control=())
    parser.set_defaults(at_risk=0.3, horizon=52, bounds=(0.7, 1.3), seed=0)


def _add_results(parser: argparse.ArgumentParser) -> None:
    takes(
        parser,
        {
            "FILE": "of GeoX, GeoLift, Robyn, or a table of results",
            **_TESTED,
            "--geos A,B": "where it ran",
            "--start DATE": "first day",
            "--end DATE": "last day",
            "--kpi NAME": "what was counted",
            "--tested-at MULTIPLE": "spend of the test over usual spend: 0, 0.5, 1.5",
            "--amount X": "spend of the other arm",
            "--half-life WEEKS": "until it counts half",
        },
        tested_at=ratio,
        half_life=ratio,
    )
    parser.set_defaults(geos=())


def _add_brief(parser: argparse.ArgumentParser) -> None:
    takes(parser, {"TEST": "its name or identifier"})
    parser.add_argument(
        "--out",
        metavar="FILE",
        action="append",
        required=True,
        help=".html, .csv (spend by geo and week) or .json (GeoX); may be repeated",
    )


def _add_read(parser: argparse.ArgumentParser) -> None:
    takes(
        parser,
        {
            "--treated A,B": "treated geos",
            "--start DATE": "first day of the test",
            "--end DATE": "last day of the test",
            "--test TEST": "a test of the project instead",
            **_TESTED,
            "--leave-out A,B": "geos to leave out",
            "--seed SEED": "of the placebos (0)",
            "--save NAME": "keep the read-out in the project",
            "--to-model": "give the result to the model",
            "--despite-warnings": "with --to-model: also where a check of the read-out "
            "warns",
        },
        seed=int,
        save=name_of,
    )
    parser.set_defaults(treated=(), leave_out=(), seed=0)
