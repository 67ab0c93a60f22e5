"""Response curves with known shapes, stored as a worker stores them."""

import numpy as np
import xarray as xr

GRID = np.linspace(0.0, 3.0, 61)


def curves_dataset(
    beta: np.ndarray,
    ec: np.ndarray,
    slope: np.ndarray,
    spend: np.ndarray,
    *,
    names: tuple[str, ...] | None = None,
    seen: np.ndarray | None = None,
) -> xr.Dataset:
    """Hill curves: outcome = beta * m^slope / (m^slope + ec^slope), m = multiplier.

    Args:
        beta: Outcome at full saturation, draw channel.
        ec: Multiplier of half saturation, draw channel.
        slope: Hill slope, draw channel.
        spend: Historical spend, channel.
        names: Channels.
        seen: Largest multiplier seen, channel.
    """
    beta, ec, slope = (np.atleast_2d(a)[:, :, None] for a in (beta, ec, slope))
    n_draws, n_channels = beta.shape[:2]
    with np.errstate(divide="ignore", invalid="ignore"):
        power = (GRID / ec) ** slope
        value = beta * power / (1 + power)
        rise = beta * slope / ec * (GRID / ec) ** (slope - 1) / (1 + power) ** 2
    names = names or tuple(f"Channel{i}" for i in range(n_channels))
    axes = ("draw", "channel", "spend_multiplier")
    return xr.Dataset(
        {
            "incremental_outcome": (axes, value),
            "slope": (axes, rise),
            "spend": ("channel", np.asarray(spend, dtype=float)),
            "max_multiplier_seen": (
                "channel",
                np.full(n_channels, 2.0) if seen is None else seen,
            ),
        },
        coords={
            "draw": np.arange(n_draws),
            "channel": list(names),
            "spend_multiplier": GRID,
        },
    )


def random_dataset(
    seed: int, *, n_channels: int, n_draws: int = 40, s_shaped: bool = False
) -> xr.Dataset:
    """A market of several channels, uncertain about each."""
    rng = np.random.default_rng(seed)
    size = (n_draws, n_channels)
    spend = rng.uniform(1e4, 1e6, n_channels)
    roi = rng.uniform(0.5, 4.0, n_channels) * np.exp(0.3 * rng.standard_normal(size))
    ec = rng.uniform(0.3, 2.0, n_channels) * np.exp(0.2 * rng.standard_normal(size))
    slope = np.ones(size)
    if s_shaped:
        slope = rng.uniform(1.0, 5.0, n_channels) + rng.uniform(0, 0.5, size)
    beta = roi * spend * (1 + ec**slope)
    return curves_dataset(beta, ec, slope, spend)
