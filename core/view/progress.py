"""Words about a run at work: how it stands, and what its preview says."""

import time
from datetime import UTC, datetime
from pathlib import Path

from core import text as fmt
from core.project.fits.previews import Preview, Sampling, read_preview
from core.store.run_state import RunStatus
from core.text.languages.language import marked

#: Phases of a run, in words.
PHASES = {
    "preparing": marked("reading the data"),
    "compiling": marked("preparing the model"),
    "warmup": marked("warming up"),
    "draws": marked("sampling"),
    "budget": marked("finding the budget"),
    "climbing": marked("moving money between weeks"),
    "pausing": marked("looking for weeks to pause"),
    "bounding": marked("working out how good it can be"),
    "teaching": marked("looking for weeks that teach"),
    "analysis": marked("working out the results"),
    "curves": marked("working out response curves"),
    "weeks": marked("working out weeks, years and the forecast"),
    "checks": marked("checking the model against the data"),
    "causes": marked("telling causes apart"),
    "plans": marked("scoring the saved plans"),
    "saving": marked("saving the results"),
}
#: Phases after sampling.
SAMPLED = ("analysis", "curves", "weeks", "checks", "causes", "plans", "saving")
_SECONDS_BETWEEN_LINES = 10.0


class Pace:
    """Lines about a run at work: when its phase changes, and every ten seconds.

    None says again what the last one said.

    Args:
        run: Its directory; None where there is none to read a preview from.
    """

    def __init__(self, run: Path | None = None) -> None:
        self._run = run
        self._method: str | None = None
        self._phase = self._line = ""
        self._shown = -_SECONDS_BETWEEN_LINES

    def preview(self) -> str:
        """What a fit says before its result, once each; empty before and after."""
        preview = None if self._run is None else read_preview(self._run)
        if preview is None or preview.method == self._method:
            return ""
        self._method = preview.method
        return preview_text(preview)

    def line(self, status: RunStatus) -> str:
        """The line that is due; empty where none is."""
        line = progress_text(status)
        phase = status.progress.phase or status.state
        now = time.monotonic()
        is_due = phase != self._phase or now - self._shown >= _SECONDS_BETWEEN_LINES
        if not line or not is_due or line == self._line:
            return ""
        self._phase, self._shown, self._line = phase, now, line
        return line


#: Channels that a line names.
_MOST = 6


def preview_text(preview: Preview) -> str:
    """A preview in one line: ROI and, before sampling, the best split of the budget."""
    is_reweighted = preview.method == "reweighted"
    if is_reweighted and preview.is_rough:
        return f"No first answer: {no_first_answer(preview)}"
    returns = [
        f"{row.name} {fmt.estimate(row.roi, 'ratio')}"
        for row in preview.channels
        if row.roi is not None and row.roi.is_known
    ]
    split = [
        f"{row.name} {fmt.share(row.multiplier - 1, signed=True)}"
        for row in preview.split
        if row.multiplier is not None
    ]
    parts = [
        f"{label} {', '.join(values[:_MOST])}{' ...' if len(values) > _MOST else ''}"
        for label, values in (("ROI", returns), (marked("best split"), split))
        if values
    ]
    if is_reweighted:
        k_hat = preview.k_hat or 0
        size = f"{preview.draws or 0:.0f} effective draws, k-hat {k_hat:.2f}"
        return (
            f"First answer, from the last fit's draws reweighted ({size}), "
            f"not a result: {'; '.join(parts)}"
        )
    if preview.method == "sampled":
        return f"Sampled: {'; '.join(parts)}. {sampled_text(preview)}"
    rough = ", rough" if preview.is_rough else ""
    return f"Preview, before sampling{rough}, not a result: {'; '.join(parts)}"


def sampled_text(preview: Preview) -> str:
    """What is known of a fit whose draws are there, and what is not yet."""
    sampling = preview.sampling or Sampling()
    reasons = " ".join(sampling.reasons)
    said = {
        "trustworthy": "Sampling converged.",
        "doubtful": f"Sampling is doubtful: {reasons}",
    }.get(sampling.verdict, f"Sampling failed: {reasons}")
    return f"{said} Whether model and data agree, curves and forecasts follow."


