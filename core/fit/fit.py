"""Fit: a model's posterior, from its collapsed density to Meridian's variables.

Sampler: draws of any log density by NUTS, in blocks that can be stopped and resumed.

It knows nothing of marketing. Iteration i of chain c uses random numbers that depend
on seed, c and i only, so the draws are the same however the run is cut into blocks.
"""

import functools
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
import xarray as xr

from core import text as fmt
from core.fit.chains.chains import Chains
from core.fit.chains.coordinates import of_positions, to_position, widths
from core.fit.chains.kernel import BLOCK
from core.fit.convergence import Labels, diagnostics_table
from core.fit.diagnostics import Verdict, verdict
from core.fit.draws import Draws, SamplingStopped, added
from core.fit.reconstruction import Reconstruction
from core.fit.sampling.checkpoint import Checkpoint, fingerprint
from core.fit.sampling.compilations import Count, counted
from core.fit.sampling.run import Reporter, Run, agreement, recent
from core.fit.sampling.warm_start import WarmStart
from core.fit.sampling.warmup import begin
from core.fit.settings import SamplerSettings
from core.fit.start.approximation import Preview, previewer
from core.model.build import Model
from core.model.compiled.mappings import make_room
from core.model.density import collapsed_log_density
from core.model.latents import n_dims, of_geos, spread_by
from core.model.terms.demand import PRESENT

#: Seconds that a block aims at, between two looks at progress and at `should_stop`.
_BLOCK_SECONDS = 1.0


