"""priors suggest: what a team's other projects say of a project's priors."""

import argparse

from core import text as fmt
from core.cli.answer import Answer, clean, table
from core.service.places import project_folder
from core.service.suggestions import priors
from core.view.suggestions import prior_words


def suggest(options: argparse.Namespace) -> Answer:
    """Priors that other projects suggest; accepted where that is asked."""
    others = [project_folder(name) for name in options.others] or None
    folder = project_folder(options.project)
    for channel, kind in options.kind:
        priors.set_kind(folder, channel, kind)
    suggestions = priors.suggested(folder, others)
    for name in options.channel:
        suggestions.of(name)
    remarks = []
    if options.accept:
        changed = priors.accept(folder, suggestions, options.channel)
        suggestions = priors.suggested(folder, others)
        names = fmt.listed(changed) if changed else "none"
        remarks = [f"Accepted: {names}. The next fit has them."]
    rows = [
        (
            each.channel,
            each.kind,
            prior_words.now_text(each.now),
            prior_words.range_of(each),
        )
        for each in suggestions.channels
    ]
    titles = ("Channel", "Kind", "Prior now", "ROI suggested, 90 %")
    parts = [table(titles, rows, texts=4)]
    parts += [
        f"{each.channel}: {prior_words.sentence(each)}" for each in suggestions.channels
    ]
    if suggestions.left_out:
        parts += ["Left out", *prior_words.left_out(suggestions.left_out)]
    text = clean("\n".join([*parts, prior_words.NOTE]))
    return Answer(prior_words.as_dict(suggestions), text, remarks=tuple(remarks))
