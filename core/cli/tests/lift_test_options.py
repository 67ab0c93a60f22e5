"""Options of the commands of lift tests: tests list, design, brief and read."""

import argparse

from core.cli.arguments import money, multiples, name_of, ratio
from core.cli.parts import Add, parts_of


def names(text: str) -> tuple[str, ...]:
    """Names between commas."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def weeks(text: str) -> tuple[int, ...]:
    """Whole numbers of weeks between commas, 2 to 12 each."""
    parts = names(text)
    if not parts or not all(part.isdigit() and 2 <= int(part) <= 12 for part in parts):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not weeks from 2 to 12, like 4,8"
        )
    return tuple(sorted({int(part) for part in parts}))


def add_lift_tests(add: Add) -> None:
    """Add the command `tests` with its parts."""
    tests = add(
        "tests",
        "tests.lift_tests:list_tests",
        "lift tests: choose, read and record them",
    )
    add_part = parts_of(tests)

    def part(name: str, command: str, about: str) -> argparse.ArgumentParser:
        parser = add_part(name, command, about)
        parser.add_argument("project", metavar="PROJECT")
        return parser

    part(
        "list",
        "tests.lift_test_life:list_tests",
        "the project's tests, and what is next",
    )
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
    add = parser.add_argument
    add("--channel", action="append", default=[], help="only this; may be repeated")
    add("--weeks", type=weeks, metavar="N,N", help="how long (2,4,8,12)")
    add(
        "--kind",
        action="append",
        choices=("dark", "dim", "heavy-up"),
        help="what happens to spend; may be repeated (all three)",
    )
    _add_names(parser, "--geos", "treat these")
    _add_names(parser, "--leave-out", "geos that take no part")
    _add_names(parser, "--control", "geos to leave untreated")
    add(
        "--at-risk",
        type=ratio,
        default=0.3,
        metavar="SHARE",
        help="largest share of the outcome in treated geos (0.3)",
    )
    add("--start", metavar="DATE", help="first day (after the data)")
    add("--horizon", type=int, default=52, metavar="WEEKS", help="of the plan (52)")
    add(
        "--bounds",
        type=multiples,
        default=(0.7, 1.3),
        metavar="LOW:HIGH",
        help="of the plan, as multiples of spend (0.7:1.3)",
    )
    add("--seed", type=int, default=0, help="of the draw of geos (0)")
    add("--top", type=int, metavar="N", help="print the best N (10; all with --json)")
    add(
        "--save",
        type=name_of,
        metavar="NAME",
        help="keep the best design as a planned test",
    )


def _add_names(parser: argparse.ArgumentParser, option: str, about: str) -> None:
    parser.add_argument(option, type=names, default=(), metavar="A,B", help=about)


def _add_results(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="of GeoX, GeoLift, Robyn, or a table of results")
    add("--channel", action="append", default=[], help="tested; may be repeated")
    _add_names(parser, "--geos", "where it ran")
    add("--start", metavar="DATE", help="first day")
    add("--end", metavar="DATE", help="last day")
    add("--kpi", metavar="NAME", help="what was counted")
    add(
        "--tested-at",
        type=ratio,
        metavar="MULTIPLE",
        help="spend of the test over usual spend: 0, 0.5, 1.5",
    )
    add("--amount", type=money, metavar="X", help="spend of the other arm")
    add("--half-life", type=ratio, metavar="WEEKS", help="until it counts half")


def _add_brief(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("test", metavar="TEST", help="its name or identifier")
    parser.add_argument(
        "--out",
        metavar="FILE",
        action="append",
        required=True,
        help=".html, .csv (spend by geo and week) or .json (GeoX); may be repeated",
    )


def _add_read(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    _add_names(parser, "--treated", "treated geos")
    add("--start", metavar="DATE", help="first day of the test")
    add("--end", metavar="DATE", help="last day of the test")
    add("--test", metavar="TEST", help="a test of the project instead")
    add("--channel", action="append", default=[], help="tested; may be repeated")
    _add_names(parser, "--leave-out", "geos to leave out")
    add("--seed", type=int, default=0, help="of the placebos (0)")
    add("--save", type=name_of, metavar="NAME", help="keep the read-out in the project")
    add("--to-model", action="store_true", help="give the result to the model")
    more = "with --to-model: also where a check of the read-out warns"
    add("--despite-warnings", action="store_true", help=more)
