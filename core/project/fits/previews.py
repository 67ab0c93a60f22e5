"""Previews: what a run at work says before its result is there.

Before it has sampled, what it expects; after that, what sampling says of channels while
the rest is worked out (`method` tells which).

`preview/` lies beside `result/` in the run's folder, is written whole or not at all,
and counts for nothing as soon as there is a result.
"""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from core import text as fmt
from core.estimate import OptionalEstimate
from core.store.atomic import explain
from core.store.results import has_result, write_record
from core.store.stored import read_object

_FOLDER, _FILE = "preview", "preview.json"


class PreviewedChannel(Struct, frozen=True, kw_only=True):
    """A channel of a preview."""

    name: str
    roi: OptionalEstimate | None = None
    contribution: OptionalEstimate | None = None


class PreviewedSpend(Struct, frozen=True, kw_only=True):
    """Spend on a channel in the best split of a preview, currency."""

    name: str
    current: float
    planned: float
    multiplier: float | None


class PreviewedPlan(Struct, frozen=True):
    """The best split of a preview."""

    channels: tuple[PreviewedSpend, ...]


class Sampling(Struct, frozen=True, kw_only=True):
    """The verdict on the sampling alone."""

    verdict: str = ""
    reasons: tuple[str, ...] = ()


class Preview(fmt.Measured, frozen=True, kw_only=True):
    """What a run at work says.

    Attributes:
        channels: What it says of each.
        method: `reweighted`, `sampled`, or what the approximation is called.
        k_hat: Pareto's k-hat of its weights; None where it is not finite.
        highest_k: Above which reweighted draws say nothing.
        is_rough: Whether its weights are bad.
        draws: Effective draws of reweighted ones.
        plan: The best split; None without one.
        sampling: Of what is sampled.
        is_preview: Marks a preview.
    """

    channels: tuple[PreviewedChannel, ...]
    method: str = ""
    k_hat: float | None = None
    highest_k: float | None = None
    is_rough: bool = False
    draws: float | None = None
    plan: PreviewedPlan | None = None
    sampling: Sampling | None = None
    is_preview: bool = False

    @property
    def split(self) -> tuple[PreviewedSpend, ...]:
        """Spend in the best split; none where there is none."""
        return () if self.plan is None else self.plan.channels


@contextlib.contextmanager
def write_preview(run: Path, content: dict[str, Any]) -> Iterator[Path]:
    """A folder to write more files of the preview into; it is `preview/` at the end.

    Args:
        run: The run's folder.
        content: What preview.json holds.

    Raises:
        WorkspaceError: The disk is full or read-only.
    """
    temporary, final = run / f"{_FOLDER}.tmp", run / _FOLDER
    shutil.rmtree(temporary, ignore_errors=True)
    try:
        temporary.mkdir()
        write_record(temporary / _FILE, content | {"is_preview": True})
        yield temporary
        shutil.rmtree(final, ignore_errors=True)
        os.rename(temporary, final)
    except OSError as error:
        raise explain(error, final) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def read_preview(run: Path) -> Preview | None:
    """What the run says before its result is there; None once it is.

    None, too, where there is no preview or it is damaged.
    """
    if has_result(run):
        return None
    try:
        preview = msgspec.convert(read_object(run / _FOLDER / _FILE), Preview)
    except msgspec.ValidationError:
        return None
    return preview if preview.is_preview else None


def clear_preview(run: Path) -> None:
    """Remove the preview, and what a killed worker wrote of one."""
    for name in (_FOLDER, f"{_FOLDER}.tmp"):
        shutil.rmtree(run / name, ignore_errors=True)
