"""compare: fits side by side, differences in units of Monte-Carlo error."""

import argparse

from core.cli.answer import Answer, clean
from core.cli.fits.specifications import differences_text, drawn, specifications_text
from core.service import fits
from core.service.places import finished_fit
from core.service.records.comparison import Comparison, as_dict
from core.view.sections import comparing


def compare(options: argparse.Namespace) -> Answer:
    """Compare two finished fits number by number, two or more as specifications."""
    runs = [finished_fit(name) for name in (*options.runs, *options.more)]
    comparison = fits.compare(runs)
    if isinstance(comparison, Comparison):
        scores = specifications_text(comparison.specifications)
        parts = [compare_text(comparison), scores]
    else:
        parts = [specifications_text(comparison), differences_text(comparison)]
    return Answer(as_dict(comparison), clean("\n\n".join(parts)))


def compare_text(comparison: Comparison) -> str:
    """The comparison for people."""
    units = comparison.units
    lines = [
        f"{side}: {run.run_id}, {run.verdict or 'unknown'}, seed {run.seed}"
        for side, run in zip("AB", comparison.runs, strict=True)
    ]
    verdict = comparison.verdict
    sentences = (*verdict.findings, *verdict.remarks)
    lines += ["", verdict.text, *(f"  {line}" for line in sentences)]
    settings = comparing.settings_of(comparison.settings)
    same = "Data, options, priors, sampler and versions are the same."
    lines += ["", drawn(settings) if settings.rows else same]
    measures = comparing.MEASURES
    parts = [comparing.measured(comparison, each, errors=True) for each in measures]
    if comparison.plan:
        parts.append(comparing.split_of(comparison.plan, units, errors=True))
    for part in parts:
        if part.rows:
            lines += ["", part.title, drawn(part)]
    return clean("\n".join(lines))
