"""Meanwhile: what a fit does beside its chains, on one thread.

The preview is worked out there, and then the functions that the results need are
compiled, or read from the disk, before there is a result: of a first fit that is half
of what follows its last draw.

Aside: the same for what results do not wait for, with an answer.
"""

import contextlib
import contextvars
import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import numpy as np
import xarray as xr

from core.analysis.ahead.forecast_view import forecast_view
from core.analysis.by_period import by_period
from core.analysis.draws import flat_draws
from core.analysis.incremental import outcome_at
from core.analysis.learning.cells import of_cells
from core.analysis.learning.no_effect import below_least, no_effect
from core.analysis.response.curves import shape_curves
from core.analysis.sensitivity.fading import cut_off
from core.data.ahead.horizon import plan_horizon
from core.dims import DRAW
from core.jobs.tasks.horizon_run import curves_of
from core.model.build import Model
from core.model.chunks import CHUNK
from core.model.compiled.executables import UnwantedError, getting_ready

_LOG = logging.getLogger(__name__)


class Meanwhile:
    """Work beside the chains, one piece after the other.

    Args:
        thread: Does it.
    """

    def __init__(self, thread: ThreadPoolExecutor):
        self._thread = thread
        self._preview: Future | None = None
        self._is_over = threading.Event()
        #: A thread begins without it.
        self._is_double = jax.config.jax_enable_x64

    def first(self, show: Callable[[], None]) -> None:
        """Show what is known before the modes are.

        Args:
            show: Works it out and writes it.
        """
        self._thread.submit(self._do, "There is no first answer", show)

    def preview(
        self, show: Callable[[], None], model: Model, draws: xr.Dataset
    ) -> None:
        """Show a preview, and get ready for the results.

        Args:
            show: Works the preview out and writes it.
            model: The model.
            draws: The preview's; dims chain, draw, ...
        """
        self._preview = self._thread.submit(self._do, "There is no preview", show)
        for name, work in _readied(model, draws.isel({DRAW: slice(CHUNK)})):
            words = f"Not ready for {name} before it is asked for"
            self._thread.submit(self._do, words, self._made_ready, work)

    def await_preview(self) -> None:
        """Return when there is a preview, or none will come."""
        if self._preview is not None:
            self._preview.result()

    def end(self) -> None:
        """Begin nothing more; what is being compiled is the last."""
        self._is_over.set()
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _made_ready(self, work: Callable[[], Any]) -> None:
        with (
            contextlib.suppress(UnwantedError),
            getting_ready(self._is_over.is_set),
            np.errstate(all="ignore"),
        ):
            work()

    def _do(self, failed: str, work: Callable[..., Any], *arguments: Any) -> None:
        """Do some work, which may fail: it is a courtesy."""
        try:
            with jax.enable_x64(self._is_double):
                work(*arguments)
        except Exception:
            _LOG.warning("%s; the fit goes on.", failed, exc_info=True)


@contextlib.contextmanager
def meanwhile() -> Iterator[Meanwhile]:
    """Has a thread; what it has not begun at the end is left out."""
    beside = Meanwhile(ThreadPoolExecutor(1, thread_name_prefix="meanwhile"))
    try:
        yield beside
    finally:
        beside.end()


@dataclass(frozen=True)
class Aside:
    """Work for another thread, done by the one that asks where that has not begun it.

    Attributes:
        task: As the other thread has it.
        work: The same, to be done here.
    """

    task: Future
    work: Callable[[], Any]

    def result(self) -> Any:
        """What the work returns; raises what it raises."""
        return self.work() if self.task.cancel() else self.task.result()


@contextlib.contextmanager
def aside() -> Iterator[Callable[..., Aside]]:
    """Gives what does work on a thread, as the thread that asks for it would.

    It keeps that thread's language and precision. At the end, work that waits is
    dropped, and work that runs is waited for.
    """
    is_double = jax.config.jax_enable_x64  # a thread begins without it
    thread = ThreadPoolExecutor(1, thread_name_prefix="aside")

    def done(work: Callable[..., Any], *arguments: Any) -> Any:
        with jax.enable_x64(is_double):
            return work(*arguments)

    def do(work: Callable[..., Any], *arguments: Any) -> Aside:
        task = thread.submit(contextvars.copy_context().run, done, work, *arguments)
        return Aside(task, partial(work, *arguments))

    try:
        yield do
    finally:
        thread.shutdown(cancel_futures=True)


def _readied(
    model: Model, posterior: xr.Dataset
) -> tuple[tuple[str, Callable[[], Any]], ...]:
    """What results ask for and take long to compile, the last first.

    Results begin with the first: where the chains are faster, the two meet halfway.
    """
    draws = flat_draws(posterior)
    middle = {name: values.mean(axis=0) for name, values in draws.items()}
    horizon = plan_horizon(model.data.times)
    return (
        ("carryover", lambda: cut_off(model, draws)),
        ("the middle", lambda: outcome_at(model, middle)),
        ("no effect", lambda: no_effect(model, draws)),
        ("below the least", lambda: below_least(model, draws)),
        ("forecast", lambda: forecast_view(model, posterior, 0)),
        ("shapes", lambda: shape_curves(model, draws)),
        ("periods", lambda: by_period(model, draws)),
        ("cells", lambda: of_cells(model, draws, "mean")),
        ("curves", lambda: curves_of(model, posterior, None)),
        ("curves ahead", lambda: curves_of(model, posterior, horizon)),
    )