def no_first_answer(preview: Preview) -> str:
    """Why the draws of the last fit do not say what the new one will."""
    k_hat, most = preview.k_hat, preview.highest_k
    why = "too few of them fit what is new"
    if k_hat is not None and most is not None and k_hat > most:
        why = f"Pareto's k-hat is too high, {k_hat:.2f}, above {most:.2f}"
    return (
        "what changed goes too far beyond what the last fit's draws cover "
        f"({why}). The new fit will tell."
    )


def elapsed(status: RunStatus) -> float | None:
    """Seconds that a run has worked; None before it does."""
    if status.state not in ("running", "cancelling"):
        return None
    seconds = status.progress.elapsed or 0.0
    since = _in_state(status) if status.state == "running" else None
    return max(seconds, since or 0.0)


def waited(status: RunStatus) -> float | None:
    """Seconds that a run has worked, or waited for a worker; None where unknown."""
    passed = elapsed(status)
    return _in_state(status) if passed is None else passed


def _in_state(status: RunStatus) -> float | None:
    """Seconds since a run entered its state; None where nobody says."""
    try:
        since = datetime.now(UTC) - datetime.fromisoformat(status.since)
    except (ValueError, TypeError):
        return None
    return max(since.total_seconds(), 0.0)


def seconds_left(status: RunStatus) -> float | None:
    """Seconds until a run is done, results included; None where that is not known.

    Once the results are worked out the worker tells it once; from then on it runs down.
    Zero: it takes longer than it was to.
    """
    remaining = status.progress.eta
    if remaining is None:
        return None
    if status.progress.phase in SAMPLED:
        reported = status.progress.elapsed or 0.0
        remaining = max(remaining - max((elapsed(status) or 0.0) - reported, 0.0), 0.0)
    return remaining


#: As far as a run is that takes longer than it was to.
_ALL_BUT_DONE = 0.99


def share_done(status: RunStatus) -> float:
    """Share of a run that is done; it never falls.

    The worker reports it; once it works out the results, the clock goes on.
    """
    passed, remaining = elapsed(status), seconds_left(status)
    if not passed or remaining is None or status.progress.phase not in SAMPLED:
        return status.fraction
    share = min(passed / (passed + remaining), _ALL_BUT_DONE)
    return max(share, status.fraction)


def progress_text(status: RunStatus) -> str:
    """How a run stands, in one line; empty once it has ended."""
    if not status.is_live:
        return ""
    if status.state == "queued":
        place = status.position or 0
        return (
            marked("In the queue, next")
            if place < 2
            else f"In the queue, number {place}"
        )
    progress = status.progress
    parts = [
        f"{100 * share_done(status):3.0f} %",
        PHASES.get(progress.phase, "starting"),
    ]
    chains = progress.chains
    if chains and progress.phase in ("warmup", "draws"):
        done = min(chain.iteration or 0 for chain in chains)
        total = max(chain.total or 0 for chain in chains)
        parts.append(f"iteration {done:.0f} of {total:.0f}")
        divergences = sum(int(chain.divergences or 0) for chain in chains)
        if divergences:
            parts.append(fmt.count(divergences, "divergence"))
    remaining = seconds_left(status)
    for label, number, form in (
        ("R-hat", progress.rhat_max, "{:.3f}"),
        ("ESS", progress.ess_min, "{:.0f}"),
        ("left", remaining or None, "{:.0f} s"),
    ):
        if number is not None:
            parts.append(f"{label} {form.format(number)}")
    if remaining == 0 and progress.phase in SAMPLED:
        passed = elapsed(status) or 0.0
        parts.append(f"longer than expected: {passed:.0f} s so far")
    if status.state == "cancelling":
        parts.append("stopping")
    return ", ".join(parts)
