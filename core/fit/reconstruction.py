"""Reconstruction: from the sampler's vectors to every posterior variable.

Its function is compiled on a thread of its own while the sampler's is compiled, and is
there when the first draws are.
"""

import zlib
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import jax
import numpy as np
import xarray as xr

from core.dims import GEO, TIME
from core.fit.posterior import to_dataset
from core.fit.settings import SamplerSettings
from core.model.build import Model
from core.model.chunks import chunk_of, in_chunks
from core.model.compiled.executables import PLAIN, persistent
from core.model.latents import n_dims
from core.model.reconstruct import latents_of, posterior_variables
from core.model.spec import CHANNEL_STEMS
from core.model.terms.demand import PRESENT
from core.model.terms.effectiveness import n_waves
from core.model.terms.linear_terms import TermDesign

#: Random numbers that are drawn ahead at most: 16 MB in single precision.
_MOST_AHEAD = 2**22

#: Name of the channel axis of each group, as in Meridian.
CHANNEL_DIMS = {
    "m": "media_channel",
    "rf": "rf_channel",
    "om": "organic_media_channel",
    "orf": "organic_rf_channel",
    "n": "non_media_channel",
}


class Reconstruction:
    """Posterior variables of a model from positions of its sampler.

    The draw of the linear block depends on seed, chain and number of the draw only, so
    that more draws leave those that are there as they are.

    Args:
        model: The model.
        settings: Of the run: seed, and how many draws there will be.
    """

    def __init__(self, model: Model, settings: SamplerSettings):
        self._model, self._filled = model, model.filled
        self._seed, self._shape = settings.seed, (settings.chains, settings.draws)
        #: The random numbers of the first draws, by a thread.
        self._ready: Future | None = None
        size = chunk_of(settings.chains * settings.draws)
        self._ahead = (size, _compiled_ahead(model, size))

    def __call__(self, position: np.ndarray) -> xr.Dataset:
        """Posterior variables of positions, chain draw dim."""
        n_chains, n_draws, dim = position.shape
        flat = position.reshape(-1, dim).astype(self._model.arrays.kpi.dtype)
        places = np.indices((n_chains, n_draws)).reshape(2, -1).T
        values = in_chunks(self._of_chunk, (flat, places))
        shaped = {
            name: value.reshape(n_chains, n_draws, *value.shape[1:])
            for name, value in values.items()
        }
        dims, coords = _labels(self._model, shaped)
        for name, axes in dims.items():
            if axes[-1:] == (TIME,):
                shaped[name] = self._filled.cut(shaped[name])
        return to_dataset(shaped, dims, coords, {})

    def draw_ahead(self) -> None:
        """Draw random numbers on a thread, while the chains are at work."""
        of_v, of_u = _noise_shapes(self._model)
        n = _MOST_AHEAD // (int(np.prod(of_v)) + int(np.prod(of_u)) + 1)
        places = np.indices(self._shape).reshape(2, -1).T[:n]
        thread = ThreadPoolExecutor(1, thread_name_prefix="noise")
        self._ready = thread.submit(_noise, self._model, self._seed, places)
        thread.shutdown(wait=False)

    def _numbers(self, places: np.ndarray) -> tuple[Any, Any, Any]:
        """Random numbers of draws, by chain and number: those made ahead, or new."""
        if self._ready is not None and (places < self._shape).all():
            ready, rows = self._ready.result(), places @ (self._shape[1], 1)
            if rows.max() < len(ready[0]):
                return tuple(numbers[rows] for numbers in ready)
        return _noise(self._model, self._seed, places)

    def _of_chunk(self, chunk):
        position, places = chunk
        structure, arrays, _ = self._filled
        noise = self._numbers(places)
        size, ahead = self._ahead
        if len(position) == size:
            return ahead.result()(arrays, position, noise)
        return _reconstruct(structure, arrays, position, noise)


