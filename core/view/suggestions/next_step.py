"""The next step of a project that has no result to show yet, in a sentence."""

from collections.abc import Mapping

from core import text as fmt
from core.data.mapping import ColumnMapping
from core.text.languages.language import marked, say

#: By the state of its card.
_NEXT: Mapping[str, str] = {
    "empty": marked("Next: drop a file on Data."),
    "ready": marked("Next: look at the findings on Data, then fit."),
    "out_of_date": marked("Next: fit again to bring the results up to date."),
}


def next_step(state: str, mapping: ColumnMapping | None = None) -> str:
    """What a project holds, and what to do with it; empty where it needs nothing.

    Args:
        state: Of its card, see `core.project.shelf.cards.ProjectCard`.
        mapping: Its columns; None where they cannot be read or do not matter.
    """
    if state not in _NEXT:
        return ""
    step = say(_NEXT[state])
    if mapping is None or state != "ready":
        return step
    kpi = fmt.spoken(mapping.kpi)
    return say(
        "{kpi} and {channels}. {step}",
        kpi=kpi[:1].upper() + kpi[1:],
        channels=fmt.count(len(mapping.channels), "channel"),
        step=step,
    )
