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
    value = response.transpose("paid", "multiplier", "time", "draw").to_numpy()
    n_channels, n_times = spend.shape
    outcome = np.empty((value.shape[-1], n_channels, n_times))
    is_beyond = np.zeros(n_channels, bool)
    last = grid[-1] * (1 + 1e-9)
    for channel in range(n_channels):
        now, before = (
            np.convolve(row, decay[channel])[:n_times]
            for row in (spend[channel], usual[channel])
        )
        most = int(before.argmax())
        curves = Monotone(grid, value[channel].astype(float))
        if before[most] <= 0:
            outcome[:, channel] = curves(np.ones(1))[0].T
            continue
        is_own = now <= last * before
        is_own[most] = True
        own = np.divide(now, before, out=np.ones(n_times), where=before > 0)
        brings = curves.along_each(np.where(is_own, own, 0.0))
        at = np.where(is_own, own, now / before[most])
        if not is_own.all():
            full = Monotone(grid, curves.value[:, most])
            brings[~is_own] += full.along(at[~is_own]) - full(np.zeros(1))
        outcome[:, channel] = brings.T
        is_beyond[channel] = (at > last).any()
    return outcome, is_beyond
