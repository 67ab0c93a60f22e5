"""priors suggest: what a team's other projects say of a project's priors."""

import argparse
from collections.abc import Sequence

from core import text as fmt
from core.cli.answer import Answer, clean, table
from core.service.places import project_folder
from core.service.suggestions import priors
from core.service.suggestions.priors import Suggestions
from core.view.suggestions import prior_words


def _accepted(changed: Sequence[str], suggestions: Suggestions) -> str:
    """What was taken over, or why nothing was."""
    if changed:
        return f"Accepted: {fmt.listed(changed)}. The next fit has them."
    if any(each.pooled for each in suggestions.channels):
        return "Nothing changed: the project has these priors already."
    return "Nothing accepted: no channel has a suggestion."


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
        remarks = [_accepted(changed, suggestions)]
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
    is_alone = not others and not priors.fitted(folder)
    if is_alone and not any(each.pooled for each in suggestions.channels):
        parts.append(
            f"There is no other project with a fit in {priors.workspace()}. Name "
            "projects of other folders with --from PROJECT."
        )
    text = clean("\n".join([*parts, prior_words.NOTE]))
    return Answer(prior_words.as_dict(suggestions), text, remarks=tuple(remarks))
