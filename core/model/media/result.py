r"""The result of a lift test and its error, symmetric or not.

With skewness zero the error is Normal. With skewness $t$ the true lift is
$\hat I + s \cosh^{-1}\varepsilon\,\{\sinh(\operatorname{asinh} z + \varepsilon) -
\sinh\varepsilon\}$ for a standard Normal $z$ and $\tanh\varepsilon = t$ (the
sinh-arcsinh family of Jones and Pewsey): its median is the result, its tails are Normal
with standard errors $s (1 + t)$ above and $s (1 - t)$ below, and any two ends of an
interval with the median fix $s$ and $t$. It has no wall, unlike a shifted lognormal, so
gradients exist everywhere.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from core.dims import INTERVAL
from core.estimate import Estimate

#: Mean of sqrt(1 + z^2) for a standard Normal z.
_MEAN_ROOT = 1.3545344


class Result(NamedTuple):
    """What a test measured.

    Attributes:
        outcome: Incremental outcome, the median of what it may be.
        error: Its standard error; half of the 90 % interval over 1.645.
        skewness: How much further it may lie above than below; -1 to 1.
    """

    outcome: Any
    error: Any
    skewness: Any = 0.0

    def deviation(self, modelled, xp=np):
        """Result less the model's, in standard errors of the side that it lies on."""
        return -self._normal(modelled, xp)[0]

    def log_density(self, modelled, xp=np):
        """Log density of the result around the model's; per outcome unit."""
        z, slope = self._normal(modelled, xp)
        return -0.5 * z**2 + xp.log(slope) - 0.5 * np.log(2 * np.pi)

    def _normal(self, modelled, xp):
        """The model's lift as a standard Normal number, and the change per unit."""
        cosh = 1.0 / xp.sqrt(1.0 - self.skewness**2)
        sinh = self.skewness * cosh
        x = (modelled - self.outcome) * cosh / self.error + sinh
        root = xp.sqrt(1.0 + x**2)
        z = x * cosh - root * sinh
        return z, (cosh - sinh * x / root) * cosh / self.error

    def error_towards(self, value: float) -> float:
        """Standard error on the side on which a value lies."""
        return self.error * (1.0 + np.sign(value - self.outcome) * self.skewness)

    def estimate(self) -> Estimate:
        """Mean, median, standard deviation and 90 % interval."""
        reach = float(ndtri((1 + INTERVAL) / 2))
        t, scale = float(self.skewness), float(self.error)
        lean = t * (np.hypot(1.0, reach) - 1.0)
        median = float(self.outcome)
        return Estimate(
            mean=float(median + scale * t * (_MEAN_ROOT - 1.0)),
            median=median,
            sd=scale * float(np.sqrt(1.0 + t**2 * (2.0 - _MEAN_ROOT**2))),
            lo=float(median + scale * (lean - reach)),
            hi=float(median + scale * (lean + reach)),
        )
