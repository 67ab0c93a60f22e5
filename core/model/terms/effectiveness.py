r"""Effectiveness over time: what a channel's media does may change over the years.

The effect of channel m is multiplied by $e^{f_m(t)}$, with f a random walk in
continuous time, on the waves of its Karhunen-Loeve expansion (those of most variance):

    f_m(t) = xi sum_k c_mk (phi_k(t) - mean phi_k),   c ~ N(0, 1)
    phi_k(t) = sqrt(2 L) sin((k - 1/2) pi t / L) / ((k - 1/2) pi)

with t in years since the data's first period and L at least a year more than the data
have: their whole years, rounded, and a year and a half. So some new weeks leave the
waves as they are.
So xi is the standard deviation of the change of log effectiveness over a year: at zero
nothing changes, and after the data the uncertainty grows as a walk's does. Of a channel
whose spend follows demand with probability p, by its prior, it is xi times the root of
1 - p: where spend follows, a growing demand would pass for a growing effect, so the
effect is believed to stay. A walk that is there or not has that prior variance. Whose
own options say that its effect changes has all of xi. The mean over the data's periods
is taken out, because the level of a channel's effect is what its treatment parameter is
about: a return stays the return over all periods of the data.

A multiplier is positive whatever c is. A linear one, 1 + sum_k c_mk phi_k(t), could
join the linear block, but its Gram matrices would have to be computed in every
gradient, and media could destroy sales in periods of which little is known. The waves
are few, so they are sampled.

References:
    Loeve (1978), Probability Theory II, on the expansion of the Wiener process; Ng et
    al. (2021), Bayesian Time Varying Coefficient Model with Applications to Marketing
    Mix Modeling.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

#: Waves per year of the expansion's domain: those faster than about a year would follow
#: what single campaigns did.
_WAVES_PER_YEAR = 1.5

#: Years after the data's, which are rounded, for which the walk holds: one at least.
_YEARS_AHEAD = 1.5

_DAYS_PER_YEAR = 365.25


def n_waves(times: np.ndarray) -> int:
    """Waves of the walk: about three for every two years of the domain.

    Args:
        times: KPI periods of the data, datetime64[D].
    """
    return int(np.ceil(_WAVES_PER_YEAR * _domain(times)))


def waves(at: np.ndarray, times: np.ndarray) -> np.ndarray:
    """The walk's waves at given dates, less their mean over the data.

    Args:
        at: Dates to evaluate at, datetime64[D]; after the end of the domain the walk
            stays where it is.
        times: KPI periods of the data, datetime64[D].

    Returns:
        at wave; square roots of years.
    """
    length = _domain(times)
    frequency = (np.arange(1, n_waves(times) + 1) - 0.5) * np.pi / length

    def walk(dates: np.ndarray) -> np.ndarray:
        # Past the domain sines would come back down, as if the change were undone.
        t = np.clip(_years(dates, times), 0.0, length)[:, None]
        return np.sqrt(2 / length) * np.sin(frequency * t) / frequency

    return walk(at) - walk(times).mean(axis=0)


def _years(at: np.ndarray, times: np.ndarray) -> np.ndarray:
    days = (at.astype("datetime64[D]") - times[0].astype("datetime64[D]")).astype(float)
    return days / _DAYS_PER_YEAR


def _domain(times: np.ndarray) -> float:
    return np.round(_years(times[-1:], times)[0]) + _YEARS_AHEAD


def effectiveness(
    change: Float[Array, " channel"],
    design: Float[Array, "time wave"],
    deviation: Float[Array, "channel wave"],
    scale: Float[Array, ""],
) -> Float[Array, "channel time"]:
    r"""What each channel's effect is multiplied by: $e^{f_m(t)}$.

    Args:
        change: How much each changes, as a multiple of xi; zero of one that does not.
        design: See `waves`.
        deviation: c, standard normal.
        scale: xi, standard deviation of the change over a year, of the logarithm.

    Returns:
        Dimensionless, its logarithm of mean zero over the data's periods.
    """
    return jnp.exp(change[:, None] * (scale * (deviation @ design.T)))
