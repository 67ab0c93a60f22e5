"""Words about a run at work: how it stands, and what its preview says."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core import text as fmt
from core.project.fits.previews import read_preview
from core.store.run_state import RunStatus
from core.text.languages.language import marked

_WORDS = {
    "preparing": "reading the data",
    "compiling": "compiling the model",
    "warmup": "warming up",
    "draws": "drawing",
    "analysis": "working out the results",
    "causes": "telling causes apart",
    "plans": "scoring the saved plans",
    "saving": "saving the results",
}
_SECONDS_BETWEEN_LINES = 10.0


class Pace:
    """Lines about a run at work: when its phase changes, and every ten seconds.

    Args:
        run: Its directory; None where there is none to read a preview from.
    """

    def __init__(self, run: Path | None = None) -> None:
        self._run = run
        self._method: str | None = None
        self._phase = ""
        self._shown = -_SECONDS_BETWEEN_LINES

    def preview(self) -> str:
        """What a fit says before its result, once each; empty before and after."""
        preview = None if self._run is None else read_preview(self._run)
        if preview is None or preview.get("method", "") == self._method:
            return ""
        self._method = preview.get("method", "")
        return preview_text(preview)

    def line(self, status: RunStatus) -> str:
        """The line that is due; empty where none is."""
        line = progress_text(status)
        phase = str(status.progress.get("phase") or status.state)
        now = time.monotonic()
        is_due = phase != self._phase or now - self._shown >= _SECONDS_BETWEEN_LINES
        if not line or not is_due:
            return ""
        self._phase, self._shown = phase, now
        return line


def preview_text(preview: Mapping[str, Any], most: int = 6) -> str:
    """A preview in one line: ROI and, before sampling, the best split of the budget."""
    is_reweighted = preview.get("method") == "reweighted"
    if is_reweighted and preview.get("is_rough"):
        return f"No first answer: {no_first_answer(preview)}"
    returns = [
        f"{row['name']} {fmt.estimate(row['roi'], 'ratio')}"
        for row in preview["channels"]
        if (row.get("roi") or {}).get("mean") is not None
    ]
    split = [
        f"{row['name']} {fmt.share(row['multiplier'] - 1, signed=True)}"
        for row in (preview.get("plan") or {}).get("channels", ())
    ]
    parts = [
        f"{label} {', '.join(shown[:most])}{' ...' if len(shown) > most else ''}"
        for label, shown in (("ROI", returns), (marked("best split"), split))
        if shown
    ]
    if is_reweighted:
        k_hat = preview["k_hat"] or 0
        size = f"{preview['draws']:.0f} effective draws, k-hat {k_hat:.2f}"
        return (
            f"First answer, from the last fit's draws reweighted ({size}), "
            f"not a result: {'; '.join(parts)}"
        )
    if preview.get("method") == "sampled":
        return f"Sampled: {'; '.join(parts)}. {sampled_text(preview)}"
    rough = ", rough" if preview.get("is_rough") else ""
    return f"Preview, before sampling{rough}, not a result: {'; '.join(parts)}"


def sampled_text(preview: Mapping[str, Any]) -> str:
    """What is known of a fit whose draws are there, and what is not yet."""
    sampling = preview["sampling"]
    reasons = " ".join(sampling["reasons"])
    said = {
        "trustworthy": "Sampling converged.",
        "doubtful": f"Sampling is doubtful: {reasons}",
    }.get(sampling["verdict"], f"Sampling failed: {reasons}")
    return f"{said} Whether model and data agree, curves and forecasts follow."


def no_first_answer(preview: Mapping[str, Any]) -> str:
    """Why the draws of the last fit do not say what the new one will."""
    k_hat = preview.get("k_hat")
    size = "" if k_hat is None else f", {k_hat:.2f}, above {preview['highest_k']:.2f}"
    return (
        "the new rows go too far beyond what the last fit's draws cover "
        f"(Pareto's k-hat is too high{size}). The new fit will tell."
    )


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
        f"{100 * status.fraction:3.0f} %",
        _WORDS.get(progress.get("phase"), "starting"),
    ]
    chains = progress.get("chains") or []
    if chains and progress.get("phase") in ("warmup", "draws"):
        done = min(chain.get("iteration") or 0 for chain in chains)
        total = max(chain.get("total") or 0 for chain in chains)
        parts.append(f"iteration {done} of {total}")
        divergences = sum(chain.get("divergences") or 0 for chain in chains)
        if divergences:
            parts.append(fmt.count(divergences, "divergence"))
    for label, key, form in (
        ("R-hat", "rhat_max", "{:.3f}"),
        ("ESS", "ess_min", "{:.0f}"),
        ("left", "eta", "{:.0f} s"),
    ):
        if progress.get(key) is not None:
            parts.append(f"{label} {form.format(progress[key])}")
    if status.state == "cancelling":
        parts.append("stopping")
    return ", ".join(parts)
