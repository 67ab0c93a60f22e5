"""Lift tests: those of a project, the design of the next, and what one did."""

from pathlib import Path
from typing import Any

from core.errors import WorkspaceError
from core.mcp import answers, arguments
from core.mcp.desk import Desk, judged
from core.service import places
from core.service.experiments import lift_tests
from core.service.experiments.designs import plan_design
from core.text import Units
from core.view.suggestions.next_test import next_test, worth_nothing


def tests(desk: Desk, request: arguments.InProject) -> dict[str, Any]:
    """The tests of a project, and what is next with each."""
    listing = lift_tests.listed(desk.project(request.project))
    advice = "Each test says what is next."
    if not listing.tests:
        advice = "No tests yet: design one."
    if not listing.did:
        return answers.plain(listing.as_dict(), advice)
    fit = desk.fit(request.project, "")
    return answers.estimated(listing.as_dict(), judged(fit), advice)


def design(desk: Desk, request: arguments.Design) -> dict[str, Any]:
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


def read(desk: Desk, request: arguments.ReadTest) -> dict[str, Any]:
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
