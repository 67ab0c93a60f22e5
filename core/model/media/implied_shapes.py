"""What priors alone say about carryover and saturation, without JAX.

For screens: carryover and saturation over values spread evenly over the priors. Hill is
written in NumPy here (tests compare it with core/model/media/saturation.py).
"""

from collections.abc import Mapping

import numpy as np
import xarray as xr

from core.dims import CHANNEL, INTERVAL
from core.model.decay import Decay, decay_weights
from core.model.priors.default_priors import Preset
from core.model.priors.distribution import quantile
from core.model.priors.prior import Prior
from core.model.spec import ADSTOCK_PARAMETERS, Adstock, ChannelSpec

#: Values drawn of each prior, and points of a saturation curve.
N_DRAWS, N_POINTS = 500, 101
#: Largest media shown, in typical exposures (with preset `meridian` in medians of
#: running periods), and largest frequency, with that preset.
LARGEST_MEDIA, LARGEST_FREQUENCY = 4.0, 10.0
#: Unit of media, as figures name it, where one is typical exposure (`media.typical`).
TYPICAL = "typical exposure = 1"

Values = Mapping[str, np.ndarray]


def implied_shapes(
    channel: ChannelSpec,
    priors: Mapping[str, Prior],
    max_lag: int,
    preset: Preset = "mixwright",
) -> xr.Dataset:
    """Carryover by lag and saturation by media that a channel's priors imply.

    Args:
        channel: The channel, one that carries over.
        priors: Priors by stem: those of its adstock, `ec` and `slope`.
        max_lag: Longest carryover in periods.
        preset: With `meridian` the axis of reach is frequency, in exposures.

    Returns:
        As `core.analysis.response.curves.shape_curves` for a channel, `media_now` one
        (NaN where the axis is frequency); and `half_life` (draw), periods until
        half of the effect has come; `now` (draw), saturation at `media_now`; `half_at`
        (draw), media at which the curve is one half.
    """
    draws = _spread(priors)
    weights = prior_weights(channel.adstock, draws, max_lag + 1)
    decay = weights / weights.max(axis=1, keepdims=True)
    by_frequency = "reach" in channel.kind and preset == "meridian"
    largest = LARGEST_FREQUENCY if by_frequency else LARGEST_MEDIA
    grid = np.linspace(0.0, largest, N_POINTS)
    curve = hill(grid[None, :], draws["ec"][:, None], draws["slope"][:, None])
    dims = (CHANNEL, "lag"), (CHANNEL, "point")
    return xr.Dataset(
        {
            "adstock": (dims[0], decay.mean(axis=0)[None]),
            "adstock_ci": ((*dims[0], "ci"), _interval(decay)[None]),
            "media_grid": (dims[1], grid[None]),
            "saturation": (dims[1], curve.mean(axis=0)[None]),
            "saturation_ci": ((*dims[1], "ci"), _interval(curve)[None]),
            "media_now": (CHANNEL, [np.nan if by_frequency else 1.0]),
            "half_life": ("draw", half_life(weights)),
            "now": ("draw", hill(np.ones(N_DRAWS), draws["ec"], draws["slope"])),
            "half_at": ("draw", draws["ec"]),
        },
        coords={
            CHANNEL: [channel.name],
            "lag": np.arange(max_lag + 1),
            "ci": ["lo", "hi"],
        },
    )


def prior_weights(kind: Adstock, parameters: Values, window: int) -> np.ndarray:
    """Share of an exposure's effect at each lag; see `core.model.decay`.

    Args:
        kind: Kind of carryover.
        parameters: Its parameters, draw.
        window: Number of periods that an exposure works.

    Returns:
        Sums to one over lag; draw lag.
    """
    own = {stem: parameters[stem] for stem in ADSTOCK_PARAMETERS[kind]}
    windows = np.full(len(next(iter(own.values()))), float(window))
    return decay_weights((kind,), Decay(**own), windows, window)


def hill(media: np.ndarray, ec: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Hill curve x^s / (x^s + ec^s); zero media gives zero."""
    with np.errstate(divide="ignore", over="ignore"):
        # Of logarithms: x^s overflows for a steep slope, exp only saturates, and zero
        # media gives zero.
        ratio = np.exp(slope * (np.log(ec) - np.log(media)))
    return 1 / (1 + ratio)


def half_life(weights: np.ndarray) -> np.ndarray:
    """Periods until half of the effect has come, each period's spread evenly over it.

    For geometric carryover without an end this is log(1/2) / log(alpha) at whole
    periods.

    Args:
        weights: Share of the effect at each lag; draw lag.
    """
    arrived = np.cumsum(weights, axis=1)
    at = (arrived < 0.5).sum(axis=1)
    draws = np.arange(len(weights))
    before = arrived[draws, at] - weights[draws, at]
    return at + (0.5 - before) / weights[draws, at]


def _spread(priors: Mapping[str, Prior]) -> dict[str, np.ndarray]:
    """Values of each prior at even quantiles, in an order of its own."""
    # Each parameter shuffled by itself, as independent priors are; even quantiles make
    # smooth pictures of few draws.
    rng = np.random.default_rng(1)
    even = (np.arange(N_DRAWS) + 0.5) / N_DRAWS
    return {
        stem: quantile(prior, rng.permutation(even)) for stem, prior in priors.items()
    }


def _interval(values: np.ndarray) -> np.ndarray:
    tail = (1 - INTERVAL) / 2
    return np.moveaxis(np.quantile(values, (tail, 1 - tail), axis=0), 0, -1)
