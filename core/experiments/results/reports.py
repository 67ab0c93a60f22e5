"""Reports of tests: what other tools and platforms write, read as stated results.

What a file does not say, mostly the channel and sometimes the dates, comes from whoever
has the file (`Context`); what is still missing is named.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

from msgspec import Struct, ValidationError, convert, field

from core.data.mapping import ColumnMapping
from core.errors import SchemaError
from core.experiments.results.stated import Stated
from core.text import listed

#: Spend over usual spend in treated geos, by GeoX's kind: in a holdback only they run.
_GEOX_KINDS = {1: None, 2: 0.0, 3: 1.5}
#: A number as R prints it.
_NUMBER = r"(-?[\d.,]+(?:e[+-]?\d+)?)"


@dataclass(frozen=True)
class Context:
    """What a file may leave out, as somebody says it; empty where they do not.

    Attributes:
        channels: Tested.
        geos: Where.
        start: First day, ISO.
        end: Last day, ISO.
        channel_names: Names of channels by the columns that they have, as files name
            them.
        currency: Of the data; a table in another one is refused.
        level: Mass of intervals, by the names of their columns.
        kpi: What is counted, as somebody says or the name of its column does.
        tested_at: Spend of the test over usual spend.
        amount: Spend of the other arm, currency.
        half_life: Weeks until a result counts half.
    """

    channels: tuple[str, ...] = ()
    geos: tuple[str, ...] = ()
    start: str = ""
    end: str = ""
    channel_names: Mapping[str, str] | None = None
    currency: str = ""
    level: float | None = None
    kpi: str = ""
    tested_at: float | None = None
    amount: float | None = None
    half_life: float | None = None


#: Where Robyn keeps tests.
_ROBYN = "calibration_input"


class _GeoXLift(Struct):
    point_estimate: float
    standard_deviation: float


class _GeoXResult(Struct):
    lift: _GeoXLift


class _GeoXCell(Struct):
    treatment_geos: list[Any]


class _GeoXOptions(Struct):
    experiment_types: dict[str, Any] | None = None


class _GeoXDesign(Struct):
    designs: dict[str, _GeoXCell]
    design_config: _GeoXOptions | None = None

    @property
    def kinds(self) -> dict[str, Any]:
        """Kind of each cell's test, by GeoX's number."""
        return (self.design_config and self.design_config.experiment_types) or {}


class _GeoXConfig(Struct):
    design: _GeoXDesign
    analysis_start_date: Any
    analysis_end_date: Any


class _GeoX(Struct):
    """A Meridian GeoX analysis (`AnalysisResult`), as far as it is read."""

    analysis_config: _GeoXConfig
    results: dict[str, _GeoXResult]


class _RobynTest(Struct):
    """A row of Robyn's `calibration_input`."""

    channel: str
    lift: float = field(name="liftAbs")
    start: Any = field(name="liftStartDate")
    end: Any = field(name="liftEndDate")
    confidence: float | None = None


class PymcTest(Struct):
    """A row of PyMC-Marketing's lift tests, per period.

    Attributes:
        channel: Tested.
        x: Spend without the test.
        delta_x: What the test added to it.
        delta_y: What that did to the KPI.
        sigma: Standard error of that.
    """

    channel: str
    x: float
    delta_x: float
    delta_y: float
    sigma: float


def columns_of(mapping: ColumnMapping) -> dict[str, str]:
    """The channel of each column of media or spend, and of each channel's own name."""
    names = {}
    for channel in mapping.channels:
        for column in (channel.media, channel.reach, channel.spend, channel.name):
            names |= {column: channel.name} if column else {}
    return names


def read_report(text: str, filename: str, context: Context) -> tuple[Stated, ...]:
    """Results of a GeoX or Robyn JSON, or of what GeoLift prints.

    Args:
        text: The file's content.
        filename: For messages.
        context: What the file may leave out.

    Raises:
        SchemaError: The file is none of these, or leaves out what nobody has said.
    """
    if text.lstrip()[:1] in "{[":
        try:
            content = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise _unknown(filename) from error
        return _of_json(content, filename, context)
    if "Percent Lift" in text:
        return (geolift_summary(text, filename, context),)
    raise _unknown(filename)


