"""Fit: a model's posterior, from its collapsed density to Meridian's variables."""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
import xarray as xr

from core import text as fmt
from core.fit.convergence import Labels, diagnostics_table
from core.fit.diagnostics import Verdict, verdict
from core.fit.draws import Draws, added
from core.fit.reconstruction import Reconstruction
from core.fit.sampling.sampler import sample
from core.fit.sampling.warm_start import WarmStart
from core.fit.settings import SamplerSettings
from core.fit.start.preview import Preview, previewer
from core.model.build import Model
from core.model.compiled.mappings import make_room
from core.model.density import collapsed_log_density
from core.model.latents import n_dims, of_geos
from core.model.terms.demand import PRESENT


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
        warm=warm,
    )
    began = time.monotonic()
    posterior = reconstruction(draws.position)
    # The coefficients tell which columns are there, and tell it better.
    by_name = {
        str(name): variable.to_numpy()
        for name, variable in posterior.items()
        if name != PRESENT
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
