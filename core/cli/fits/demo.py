"""demo: a simulated market, fitted and planned, with the truth beside the estimate."""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass

from msgspec import to_builtins

from core import text as fmt
from core.cli.answer import Answer, clean, table, tell
from core.cli.fits.fit import fit_text, sampler_settings
from core.cli.fits.results import summary_text
from core.cli.plans.planning import plan_text
from core.cli.progress import Progress
from core.estimate import OptionalEstimate
from core.service import fits, plans
from core.service.records.fit import FitRecord
from core.service.records.plan import as_dict
from core.service.workspace.getting_ready import dismiss

_NAME = "Demo market"


def demo(options: argparse.Namespace) -> Answer:
    """Simulate, fit, plan and print; a fit that it would only repeat is shown again."""
    from core.service.projects.demo import demo_project
    from core.service.projects.shelf import project_folder

    settings = sampler_settings(options)
    folder = project_folder(_NAME)
    truth = demo_project(_NAME)
    tell(f"Project {folder}: a simulated market with known returns.")
    run = fits.same_fit(folder, settings)
    if run is None:
        run = fits.fit(folder, settings, Progress())
    else:
        dismiss()
        tell("It has this fit already: the same again would give the same numbers.")
    fit = fits.report_of(run.folder)
    record = fits.record(run)
    plan = plans.plan(run)
    beside = _beside(record, truth)
    covered = [row.covered for row in beside]
    text = "\n\n".join(
        (
            fit_text(fit),
            summary_text(record, run.run_id),
            _truth_text(beside),
            plan_text(plan),
        )
    )
    data = {
        "project": str(folder),
        "run": str(run.folder),
        "fit": to_builtins(fit),
        "summary": fits.summary(run),
        "plan": as_dict(plan),
        "truth": {
            "channels": [vars(row) for row in beside],
            "covered": sum(covered),
            "of": len(covered),
        },
    }
    return Answer(data, text)


@dataclass(frozen=True)
class _Beside:
    """True and estimated ROI of a channel, and whether the interval has it."""

    name: str
    true_roi: float
    roi: OptionalEstimate
    covered: bool


def _beside(fit: FitRecord, truth: Mapping[str, float]) -> list[_Beside]:
    """Channels of known ROI beside what the fit says of them."""
    channels = []
    for channel in fit.channels:
        true_roi, roi = truth.get(channel.name), channel.roi
        if true_roi is None or not channel.has_roi:
            continue
        covered = roi.lo <= true_roi <= roi.hi
        channels.append(_Beside(channel.name, true_roi, roi, covered))
    return channels


def _truth_text(channels: list[_Beside]) -> str:
    rows = [
        (
            row.name,
            fmt.roi(row.true_roi),
            fmt.estimate(row.roi, "ratio"),
            "yes" if row.covered else "no",
        )
        for row in channels
    ]
    covered = sum(row.covered for row in channels)
    titles = ("Channel", "True ROI", "Estimated ROI", "Within the interval")
    lines = [table(titles, rows)]
    lines.append(f"{covered} of {len(channels)} true ROIs lie in their 90 % intervals.")
    return clean("\n".join(lines))
