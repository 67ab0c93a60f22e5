"""tests: which lift test next, what it needs, and what a test did."""

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from core import PROGRAM, quoted
from core import text as fmt
from core.cli.answer import Answer, clean, table, tell
from core.errors import SpecError
from core.estimate import Estimate
from core.service import fits
from core.service.experiments import lift_tests
from core.service.places import fit_or_project, project_folder, typed_path
from core.service.records.lift_test import KeptTest
from core.view.sections import lift_tests as lift_test_tables
from core.view.suggestions.next_test import next_test, worth_nothing

#: Designs that are printed unless `--top` says otherwise.
_SHOWN = 10


def read_test(options: argparse.Namespace) -> Answer:
    """What a test of geos did."""
    path = _table_of(options.project)
    folder = None if path else project_folder(options.project)
    stored, test = _asked(options, folder)
    reading = lift_tests.read(folder or path, test, seed=options.seed)
    remarks, entry = [], None
    if folder is not None and options.to_model:
        entry = lift_tests.give_to_model(
            folder, reading, despite_warnings=options.despite_warnings
        )
        remarks.append("The result is in the model: fit again to see what it does.")
    if folder is not None and (stored or options.save):
        test_id = None if stored is None else stored.test_id
        name = options.save or ""
        lift_tests.keep(folder, reading, name, test_id=test_id, entry=entry)
        remarks += [] if stored else [f"Kept as {options.save}."]
    return Answer(reading.as_dict(), _read_text(reading), remarks=tuple(remarks))


def _table_of(name: str) -> Path | None:
    """The table that is named in the place of a project; None where it is none."""
    path = typed_path(name)
    is_table = os.path.isfile(path) and path.name != "project.toml"
    return path if is_table else None


def _asked(options: argparse.Namespace, folder: Path | None):
    """The kept test that is read, if any, and where and when it ran."""
    from core.service.experiments.lift_tests import GeoTest

    stored: KeptTest | None = None
    if options.test and folder is not None:
        stored = lift_tests.lift_test(folder, options.test)
    test = stored or KeptTest(name="")
    treated = options.treated or test.geos
    start, end = options.start or test.start, options.end or test.end
    for name, value in (("treated", treated), ("start", start), ("end", end)):
        if not value:
            raise SpecError(
                f"--{name} is missing.",
                hint="Say where and when: --treated A,B --start DATE --end DATE.",
                where=name,
            )
    channels = tuple(options.channel) or test.channels
    return stored, GeoTest(treated, start, end, channels, options.leave_out)


def design_tests(options: argparse.Namespace) -> Answer:
    """Tests by what they would bring."""
    from core.service.experiments.designs import plan_design
    from core.service.places import project_of

    source = _table_of(options.project) or fit_or_project(options.project)
    usual = lift_tests.Options()
    choices = replace(
        usual,
        weeks=options.weeks or usual.weeks,
        kinds=tuple(options.kind or usual.kinds),
        geos=options.geos,
        left_out=options.leave_out,
        in_control=options.control,
        most_at_risk=options.at_risk,
        start=options.start,
        horizon=options.horizon,
        bounds=options.bounds,
        seed=options.seed,
    )
    tenth = [0]

    def on_progress(share: float) -> None:
        if int(10 * share) > tenth[0]:
            tenth[0] = int(10 * share)
            tell(f"{10 * tenth[0]} % of the designs worked out")

    if isinstance(source, Path):
        return _without_fit(source, options, choices, on_progress)
    ranking = lift_tests.design(source, options.channel, choices, on_progress)
    remarks = list(ranking.warnings)
    if options.save:
        best = ranking.designs[0]
        plan_design(project_of(source), best, options.save)
        remarks.append(
            f"The best is kept as {options.save}. What it needs: {PROGRAM} tests brief "
            f"{quoted(project_of(source).name)} {quoted(options.save)} --out brief.html"
        )
        if warning := worth_nothing(best, fits.record(ranking.fit).units):
            remarks.append(warning)
    record = ranking.as_dict(options.top)
    return Answer(record, _design_text(ranking, options.top), remarks=tuple(remarks))


def _without_fit(source: Path, options, choices, on_progress) -> Answer:
    """Designs of a table, or of a project that has no fit: precision alone."""
    if options.save:
        raise SpecError(
            "Only a test that a fit has ranked is kept: it says what the test costs.",
            hint=f"Fit the data first ({PROGRAM} fit PROJECT), or leave out --save.",
            where="save",
        )
    precision = lift_tests.precision(source, options.channel, choices, on_progress)
    record = precision.as_dict(options.top)
    best = precision.designs[0]
    designs = lift_test_tables.precisions_of(
        precision.designs[: options.top], precision.unit
    )
    lines = [f"{designs.title}:", "", table(designs.heads, designs.rows, texts=2)]
    if best.geos:
        lines += ["", f"Best: treat {', '.join(best.geos)} from {best.start}."]
    return Answer(record, clean("\n".join([*lines, "", precision.note])))


def _read_text(reading: lift_tests.Reading) -> str:
    report = reading.readout.record()
    lift, outcome, iroas = report.lift, report.incremental, report.iroas
    lines = [
        f"{', '.join(report.treated)}, {report.start} to {report.end}",
        "",
        f"Lift              {_percent(lift)}",
        f"Incremental {report.unit}  {fmt.estimate(outcome, 'number')}",
    ]
    if iroas is not None:
        lines.append(f"iROAS             {fmt.estimate(iroas, 'ratio')}")
    if reading.expected is not None:
        expected = fmt.estimate(reading.expected, "number")
        lines.append(f"The model expects {expected}")
    lines += [
        f"p                 {report.p:.3f} ({report.placebos} placebos)",
        "",
    ]
    lines += [
        f"{check.status.upper():8} {check.name}. {check.message}"
        for check in report.checks
    ]
    return clean("\n".join(lines))


def _percent(estimate: Estimate) -> str:
    mean, lo, hi = (100 * each for each in (estimate.mean, estimate.lo, estimate.hi))
    return f"{mean:.1f} % ({lo:.1f} – {hi:.1f})"


def _design_text(ranking: lift_tests.Ranking, most: int | None) -> str:
    designs, units = ranking.designs[: most or _SHOWN], fits.record(ranking.fit).units
    lines = [
        f"Tests by what they bring to the next {ranking.options.horizon} weeks, in "
        f"{ranking.unit}",
        "",
        designs_table(designs, units),
    ]
    more = len(ranking.designs) - len(designs)
    if more:
        lines.append(f"{fmt.count(more, 'design')} more: --top {len(ranking.designs)}")
    lines += ["", " ".join(next_test(ranking.designs, units))]
    if ranking.note:
        lines += ["", ranking.note]
    return clean("\n".join(lines))


def designs_table(designs: Sequence[lift_tests.Design], units: fmt.Units) -> str:
    """Designs in a terminal, the best first."""
    shown = lift_test_tables.designs_of(designs, units, is_brief=True)
    return table(shown.heads, shown.rows, texts=2, fold=True)
