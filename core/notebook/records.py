"""Records of the Python interface: frozen, with pandas and xarray inside."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.service.records.fit import Channel, FitRecord
from core.service.records.preview import RefreshRecord

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go
    import xarray as xr

    from core.service.projects import settings as definition
    from core.service.records import comparison
    from core.service.records.columns import ColumnMapping, Layout
    from core.service.records.fit import Run

_ESTIMATES = ("roi", "roi_last_year", "mroi", "cpik", "effectiveness")
_ESTIMATES += ("contribution", "contribution_share")


@dataclass(frozen=True)
class Table:
    """A table that is ready for a project.

    Attributes:
        frame: One row per period and geo, as read.
        mapping: The role of each column, as recognised; correct it with
            `dataclasses.replace`.
        layout: How several or long files became one table; None for a single file that
            is used as it is.
        notes: What was done while reading.
    """

    frame: "pd.DataFrame"
    mapping: "ColumnMapping"
    layout: "Layout | None" = None
    notes: tuple = ()

    def findings(self) -> "pd.DataFrame":
        """What is wrong with the data: severity, where, message, hint; worst first."""
        from core.service.projects.columns import findings_of

        return _findings(findings_of(self.frame, self.mapping, self.notes))


@dataclass(frozen=True)
class Project:
    """A project: a folder with data, options, fits and plans.

    Attributes:
        folder: Its folder.
    """

    folder: Path

    @property
    def settings(self) -> "definition.Project":
        """What project.toml says: `mapping`, `spec`, `sampler`, `currency`, ..."""
        from core.service.projects.settings import load_project

        return load_project(self.folder)

    def save(self, settings: "definition.Project") -> None:
        """Write project.toml; comments in it are kept.

        Raises:
            WorkspaceError: The workspace cannot be written.
        """
        from core.service.projects.settings import save_project

        save_project(self.folder, settings)

    @property
    def frame(self) -> "pd.DataFrame":
        """The data, one row per period and geo."""
        from core.service import tables

        return tables.kept(self.folder)

    def findings(self) -> "pd.DataFrame":
        """What is wrong with data and options: severity, where, message, hint."""
        from core.service import tables

        return _findings(tables.findings(self.folder))

    def results(self) -> "list[Result]":
        """Its finished fits, newest first."""
        from core.service.runs import has_result, list_runs

        runs = list_runs(self.folder, "fit")
        return [Result(run) for run in runs if has_result(run.folder)]


@dataclass(frozen=True)
class Result:
    """A finished fit.

    Attributes:
        run: Its run: `run.folder`, `run.run_id`, `run.seed`, ...
    """

    run: "Run"

    @property
    def summary(self) -> dict[str, Any]:
        """Every number of the fit as plain values, as `core summary --json` prints."""
        from core.service import fits

        return fits.summary(self.run)

    @property
    def _record(self) -> FitRecord:
        from core.service import fits

        return fits.record(self.run)

    @property
    def verdict(self) -> str:
        """Whether to trust it: `trustworthy`, `doubtful` or `failed`."""
        return self._record.verdict

    def table(self) -> "pd.DataFrame":
        """What each channel returned, one row per channel.

        Returns:
            `kind`, `spend` (currency), and `roi` and `roi_last_year` (outcome per
            currency), `mroi`, `cpik` (currency per KPI), `effectiveness` (outcome per
            media unit), `contribution` (outcome) and `contribution_share`: the mean,
            of `cpik` the median, with the ends of the 90 % interval as `_lo` and `_hi`.
            The outcome is revenue, or the KPI where its value is not known.
        """
        import pandas as pd

        rows = [_channel_row(channel) for channel in self._record.channels]
        return pd.DataFrame(rows).set_index("channel")

    @property
    def posterior(self) -> "xr.Dataset":
        """Every draw: dims chain, draw, then those of the parameter (docs/model.md)."""
        return self.view("posterior")

    def curves(
        self,
        *,
        periods: int | None = None,
        start: str | None = None,
        as_fitted: bool = False,
    ) -> "xr.Dataset":
        """Response curves: what each paid channel brings at multiples of its spend.

        Args:
            periods: How many periods; None for a year of them.
            start: The first period starts on this day or later, YYYY-MM-DD; None for
                the first one after the data.
            as_fitted: The data's own periods instead.

        Returns:
            Dims draw, channel, spend_multiplier: `incremental_outcome` (outcome units)
            and `slope`, its derivative with respect to the multiplier; `spend` by
            channel (currency, a year earlier).

        Raises:
            PlanError: The periods begin before the data end, or end too late.
        """
        from core.service.horizons import curve_files
        from core.service.records.plan import HorizonRequest
        from core.service.runs import open_dataset

        files = curve_files(self.run, HorizonRequest(periods, start, as_fitted))
        return open_dataset(files.run, files.channels)

    def view(self, name: str) -> "xr.Dataset":
        """A file of the result: channels, weeks, years, shapes, forecast, loo, ...

        Raises:
            WorkspaceError: There is no such file, or it is damaged.
        """
        from core.service.runs import open_dataset

        return open_dataset(self.run.folder, name)

    def figures(self) -> "dict[str, go.Figure]":
        """The report's figures by name (`roi`, `waterfall`, `responses`, ...).

        There are more in `core.charts`; each turns a `view` into a Plotly figure.
        """
        from core.charts.curves import responses
        from core.report.content import read
        from core.report.document import figures

        content = read(self.run.folder)
        has_return = bool(content.curves.channel.size)
        more = {"responses": responses(content.curves)} if has_return else {}
        return figures(content) | more


@dataclass(frozen=True)
class Forecast:
    """The outcome of the next periods.

    Attributes:
        weeks: One row per period: `mean`, `median`, and the ends of the 50 and 90 %
            intervals, in outcome units per period.
        parts: Components of the total, outcome units: baseline, events, each channel.
        total: Over all periods, outcome units: mean, median, sd, lo, hi, lo50, hi50.
        goal: `value` and `probability`; None without a goal.
        record: Everything, as `core forecast --json` prints it.
    """

    weeks: "pd.DataFrame"
    parts: "pd.DataFrame"
    total: Mapping[str, float]
    goal: Mapping[str, float] | None
    record: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Refreshed:
    """The fit that answers for a project now, and what moved since the one before.

    Attributes:
        result: The fit.
        is_new: Whether there is one that was not seen before.
        record: What moved and why, as `core refresh --json` prints it; None where
            nothing did, or it is the first fit.
    """

    result: Result
    is_new: bool
    record: RefreshRecord | None = field(repr=False)

    def __str__(self) -> str:
        """What moved most, and why."""
        from core.view.refresh_words import moved

        return (
            "There is no fit to compare with."
            if not self.record
            else moved(self.record)
        )

    def table(self) -> "pd.DataFrame":
        """ROI before and now by channel, and its move in standard deviations.

        Returns:
            `before`, `after` (mean ROI, outcome per currency), `sds` and, for each
            cause, its part of that; without rows where nothing can be compared.
        """
        import pandas as pd

        rows = [
            {
                "channel": row.name,
                "before": row.before.mean,
                "after": row.after.mean,
                "sds": row.sds,
            }
            | {f"by {cause}": part for cause, part in row.by.items()}
            for row in (self.record.channels if self.record else ())
        ]
        names = ["channel", "before", "after", "sds"]
        frame = pd.DataFrame(rows, columns=None if rows else names)
        return frame.set_index("channel")


@dataclass(frozen=True)
class Comparison:
    """Two fits side by side.

    Attributes:
        result: What the comparison found.
    """

    result: "comparison.Comparison" = field(repr=False)

    @property
    def record(self) -> dict[str, Any]:
        """Everything as plain values, as `core compare --json` prints it."""
        from core.service.records.comparison import as_dict

        return as_dict(self.result)

    def __str__(self) -> str:
        """Whether they say the same."""
        return self.result.verdict.text

    def table(self) -> "pd.DataFrame":
        """ROI, marginal ROI and contribution of both, one row per channel and measure.

        Returns:
            `a` and `b` (means), their `difference`, and `units`, the difference in
            Monte-Carlo errors; ROI in outcome per currency, contribution in outcome.
        """
        import pandas as pd

        rows = [
            {
                "channel": row.name,
                "measure": measure,
                "a": both.a.mean,
                "b": both.b.mean,
                "difference": both.difference,
                "units": both.units,
            }
            for row in self.result.channels
            for measure in ("roi", "mroi", "contribution")
            if (both := row.measure(measure)) is not None
        ]
        return pd.DataFrame(rows).set_index(["channel", "measure"])


def _findings(findings: Any) -> "pd.DataFrame":
    import pandas as pd

    columns = ["severity", "where", "message", "hint"]
    return pd.DataFrame([each.as_dict() for each in findings], columns=columns)


def _channel_row(channel: Channel) -> dict[str, Any]:
    """A channel of a fit, flat."""
    flat = {"channel": channel.name, "kind": channel.kind, "spend": channel.spend}
    for name in _ESTIMATES:
        estimate = getattr(channel, name) or {}
        flat[name] = estimate.get("median" if name == "cpik" else "mean")
        flat[f"{name}_lo"], flat[f"{name}_hi"] = estimate.get("lo"), estimate.get("hi")
    return flat
