r"""What a channel brings in each period at the spend of each period.

A forecast stores what a channel brings in period t at multiples of all its media from a
year earlier. Media carries over with weights $w_l$, so another timing is worth, in
period t, the multiple

    m_t = sum_l w_l a_{t-l} / sum_l w_l x_{t-l}

of the spend a that there was to that of a year earlier, x, both since the data end;
what carries over from the data stays as it is. A period in which hardly anything ran a
year earlier takes the curve of the one in which most did.
"""

import numpy as np
import xarray as xr
from jaxtyping import Bool, Float

from core.analysis.ahead.monotone import Monotone


def brought(
    response: xr.DataArray,
    spend: Float[np.ndarray, "channel time"],
    usual: Float[np.ndarray, "channel time"],
    decay: Float[np.ndarray, "channel lag"],
) -> tuple[Float[np.ndarray, "draw channel time"], Bool[np.ndarray, " channel"]]:
    """Outcome of each channel and period, and whether it is beyond what is stored.

    Beyond the largest multiple a curve goes on along its tangent. A channel without
    spend a year earlier brings what is stored at multiple one.

    Args:
        response: Dims draw, paid, multiplier, time.
        spend: What was spent in each period.
        usual: The same a year earlier.
        decay: What carries over after each number of periods, of any scale.
    """
    grid = response["multiplier"].to_numpy().astype(float)
    value = response.transpose("paid", "time", "multiplier", "draw").to_numpy()
    n_channels, n_times = spend.shape
    outcome = np.empty((value.shape[-1], n_channels, n_times))
    is_beyond = np.zeros(n_channels, bool)
    for channel in range(n_channels):
        now, before = (
            np.convolve(row, decay[channel])[:n_times]
            for row in (spend[channel], usual[channel])
        )
        most = int(before.argmax())
        for t in range(n_times):
            curve = Monotone(grid, value[channel, t].astype(float))
            if before[most] <= 0:
                outcome[:, channel, t] = curve(np.ones(1))[0]
            elif now[t] <= grid[-1] * (1 + 1e-9) * before[t] or t == most:
                at = now[t] / before[t] if before[t] > 0 else 1.0
                outcome[:, channel, t] = _at(curve, at)
                is_beyond[channel] |= at > grid[-1] * (1 + 1e-9)
            else:
                full = Monotone(grid, value[channel, most].astype(float))
                at = now[t] / before[most]
                rise = _at(full, at) - full(np.zeros(1))[0]
                outcome[:, channel, t] = curve(np.zeros(1))[0] + rise
                is_beyond[channel] |= at > grid[-1] * (1 + 1e-9)
    return outcome, is_beyond


def _at(curve: Monotone, at: float) -> Float[np.ndarray, " draw"]:
    """A curve at a multiple: beyond its grid along its tangent."""
    return curve.along(np.array([at]))[0]
