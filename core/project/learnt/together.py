"""Together: several fits as one, each by weights of its own draws."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.estimate import OptionalEstimate, estimate
from core.estimate import weighted as weighted_estimate
from core.fit.importance import importance_weights
from core.model.priors.default_priors import default_prior
from core.model.priors.pooling.joint import log_weights
from core.model.priors.pooling.learnt import Learnt
from core.project.fits.runs import Run
from core.project.learnt.of_fit import OfFit
from core.store.results import open_dataset

#: How a fit is put together with others.
Way = Literal["reweighted", "refit", "alone"]
#: Pareto's k above which weights of draws mean nothing (Vehtari et al. 2024).
HIGHEST_K = 0.7


@dataclass(frozen=True)
class Weighted:
    """A fit's ROI as one of several.

    Attributes:
        k: Pareto's k of the weights; zero where no other fit says anything.
        alone: ROI of each channel by the fit alone, an estimate.
        together: The same with the others.
    """

    k: float
    alone: Mapping[str, OptionalEstimate]
    together: Mapping[str, OptionalEstimate]

    @property
    def is_reliable(self) -> bool:
        """Whether the weights carry."""
        return self.k <= HIGHEST_K


@dataclass(frozen=True)
class Joint:
    """A project's fit among several.

    Attributes:
        project: Its folder.
        way: `reweighted` by its draws, `refit` with the priors that others suggest, or
            `alone` where the others say nothing to it.
        k: Pareto's k of the weights.
        run: The fit that says so; a new one where it was refit.
        alone: ROI of each channel by its first fit alone, an estimate.
        together: The same with the others.
        reason: Why it is alone; empty where it is not.
    """

    project: Path
    way: Way
    k: float
    run: Run
    alone: Mapping[str, OptionalEstimate]
    together: Mapping[str, OptionalEstimate]
    reason: str = ""


def weighted(
    run: Run,
    about: OfFit,
    kinds: Mapping[str, str],
    others: Mapping[str, list[Learnt]],
) -> Weighted:
    """The ROI of a fit with what others have learnt, from its draws.

    Args:
        run: The fit.
        about: What it has learnt.
        kinds: Kind of each of its channels.
        others: What the other fits have learnt, by kind.

    Raises:
        WorkspaceError: The fit is damaged.
    """
    channels = open_dataset(run.folder, "channels")
    names = [each.channel for each in about.returns if each.prior is not None]
    if not names:
        return Weighted(0.0, {}, {})
    roi = channels["roi"].sel(channel=names).transpose("draw", "channel").to_numpy()
    default = default_prior("roi_m", "mixwright").numbers
    logs = log_weights(
        roi.astype(float),
        [each.prior for each in about.returns if each.prior is not None],
        [kinds[name] for name in names],
        others,
        (default.loc, default.scale),
    )
    weights, k = importance_weights(logs)
    by_name = dict(zip(names, roi.T, strict=True))
    return Weighted(
        k,
        {name: estimate(own) for name, own in by_name.items()},
        {name: weighted_estimate(own, weights) for name, own in by_name.items()},
    )
