r"""Below the least: how much of a return lies where no spend was ever seen.

What a channel brings between nothing and the least it ever ran is extrapolation: a
curve that was never seen there, set by the prior of its shape. For each draw it is the
outcome of that least media in every period, of each geo its own, as a share of the
outcome of what ran. A channel that paused has none of it.
"""

from collections.abc import Mapping

import numpy as np

from core.analysis.draws import thinned
from core.analysis.incremental import over_draws, treatment_outcome
from core.analysis.response.media import least_media
from core.analysis.returns import channel_names
from core.data.mapping import PAID
from core.model.build import Model
from core.model.compiled.executables import PLAIN, persistent
from core.text import numbers as fmt
from core.text.languages.language import say, say_count
from core.text.sentences import listed

#: Draws that the share is worked out of.
_DRAWS = 200


def below_least(model: Model, draws: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Share of each paid channel's outcome that its least media would bring; draw.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
    """
    media = model.filled.fill(least_media(model))
    least, ran = model.filled.in_chunks(_totals, thinned(draws, _DRAWS), media)
    share = np.divide(least, ran, out=np.zeros_like(ran), where=ran > 0)
    names, kinds = channel_names(model)
    return {
        name: np.clip(own, 0.0, 1.0)
        for name, kind, own in zip(names, kinds, share.T, strict=False)
        if kind in PAID
    }


@persistent(options=PLAIN)
def _totals(structure, arrays, draws, media):
    """Outcome of the least media and of what ran; draw channel."""

    def of_draw(draw):
        least = treatment_outcome(structure, arrays, draw, media)
        return least.sum(axis=(1, 2)), treatment_outcome(structure, arrays, draw).sum(
            axis=(1, 2)
        )

    return over_draws(of_draw, draws)


def extrapolated(shares: Mapping[str, float]) -> str:
    """A sentence on the channels most of whose return is extrapolation; or nothing.

    Args:
        shares: Mean share below the least media, by channel.
    """
    most = sorted((x for x in shares if shares[x] >= 0.5), key=lambda x: -shares[x])
    if not most:
        return ""
    parts = [
        say("{share} of {name}'s return", share=fmt.share(shares[name]), name=name)
        for name in most
    ]
    return say_count(
        len(most),
        "{parts} is below the least it ever spent, where the curve is assumed, not "
        "seen. Weeks at low spend or a lift test would show it.",
        "{parts} are below the least they ever spent, where the curve is assumed, not "
        "seen. Weeks at low spend or a lift test would show it.",
        parts=listed(parts, limit=4),
    )