def _of_json(content: Any, filename: str, context: Context) -> tuple[Stated, ...]:
    if isinstance(content, Mapping):
        if "results" in content and "analysis_config" in content:
            return geox_result(content, filename, context)
        for part in (content, content.get("InputCollect")):
            tests = part.get(_ROBYN) if isinstance(part, Mapping) else None
            if tests:
                return robyn_calibration(tests, filename, context)
    entries = content if isinstance(content, list) else []
    if entries and all(isinstance(row, dict) and "liftAbs" in row for row in entries):
        return robyn_calibration(content, filename, context)
    raise _unknown(filename)


def geox_result(
    content: Mapping[str, Any], filename: str, context: Context
) -> tuple[Stated, ...]:
    """Results of each cell of a Meridian GeoX analysis (`AnalysisResult`, JSON).

    Raises:
        SchemaError: Something that belongs to such an analysis is missing.
    """
    try:
        analysis = convert(content, _GeoX, strict=False)
        config = analysis.analysis_config
        kinds = config.design.kinds
        return tuple(
            Stated(
                channels=_channels(context, filename),
                geos=tuple(map(str, config.design.designs[cell].treatment_geos)),
                start=str(config.analysis_start_date)[:10],
                end=str(config.analysis_end_date)[:10],
                measure="incremental_outcome",
                value=metrics.lift.point_estimate,
                standard_error=metrics.lift.standard_deviation,
                tested_at=_GEOX_KINDS[int(kinds.get(cell, 1))],
                source=f"{filename}, {cell}",
            )
            for cell, metrics in analysis.results.items()
        )
    except (LookupError, TypeError, ValueError, ValidationError) as error:
        raise SchemaError(
            f"{filename} looks like a result of GeoX but lacks parts of one.",
            hint="Write it with the analysis's own export to JSON, with its design.",
            where=filename,
        ) from error


def geolift_summary(text: str, filename: str, context: Context) -> Stated:
    """What GeoLift prints about a test: lift, incremental outcome, interval or p.

    A p-value alone gives the standard error that a Normal result with it would have.

    Raises:
        SchemaError: The text lacks the outcome, or nobody has said the dates.
    """
    outcome = _after(text, rf"Incremental Y:\s*{_NUMBER}")
    interval = re.search(
        rf"(\d+)\s*% Confidence Interval:\s*\(\s*{_NUMBER}\s*,\s*{_NUMBER}\s*\)", text
    )
    p_value = _after(text, rf"[Pp]-?[Vv]alue:?\s*{_NUMBER}")
    if outcome is None:
        raise SchemaError(
            f"{filename} has no line “Incremental Y”.",
            hint="Save everything that print(GeoTest) and summary(GeoTest) write.",
            where=filename,
        )
    listed_geos = re.findall(r"^\W*\d+\s+([A-Z][A-Z .'-]+)\s*$", text, re.MULTILINE)
    lacking = [name for name in ("start", "end") if not getattr(context, name)]
    if lacking:
        raise _left_out(filename, "the dates of the test", "--start and --end")
    stated = Stated(
        channels=_channels(context, filename),
        geos=context.geos or tuple(geo.strip().lower() for geo in listed_geos),
        start=context.start,
        end=context.end,
        measure="incremental_outcome",
        value=outcome,
        source=filename,
    )
    if interval is not None:
        ends = _number(interval.group(2)), _number(interval.group(3))
        return replace(stated, interval=ends, level=int(interval.group(1)) / 100)
    if p_value is not None and 0 < p_value < 1:
        error = abs(outcome) / NormalDist().inv_cdf(1 - p_value / 2)
        return replace(stated, standard_error=error)
    return stated