def sample(  # noqa: PLR0913  the public door
    log_density: Callable,
    args: Any,
    dim: int,
    settings: SamplerSettings,
    *,
    on_progress: Callable[[dict[str, Any]], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    on_modes: Callable[..., None] | None = None,
    groups: np.ndarray | None = None,
    spread: tuple[np.ndarray, np.ndarray] | None = None,
    warm: WarmStart | None = None,
) -> Draws:
    """Draws of the distribution with the given log density.

    Args:
        log_density: Of a position (dim) and `args`. A function, or a
            `functools.partial` of one with hashable arguments; equal ones share one
            compilation.
        args: Arrays it is given, in the settings' precision. Other numbers of the same
            shapes compile nothing.
        dim: Length of a position.
        settings: Chains, warm-up, draws, seed.
        on_progress: Called after every block with the contents of progress.json.
        should_stop: Asked after every block.
        checkpoint: Folder for the state of an unfinished run.
        resume: Go on from the checkpoint, if there is a usable one.
        on_modes: Called before the first iteration, where curvature at the modes is
            known, with the Laplace approximations and the log density of positions.
        groups: Places of coordinates that hardly depend on those of other groups once
            the coordinates in no group are known, group k: what a density of thousands
            of coordinates needs for a metric.
        spread: Place of the coordinate that the width of each may depend on, its own
            where there is none, and how far positions allow for it; see `Metric`.
        warm: What an earlier fit of nearly the same density knows: the warm-up is
            shorter.

    Raises:
        SamplingError: No finite start was found, or every trajectory diverged.
        SamplingStopped: `should_stop` said so; the checkpoint holds the run so far.
    """
    started = time.monotonic()
    reporter = Reporter(on_progress)
    reporter.tell("compiling")
    must_stop = should_stop or (lambda: False)
    with counted() as count:
        chains = Chains(log_density, args, dim, settings, groups, spread)
        saved = None
        if checkpoint is not None:
            saved = Checkpoint(checkpoint, _mark(chains, log_density, args))
        run, complaint = _found(saved, chains) if saved and resume else (None, "")
        setup = time.monotonic() - started - count.seconds
        if run is None:
            if saved:
                saved.clear()
            run = _begun(chains, warm, must_stop, on_modes, count)
            run.notes = (complaint,) * bool(complaint) + run.notes
        run.seconds = added(run.seconds, setup=setup)
        try:
            _iterate(run, reporter, saved, must_stop, count)
        finally:
            elapsed = time.monotonic() - started
            run.seconds = added(run.seconds, compile=count.seconds, total=elapsed)
            if saved:
                saved.save(run.about(), run.arrays(), run.rows())
    return _draws(run, count)


def _mark(chains: Chains, log_density: Callable, args: Any) -> str:
    """What tells this run's checkpoint from another's; more draws may be asked for."""
    options = asdict(chains.settings) | {"dim": chains.dim}
    del options["draws"], options["device"]
    if isinstance(log_density, functools.partial):
        options["of"] = repr((log_density.args, log_density.keywords))
    return fingerprint(options, jax.tree.leaves(args))


def _found(saved: Checkpoint, chains: Chains) -> tuple[Run | None, str]:
    """The run in the checkpoint, or None and why there is none."""
    stored, complaint = saved.load()
    if stored is None:
        return None, complaint
    return Run.restored(chains, stored.about, stored.arrays, stored.rows), complaint


def _begun(
    chains: Chains,
    warm: WarmStart | None,
    must_stop: Callable[[], bool],
    on_modes: Callable[..., None] | None,
    count: Count,
) -> Run:
    """The run at its first iteration."""
    began, compiling = time.monotonic(), count.seconds
    beginning = begin(chains, must_stop, warm)
    run = Run.begin(chains, beginning)
    spent = time.monotonic() - began - (count.seconds - compiling)
    run.seconds = {"mode": spent, "warmup": 0.0, "draws": 0.0}
    if on_modes is not None and beginning.fits:
        began, compiling = time.monotonic(), count.seconds
        on_modes(beginning.fits, lambda at: chains.gradients(at, chains.plain)[0])
        spent = time.monotonic() - began - (count.seconds - compiling)
        run.seconds["preview"] = spent
    return run


def _iterate(
    run: Run,
    reporter: Reporter,
    saved: Checkpoint | None,
    should_stop: Callable[[], bool],
    count: Count,
) -> None:
    """Block after block until the last draw; a phase has what is done between them."""
    n_next = 2
    while not run.is_done:
        began, compiling, phase = time.monotonic(), count.seconds, run.phase
        n_done, elapsed = 0, 0.0
        while n_done == 0 or elapsed < _BLOCK_SECONDS / 2:
            n_done += run.advance(n_next)
            elapsed = time.monotonic() - began
            if run.phase != phase or run.is_done:
                break
        n_next = int(np.clip(n_done / max(elapsed, 1e-6) * _BLOCK_SECONDS, 1, BLOCK))
        _report(run, reporter)
        must_stop = not run.is_done and should_stop()
        if not (run.is_done or must_stop) and saved is not None and saved.is_due():
            saved.save(run.about(), run.arrays(), run.rows())
        spent = time.monotonic() - began - (count.seconds - compiling)
        run.seconds[phase] += spent
        if must_stop:
            raise SamplingStopped


def _report(run: Run, reporter: Reporter) -> None:
    """What progress.json shows."""
    if run.traces:
        divergences = sum(trace.diverging.sum(axis=1) for trace in run.traces)
    else:
        divergences = np.zeros(run.chains.settings.chains, int)
    first = 0
    if run.phase == "warmup":
        first, last = run.n_done, run.n_total - run.plan[-1].length
    else:
        first, last = run.done, run.stage.length
    chains = [
        {
            "iteration": first,
            "total": last,
            "step_size": float(step_size),
            "divergences": int(n),
            "phase": run.phase,
        }
        for step_size, n in zip(np.exp(run.state.step.log), divergences, strict=True)
    ]
    rhat, ess = None, None
    if run.phase == "draws" and run.traces:
        rhat, ess = agreement(run.trace.z)
    more = {"rhat_max": rhat, "ess_min": ess, "message": " ".join(run.notes)}
    if run.traces:
        more["trace"] = recent(run.trace.log_density)
    more["pace"] = "" if run.stage.arrives else run.stage.name
    reporter.tell_iterations(run.phase, run.n_done, run.n_total, chains, **more)


def _draws(run: Run, count: Count) -> Draws:
    """What the run made, in the coordinates of the log density."""
    trace, settings = run.trace, run.chains.settings
    leaves = [leaf[:, : settings.draws] for leaf in trace]
    z, log_density, energy, acceptance_rate, n_steps, diverging = leaves
    return Draws(
        position=to_position(z.astype(float), run.metric).astype(run.chains.dtype),
        log_density=of_positions(log_density, z, run.metric),
        energy=energy,
        acceptance_rate=acceptance_rate,
        n_steps=n_steps,
        diverging=diverging,
        step_size=np.exp(run.state.step.log),
        metric_sd=widths(run.metric),
        seconds=run.seconds,
        compilations=count.number,
        n_warmup=run.n_total - run.plan[-1].length,
        n_modes=run.n_modes,
        restarts=run.restarts,
        notes=run.notes,
    )


class Fitted(NamedTuple):
    """A posterior and how it came about.

    Attributes:
        posterior: Dims chain, draw, ...; Meridian's variable names.
        draws: What the sampler returned, statistics and times included.
        table: Convergence of every scalar parameter.
        verdict: Whether to trust it, with reasons.
    """

    posterior: xr.Dataset
    draws: Draws
    table: Any
    verdict: Verdict


def fit(  # noqa: PLR0913  the public door
    model: Model,
    settings: SamplerSettings,
    *,
    on_progress: Callable[[dict[str, Any]], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    on_preview: Callable[[Preview], None] | None = None,
    warm: WarmStart | None = None,
) -> Fitted:
    """Sample a model's posterior.

    Args:
        model: The model, built in the precision of the settings.
        settings: Chains, draws, seed.
        on_progress: Called after every block.
        should_stop: Asked after every block.
        checkpoint: Folder for the state of an unfinished run.
        resume: Go on from the checkpoint.
        on_preview: Called before the first iteration of a new run with what the
            Laplace approximation says; never where the fit starts warm.
        warm: What an earlier fit of nearly the same model knows.

    Raises:
        SamplingError: No draws could be made, or the run was stopped.
    """
    started = time.monotonic()
    make_room()  # the one place that every fit of a long session comes through
    reconstruction = Reconstruction(model, settings)
    preview = on_preview and previewer(settings, reconstruction, on_preview)

    def at_modes(*at_top) -> None:
        if preview:
            preview(*at_top)
        reconstruction.draw_ahead()

    if warm is not None:
        reconstruction.draw_ahead()
    setup = time.monotonic() - started
    draws = sample(
        partial(collapsed_log_density, model.filled.structure),
        model.filled.arrays,
        n_dims(model.structure.latents),
        settings,
        on_progress=on_progress,
        should_stop=should_stop,
        checkpoint=checkpoint,
        resume=resume,
        on_modes=at_modes,
        groups=of_geos(model.structure.latents),
        spread=spread_by(model.structure.latents, model.arrays),
        warm=warm,
    )
    began = time.monotonic()
    posterior = reconstruction(draws.position)
    # The coefficients tell which columns are there, and tell it better.
    by_name = {
        str(name): variable.to_numpy()
        for name, variable in posterior.drop_vars(PRESENT, errors="ignore").items()
    }
    table = diagnostics_table(by_name, _labels(posterior))
    took = {"setup": setup, "parameters": time.monotonic() - began}
    is_coarse = settings.precision == "float32" and jax.default_backend() != "cpu"
    timed = replace(draws, seconds=added(draws.seconds, **took))
    return Fitted(posterior, timed, table, verdict(table, draws, is_coarse=is_coarse))


def _labels(posterior: xr.Dataset) -> Labels:
    """Axes of each parameter beyond chain and draw, with the labels on them."""
    return {
        str(name): tuple(
            (str(axis), tuple(_label(value) for value in posterior[axis].values))
            for axis in variable.dims[2:]
        )
        for name, variable in posterior.items()
    }


def _label(value: Any) -> str:
    return fmt.date(str(value)) if isinstance(value, np.datetime64) else str(value)
