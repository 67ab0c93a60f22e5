"""summary and report: what a finished fit says. Nothing is computed again here."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core import text as fmt
from core.cli.answer import Answer, clean, table
from core.cli.fits.specifications import quality_lines
from core.service import fits
from core.service.places import finished_fit
from core.text import verdicts
from core.text.lift_tests import tested
from core.view import funnel_words

if TYPE_CHECKING:
    pass


#: Channels that less likely follow demand are not listed.
_LEAST_DEMAND = 0.05


def summary(options: argparse.Namespace) -> Answer:
    """The summary of a fit."""
    run = finished_fit(options.run)
    about = fits.summary(run)
    return Answer(about, summary_text(about))


def summary_text(about: Mapping[str, Any]) -> str:
    """The summary for people."""
    units = fmt.units(about)
    kind, unit = ("money", units.currency) if units.is_money else ("number", "")
    rows = [
        (
            str(row["name"]),
            fmt.money(row["spend"], units.currency) if row.get("spend") else fmt.NONE,
            _shown(row.get("roi"), "ratio"),
            _shown(row.get("roi_last_year"), "ratio"),
            _shown(row.get("mroi"), "ratio"),
            _shown(row.get("cpik"), "money", units.currency, centre="median"),
            _shown(row.get("contribution"), kind, unit),
            _shown(row.get("contribution_share"), "share"),
        )
        for row in about["channels"]
    ]
    titles = ["Channel", "Spend", f"ROI, {units.roi}", "ROI last year"]
    titles += ["Marginal ROI", "CPIK"]
    titles += [f"Incremental {units.outcome_name}", "Share of outcome"]
    if not units.is_money:  # what one more unit of the KPI costs comes first
        rows = [(*row[:2], row[5], *row[2:5], *row[6:]) for row in rows]
        titles = [*titles[:2], titles[5], *titles[2:5], *titles[6:]]
    lines = [
        f"Run {Path(about['run']).name}, {about.get('start', '')} to "
        f"{about.get('end', '')}; brackets are 90 % intervals",
        "",
        table(titles, rows),
        "",
        *_funnel(about),
        *_evidence(about["channels"], units),
        *_demand(about),
        *_frequencies(about["channels"]),
        *_experiments(about.get("experiments") or (), units),
        f"Baseline share: {_shown(about.get('baseline_share'), 'share')}",
        _accuracy(about.get("accuracy") or {}),
        diagnostics_text(about.get("diagnostics") or {}),
        "",
        *quality_lines(about),
    ]
    return clean("\n".join(lines).rstrip())


def _funnel(about: Mapping[str, Any]) -> list[str]:
    """Totals in their parts; nothing without a funnel."""
    rows = funnel_words.cells(about)
    if not rows:
        return []
    said = [funnel_words.sentence(about), *funnel_words.hidden(about)]
    return [*said, "", table(funnel_words.titles(about), rows), ""]


def _evidence(channels: list[Mapping[str, Any]], units: fmt.Units) -> list[str]:
    """Data or prior: one line per paid channel, what matters most first."""
    with_evidence = [row for row in channels if row.get("evidence")]
    lines = []
    for row in sorted(with_evidence, key=lambda row: row["evidence"]["rank"]):
        evidence = row["evidence"]
        line = f"{row['name']}: {evidence['label']}, {evidence['reason']}."
        worth = ""
        if evidence.get("worth"):
            gain, moved = units.show(evidence["worth"]), fmt.share(evidence["moves"])
            worth = (
                f"Knowing it exactly would be worth {gain} to a plan of the same "
                f"budget{verdicts.for_periods(evidence)} and move {moved} of it."
            )
        hidden = (evidence.get("confounder") or {}).get("text", "")
        parts = (line, evidence["remedy"], worth, hidden and f"{hidden}.")
        lines.append(f"  {' '.join(filter(None, parts))}")
    if not lines:
        return []
    return ["ROI: data or prior, what would change the plan most first", *lines, ""]


def _demand(about: Mapping[str, Any]) -> list[str]:
    """How likely each channel follows demand, and what its return is then."""
    rows = [row for row in about["channels"] if (row.get("demand") or {})]
    rows = [row for row in rows if row["demand"]["probability"] >= _LEAST_DEMAND]
    rows.sort(key=lambda row: -row["demand"]["probability"])
    lines = [f"  {row['name']}: {row['demand']['sentence']}" for row in rows]
    return ["Spend that follows demand", *lines, ""] if lines else []


def _frequencies(channels: list[Mapping[str, Any]]) -> list[str]:
    """One line per channel with reach and frequency."""
    return [
        f"Optimal frequency of {row['name']}: {frequency['best']:.1f} "
        f"({frequency['lo']:.1f} – {frequency['hi']:.1f}), now "
        f"{frequency['current']:.1f}"
        for row in channels
        if (frequency := row.get("optimal_frequency")) and frequency["lo"] is not None
    ]


def _experiments(tests: Sequence[Mapping[str, Any]], units: fmt.Units) -> list[str]:
    """A block about lift tests; nothing where there are none."""
    if not tests:
        return []
    kind, unit = ("money", units.currency) if units.is_money else ("number", "")
    rows = [
        (
            tested(test),
            f"{test['start']} to {test['end']}",
            _shown(test.get("test"), kind, unit),
            _shown(test.get("posterior"), kind, unit),
            f"{'agrees' if test['agrees'] else 'in tension'}, "
            f"{test['standard_errors_apart']:+.1f} SE",
            _shown((test.get("roi") or {}).get("without"), "ratio"),
            _shown((test.get("roi") or {}).get("posterior"), "ratio"),
        )
        for test in tests
    ]
    titles = ["Lift test", "Dates", "Result", "Model", "Verdict"]
    titles += ["ROI without it", "ROI with it"]
    return [table(titles, rows, texts=2), ""]


def diagnostics_text(diagnostics: Mapping[str, Any]) -> str:
    """The verdict on a fit with its reasons and numbers."""
    parts = [f"Verdict: {verdicts.fit(str(diagnostics.get('verdict', 'unknown')))}"]
    parts += [f"  {reason}" for reason in diagnostics.get("reasons", ())]
    parts += [f"  Note: {note}" for note in diagnostics.get("notes", ())]
    numbers = []
    for label, key, form in (
        ("largest R-hat", "rhat_max", "{:.3f}"),
        ("least bulk ESS", "ess_bulk_min", "{:.0f}"),
        ("least tail ESS", "ess_tail_min", "{:.0f}"),
        ("divergences", "divergences", "{:d}"),
    ):
        if diagnostics.get(key) is not None:
            numbers.append(f"{label} {form.format(diagnostics[key])}")
    worst = diagnostics.get("worst_name") or diagnostics.get("worst_parameter")
    if worst:
        numbers.append(f"worst parameter {worst}")
    return "\n".join([*parts, f"  {', '.join(numbers)}"] if numbers else parts)


def report(options: argparse.Namespace) -> Answer:
    """Write the report of a fit to one file or several."""
    from core.service import reports

    paths = [reports.report_path(name) for name in options.out]
    run = finished_fit(options.run)
    plan = reports.plan_of(run, options.plan)
    for path in paths:
        reports.write(run, path, plan)
    files = [str(path.resolve()) for path in paths]
    written = {"out": files[0], "files": files, "run": str(run.folder)}
    return Answer(written, "\n".join(str(path) for path in paths))


def _shown(
    estimate: Mapping[str, Any] | None, kind: str, unit: str = "", **options
) -> str:
    if not estimate or estimate.get("mean") is None:
        return fmt.NONE
    return fmt.estimate(estimate, kind, unit, **options)


def _accuracy(accuracy: Mapping[str, Any]) -> str:
    parts = [
        f"{label} {fmt.ratio(accuracy[key])}"
        if key == "r2"
        else f"{label} {fmt.share(accuracy[key])}"
        for label, key in (("R²", "r2"), ("MAPE", "mape"), ("wMAPE", "wmape"))
        if accuracy.get(key) is not None
    ]
    return f"Accuracy: {', '.join(parts)}"
