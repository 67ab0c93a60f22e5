"""Fit: a model's posterior, from its collapsed density to Meridian's variables."""

import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
import xarray as xr

from core.dims import GEO, TIME
from core.fit.diagnostics import Verdict, diagnostics_table, verdict
from core.fit.posterior import to_dataset
from core.fit.preview import Preview, previewer
from core.fit.sampler import Draws, sample
from core.fit.settings import SamplerSettings
from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.density import collapsed_log_density
from core.model.latents import n_dims
from core.model.linear_terms import linear_terms
from core.model.reconstruct import latents_of, posterior_variables

#: Name of the channel axis of each group, as in Meridian.
CHANNEL_DIMS = {
    "m": "media_channel",
    "rf": "rf_channel",
    "om": "organic_media_channel",
    "orf": "organic_rf_channel",
    "n": "non_media_channel",
}


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


def fit(
    model: Model,
    settings: SamplerSettings,
    *,
    on_progress: Callable[[dict[str, Any]], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    on_preview: Callable[[Preview], None] | None = None,
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
            Laplace approximation says.

    Raises:
        SamplingError: No draws could be made, or the run was stopped.
    """
    draws = sample(
        partial(collapsed_log_density, model.structure),
        model.arrays,
        n_dims(model.structure.latents),
        settings,
        on_progress=on_progress,
        should_stop=should_stop,
        checkpoint=checkpoint,
        resume=resume,
        on_modes=on_preview
        and previewer(
            settings,
            lambda position: posterior_of(model, position, settings.seed),
            on_preview,
        ),
    )
    posterior = posterior_of(model, draws.position, settings.seed)
    by_name = {str(name): variable.to_numpy() for name, variable in posterior.items()}
    table = diagnostics_table(by_name)
    return Fitted(posterior, draws, table, verdict(table, draws))


@partial(jax.jit, static_argnums=0)
def _reconstruct(structure, arrays, key, positions, places):
    def of_draw(given):
        position, place = given
        own = jax.random.fold_in(jax.random.fold_in(key, place[0]), place[1])
        latents = latents_of(structure, arrays, position, own)
        values = posterior_variables(structure, arrays, latents)
        return {
            name: value
            for name, value in values.items()
            if value.size
            and not name.endswith("_dev")
            and name != "tau_g_excl_baseline"
        }

    return jax.lax.map(of_draw, (positions, places), batch_size=16)


def posterior_of(model: Model, position: np.ndarray, seed: int) -> xr.Dataset:
    """Posterior variables of the sampler's vectors.

    The draw of the linear block depends on seed, chain and number of the draw only, so
    that more draws leave those that are there as they are.

    Args:
        model: The model.
        position: chain draw dim.
        seed: Of the run; the linear block's draws have a key of their own.
    """
    n_chains, n_draws, dim = position.shape
    key = jax.random.fold_in(jax.random.key(seed), zlib.crc32(b"linear block"))
    flat = position.reshape(-1, dim).astype(model.arrays.kpi.dtype)
    places = np.indices((n_chains, n_draws), np.int32).reshape(2, -1).T
    values = in_chunks(
        lambda some: _reconstruct(model.structure, model.arrays, key, *some),
        (flat, places),
    )
    shaped = {
        name: value.reshape(n_chains, n_draws, *value.shape[1:])
        for name, value in values.items()
    }
    dims, coords = _labels(model, shaped)
    return to_dataset(shaped, dims, coords, {})


def _labels(model: Model, values: dict[str, np.ndarray]):
    """Dims of each variable after chain and draw, and their coordinates."""
    data = model.data
    coords: dict[str, Any] = {
        GEO: list(data.geos),
        TIME: data.times.astype("datetime64[ns]"),
        "knot": model.knots,
        "control": list(data.control_names),
    }
    dims = {
        "knot_values": ("knot",),
        "mu_t": (TIME,),
        "tau_g": (GEO,),
        "gamma_c": ("control",),
        "xi_c": ("control",),
        "gamma_gc": (GEO, "control"),
        "sigma": (GEO,) if model.structure.unique_sigma else (),
        "gamma_gn": (GEO, CHANNEL_DIMS["n"]),
        "xi_n": (CHANNEL_DIMS["n"],),
    }
    for one in linear_terms(model.spec, data.times, n_geos=data.n_geos):
        name = one.structure.name
        by_geo = (GEO,) * one.structure.by_geo
        dims |= {f"xi_{name}": (), f"gamma_{name}": (*by_geo, name)}
        dims |= {f"length_{name}": ()} if one.structure.is_smooth else {}
        coords[name] = list(one.columns)
    groups = [
        (group.suffix, group.kind, group.treatment) for group in model.structure.groups
    ]
    if model.structure.non_media is not None:
        groups.append(("n", "non_media", model.structure.non_media.treatment))
    for suffix, kind, treatment in groups:
        axis, names = CHANNEL_DIMS[suffix], model.channels(kind)
        coords[axis] = list(names)
        for stem in ("alpha", "theta", "lam", "k", "ec", "slope", "eta", "beta"):
            dims[f"{stem}_{suffix}"] = (axis,)
        dims[f"beta_g{suffix}"] = (GEO, axis)
        for parameter, places in treatment:
            if len(places) == len(names):
                dims[parameter] = (axis,)
            else:  # several kinds of prior in one group
                own = f"{parameter}_channel"
                dims[parameter] = (own,)
                coords[own] = [names[place] for place in places]
    used = {axis for name in values for axis in dims[name]}
    return (
        {name: dims[name] for name in values},
        {axis: value for axis, value in coords.items() if axis in used},
    )