@persistent(options=PLAIN)
def _reconstruct(structure, arrays, positions, noise):
    def of_draw(draw):
        latents = latents_of(structure, arrays, *draw)
        values = posterior_variables(structure, arrays, latents)
        return {
            name: value
            for name, value in values.items()
            if value.size
            and not name.endswith("_dev")
            and name != "tau_g_excl_baseline"
        }

    return jax.lax.map(of_draw, (positions, noise))


def _compiled_ahead(model: Model, size: int):
    """The function for so many draws, compiled on a thread; a future of it."""
    structure, arrays, _ = model.filled
    dtype = arrays.kpi.dtype
    shapes = ((n_dims(structure.latents),), *_noise_shapes(model), ())
    positions, *noise = (
        jax.ShapeDtypeStruct((size, *shape), dtype) for shape in shapes
    )
    is_double = jax.config.jax_enable_x64  # a thread begins without it

    def compiled():
        with jax.enable_x64(is_double):
            return _reconstruct.ahead(structure, arrays, positions, tuple(noise))

    thread = ThreadPoolExecutor(1, thread_name_prefix="reconstruction")
    future = thread.submit(compiled)
    thread.shutdown(wait=False)
    return future


def _noise_shapes(model: Model) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Shapes of the block's vectors v and u."""
    block = model.arrays.block
    return block.precision.shape, block.local_scale.shape


def _noise(model: Model, seed: int, places: np.ndarray) -> tuple[Any, Any, Any]:
    """Random numbers for the block of each draw, from its place alone."""
    of_v, of_u = _noise_shapes(model)
    n_v = int(np.prod(of_v))
    purpose = zlib.crc32(b"linear block")
    numbers = np.stack(
        [
            np.random.default_rng([seed, purpose, *place]).standard_normal(
                n_v + int(np.prod(of_u))
            )
            for place in places.tolist()
        ]
    ).astype(model.arrays.kpi.dtype)
    n = len(places)
    purpose = zlib.crc32(b"patterns")
    share = np.array(
        [np.random.default_rng([seed, purpose, *p]).random() for p in places.tolist()]
    ).astype(numbers.dtype)
    of_v, of_u = (n, *of_v), (n, *of_u)
    return numbers[:, :n_v].reshape(of_v), numbers[:, n_v:].reshape(of_u), share


def _labels_of(term: TermDesign) -> tuple[dict[str, tuple], dict[str, list[str]]]:
    """Dims and coordinates of a linear term."""
    name = term.structure.name
    by_geo = (GEO,) * term.structure.by_geo
    dims: dict[str, tuple] = {f"xi_{name}": (), f"gamma_{name}": (*by_geo, name)}
    coords = {name: list(term.columns)}
    if term.structure.is_smooth:
        dims[f"length_{name}"] = ()
    if n_open := len(term.term.log_odds):
        dims[PRESENT] = (f"{name}_open",)
        n_columns = term.term.log_odds.shape[1]
        coords[f"{name}_open"] = list(term.columns[-n_open * n_columns :: n_columns])
    return dims, coords


def _labels(model: Model, values: dict[str, np.ndarray]):
    """Dims of each variable after chain and draw, and their coordinates."""
    data = model.data
    coords: dict[str, Any] = {
        GEO: list(data.geos),
        TIME: data.times.astype("datetime64[ns]"),
        "knot": model.knots,
        "control": list(data.control_names),
        "wave": np.arange(1, n_waves(data.times) + 1),
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
        **dict.fromkeys(("rho", "xi_drift"), ()),
    }
    for term in model.terms:
        of_term = _labels_of(term)
        dims, coords = dims | of_term[0], coords | of_term[1]
    groups = [
        (group.suffix, group.kind, group.treatment) for group in model.structure.groups
    ]
    if model.structure.non_media is not None:
        groups.append(("n", "non_media", model.structure.non_media.treatment))
    for suffix, kind, treatment in groups:
        axis, names = CHANNEL_DIMS[suffix], model.channels(kind)
        coords[axis] = list(names)
        for stem in (*CHANNEL_STEMS, "beta"):
            dims[f"{stem}_{suffix}"] = (axis,)
        dims |= {f"beta_g{suffix}": (GEO, axis), f"drift_{suffix}": (axis, "wave")}
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
