"""The options and priors of a model, for faces that draw their forms."""

from core.analysis.record.prior_check import PriorCheck
from core.model.holdout import HeldOut, Holdout
from core.model.holdout import describe as held_out
from core.model.inputs.events import Event
from core.model.market import Market, market
from core.model.media.implied_shapes import implied_shapes
from core.model.priors import elicitation, moments
from core.model.priors.default_priors import Preset
from core.model.priors.prior import PARAMETERS, Prior, Written, describe
from core.model.shares.settled import (
    TREATMENT,
    assumed_returns,
    default_effectiveness,
    default_of,
    prior_of,
    settled,
    unsettled,
    with_prior,
)
from core.model.spec import (
    ADSTOCK_PARAMETERS,
    CHANNEL_STEMS,
    SUFFIX,
    Adstock,
    ChannelSpec,
    Effectiveness,
    FollowsDemand,
    ModelSpec,
    PriorKind,
    Saturation,
)
