"""Direction: how sure it is that spend should move the way that it does."""

from core.plan.record.parts import Cell, Line
from core.text.languages.language import marked, say

#: How sure a direction must be to be called firm, and likely.
FIRM, LIKELY = 0.9, 0.75


#: What the marks of a direction say, wherever they are shown.
MARKS = marked(
    "▲ ▼ firm (90\u00a0% sure of the direction), △ ▽ likely (75\u00a0%), ◇ open."
)


def direction(line: Line | Cell) -> tuple[str, str]:
    """Sign and word for how sure it is that a channel's spend should move this way.

    Args:
        line: A channel, a geo, or a channel in a geo.

    Returns:
        `▲`/`▼` and "firm", `△`/`▽` and "likely", `◇` and "open", or `=` and
        "unchanged".
    """
    change = _multiplier(line) - 1
    if abs(change) < 0.005:
        return "=", say("unchanged")
    up = change > 0
    sure = line.probability_up
    if sure is None:
        return ("▲" if up else "▼"), ""
    sure = sure if up else 1 - sure
    if sure >= FIRM:
        return ("▲" if up else "▼"), say("firm")
    if sure >= LIKELY:
        return ("△" if up else "▽"), say("likely")
    return "◇", say("open")


def _multiplier(line: Line | Cell) -> float:
    current, planned = line.current, line.planned
    if current == 0:
        return 1.0 if planned == 0 else float("inf")
    return planned / current