def robyn_calibration(
    content: Any, filename: str, context: Context
) -> tuple[Stated, ...]:
    """Robyn's `calibration_input`: a list of rows, or columns of equal length.

    `confidence` is one less the p-value, and gives the standard error as of a Normal.

    Raises:
        SchemaError: There is no row, one lacks a column, columns are not of one
            length, or a value in it cannot be read.
    """
    entries = _report_rows(content, filename)
    if not entries:
        raise _unknown(filename)
    results = []
    for number, row in enumerate(entries, start=1):
        try:
            test = convert(row, _RobynTest, strict=False)
        except (TypeError, ValueError, ValidationError) as error:
            raise SchemaError(
                f"{filename}: test {number} of calibration_input lacks a part.",
                hint="Each needs channel, liftStartDate, liftEndDate, liftAbs and "
                "confidence.",
                where=filename,
            ) from error
        names = [part.strip() for part in test.channel.split("+")]
        lift, confidence = test.lift, test.confidence or 0.0
        channel_names = context.channel_names or {}
        error = None
        if 0 < confidence < 1 and lift:
            error = abs(lift) / NormalDist().inv_cdf((1 + confidence) / 2)
        results.append(
            Stated(
                channels=tuple(channel_names.get(name, name) for name in names),
                start=str(test.start)[:10],
                end=str(test.end)[:10],
                measure="incremental_outcome",
                value=lift,
                standard_error=error,
                source=f"{filename}, test {number}",
            )
        )
    return tuple(results)


def pymc_lift_tests(
    entries: Sequence[PymcTest], filename: str, context: Context, periods: int
) -> tuple[Stated, ...]:
    """PyMC-Marketing's lift tests: channel, x, delta_x, delta_y, sigma per period.

    A test raised spend of each period from x to x + delta_x (or lowered it), which
    changed the KPI of each period by delta_y. The data hold the test, so the other arm
    is x.

    Args:
        entries: Of the table.
        filename: For messages.
        context: Dates and geos, which the table does not have.
        periods: Of the test, over which the result is summed.

    Raises:
        SchemaError: Nobody has said the dates, or a row changes no spend.
    """
    if not (context.start and context.end):
        raise _left_out(filename, "the dates of the tests", "--start and --end")
    results = []
    for number, row in enumerate(entries, start=1):
        x, change = row.x, row.delta_x
        if change == 0 or x + change < 0:
            raise SchemaError(
                f"{filename}, row {number}: delta_x of {change:g} at x = {x:g} is not "
                "a change of spend.",
                hint="delta_x is the spend of the test less x, and not zero.",
                where=filename,
            )
        tested = x + change
        sign = 1.0 if change > 0 else -1.0
        results.append(
            Stated(
                channels=(row.channel,),
                geos=context.geos,
                start=context.start,
                end=context.end,
                measure="incremental_outcome",
                value=sign * row.delta_y * periods,
                standard_error=row.sigma * periods**0.5,
                multiple=x / tested if tested else 0.0,
                amount=None if tested else x * periods,
                source=f"{filename}, row {number}",
            )
        )
    return tuple(results)


def _channels(context: Context, filename: str) -> tuple[str, ...]:
    if not context.channels:
        raise _left_out(filename, "the channel that was tested", "--channel")
    return context.channels


def _left_out(filename: str, what: str, option: str) -> SchemaError:
    return SchemaError(
        f"{filename} does not say {what}.", hint=f"Say it: {option}.", where=filename
    )


def _report_rows(content: Any, filename: str) -> list[Mapping[str, Any]]:
    if isinstance(content, Mapping):
        lists = {
            key: value if isinstance(value, list) else [value]
            for key, value in content.items()
        }
        lists = {key: value for key, value in lists.items() if value}
        n_rows = max(map(len, lists.values()), default=0)
        odd = [key for key, value in lists.items() if len(value) not in (1, n_rows)]
        if odd:
            raise SchemaError(
                f"{filename}: {listed(odd)} of calibration_input has another number of "
                f"values than the {n_rows} tests.",
                hint="Give each test its own value.",
                where=filename,
            )
        return [
            {key: value[min(at, len(value) - 1)] for key, value in lists.items()}
            for at in range(n_rows)
        ]
    return [row for row in content if isinstance(row, Mapping)]


def _after(text: str, pattern: str) -> float | None:
    match = re.search(pattern, text)
    return None if match is None else _number(match.group(1))


def _number(text: str) -> float:
    return float(text.replace(",", "").rstrip("."))


def _unknown(filename: str) -> SchemaError:
    known = listed(["a result of GeoX", "what GeoLift prints", "a model of Robyn"])
    return SchemaError(
        f"{filename} is not a report of a test that Mixwright reads: {known}.",
        hint="Enter the test by hand, or as a table with the columns channel, start, "
        "end, and a result with its standard error or interval.",
        where=filename,
    )
