r"""Confounding: what a hidden cause as strong as one that is known would do to an ROI.

Cinelli and Hazlett (2020): for a column D of the media and a hidden cause Z,

$$|\mathrm{bias}| = \mathrm{se}\,\sqrt{\mathrm{df}}\,
\sqrt{\frac{R^2_{Y\sim Z|D,X}\,R^2_{D\sim Z|X}}{1 - R^2_{D\sim Z|X}}}$$

with both partial $R^2$ as large as those of a known cause: the season, a control, or a
treatment such as price. All by least squares (`least_squares`): a tight prior would
make an effect look robust that the data do not hold.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from core.analysis.sensitivity.least_squares import SEASON, Regression, regression
from core.data.mapping import PAID
from core.model.build import Model
from core.text.languages.language import say
from core.text.numbers import share as percent


class Shift(NamedTuple):
    """How far a hidden cause would move an ROI.

    Attributes:
        cause: The known cause that it is as strong as.
        share: Of the ROI, up or down.
    """

    cause: str
    share: float

    def as_dict(self) -> dict[str, Any]:
        """For summary.json, with the sentence that faces show."""
        cause = "season" if self.cause == SEASON else self.cause
        return {"cause": cause, "share": self.share, "text": self.text}

    @property
    def text(self) -> str:
        """The shift in a sentence."""
        cause = say("the season") if self.cause == SEASON else self.cause
        moved = say("more than 100\u00a0%") if self.share > 1 else percent(self.share)
        return say(
            "A hidden cause as strong as {cause} would move its ROI by {moved}.",
            cause=cause,
            moved=moved,
        )


def shifts(model: Model, draws: Mapping[str, np.ndarray]) -> dict[str, Shift]:
    """For each paid channel the known cause that would move its ROI most.

    Args:
        model: The model.
        draws: Posterior variables, draws first.

    Returns:
        Channels whose effect has a column of its own; none where nothing is known that
        a hidden cause could be compared with.
    """
    fitted = regression(model, draws)
    if fitted is None:
        return {}
    causes = [*model.data.control_names, *model.channels("non_media")]
    causes = [name for name in (SEASON, *causes) if name in fitted.groups]
    results = {}
    for kind in PAID:
        for name in model.channels(kind):
            each = [Shift(cause, _bias(fitted, name, cause)) for cause in causes]
            known = [shift for shift in each if np.isfinite(shift.share)]
            if known:
                results[name] = max(known, key=lambda shift: shift.share)
    return results


def _bias(fitted: Regression, name: str, cause: str) -> float:
    """Bias of a channel's coefficient, which is one as the posterior has it."""
    media = fitted.groups[name][:, 0]
    own = fitted.left(media, name)
    kpi = fitted.left(fitted.kpi)
    freedom = fitted.freedom()
    if freedom < 3 or own @ own < 1e-9 * (media @ media):
        return np.nan
    error = np.sqrt((kpi @ kpi) / freedom / (own @ own))
    of_media = _partial(own, fitted.left(media, name, cause))
    of_kpi = _partial(kpi, fitted.left(fitted.kpi, cause))
    of_media, of_kpi = min(of_media, 0.49), min(of_kpi, 0.99)
    with_media = of_media / (1 - of_media)
    # What a cause like this one shares with it, given the media.
    between = of_media**2 / ((1 - of_media) * (1 - of_media))
    with_kpi = (1 + np.sqrt(between)) ** 2 / (1 - between) * of_kpi / (1 - of_kpi)
    with_kpi = min(with_kpi, 1.0)
    return float(
        error * np.sqrt(freedom * with_kpi * with_media / max(1 - with_media, 1e-3))
    )


def _partial(after: np.ndarray, before: np.ndarray) -> float:
    """Share of what was left before that a cause explains."""
    return float(np.clip(1 - (after @ after) / max(before @ before, 1e-300), 0.0, 1.0))
