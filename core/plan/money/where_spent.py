r"""Where spent: what channels bring at the geos in which their money really went.

A forecast stores what a channel brings in all geos together, at multiples of all its
media. With $F_{dcg}$ the curve of geo g in the year ahead, spend that went to other
geos than a year earlier brings

    lift_dc = sum_g F_dcg(m_cg) / sum_g F_dcg(m_c)

times what the same money brings in last year's pattern, with $m_cg$ the spend of these
periods in geo g over that of a year earlier, and $m_c$ the same of all geos together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from core.plan.response.geos import GeoResponse

#: What a channel spends in each geo, currency.
ByGeo = Mapping[str, Float[np.ndarray, " geo"]]


@dataclass(frozen=True)
class Spread:
    """A plan or what ran, geo by geo.

    Attributes:
        spend: Of each channel in each geo, currency.
        share: Share of what a channel's money brings that comes in each geo.
        lift: What a channel brings over what it would in last year's pattern.
    """

    spend: Float[np.ndarray, "channel geo"]
    share: Mapping[str, Float[np.ndarray, "draw geo"]]
    lift: Mapping[str, Float[np.ndarray, " draw"]]

    def by_cell(self) -> dict[str, float]:
        """Spend of each channel in each geo, under names of their own."""
        return {
            f"{name} {geo}": float(amount)
            for name, row in zip(self.lift, self.spend, strict=True)
            for geo, amount in enumerate(row)
        }

    def part(
        self, names: Sequence[str], brought: Float[np.ndarray, "draw channel"]
    ) -> Float[np.ndarray, "draw geo"]:
        """What all channels bring in each geo.

        Args:
            names: Channels of what they bring.
            brought: In all geos together.
        """
        rows = [brought[:, c, None] * self.share[name] for c, name in enumerate(names)]
        return np.sum(rows, axis=0)


@dataclass(frozen=True)
class WhereSpent:
    """Geos of a fit in some periods: their curves, and what ran a year earlier.

    Attributes:
        response: Curves of the year ahead by channel and geo, as the plan buys media.
        geos: Names, as the data have them.
        usual: Spend of a year earlier in these periods.
        n_draws: Draws that results are in.
    """

    response: GeoResponse
    geos: tuple[str, ...]
    usual: ByGeo
    n_draws: int

    def spread(self, spend: ByGeo) -> Spread:
        """What the money of channels does where it went.

        Args:
            spend: Of every channel that `usual` has.
        """
        share, lift = {}, {}
        for name, usual in self.usual.items():
            share[name], lift[name] = self._of_channel(name, spend[name], usual)
        return Spread(np.array([spend[name] for name in self.usual]), share, lift)

    def _of_channel(
        self,
        name: str,
        spend: Float[np.ndarray, " geo"],
        usual: Float[np.ndarray, " geo"],
    ) -> tuple[Float[np.ndarray, "draw geo"], Float[np.ndarray, " draw"]]:
        """Shares of geos of what a channel brings, and its lift."""
        response, total, before = self.response, spend.sum(), usual.sum()
        whole = np.ones((self.n_draws, len(self.geos)))
        if name not in response.channels or before <= 0 or total <= 0:
            place = spend if total > 0 else usual
            even = np.full(len(place), 1 / len(place))
            part = place / place.sum() if place.sum() > 0 else even
            return whole * part, whole[:, 0]
        cells = np.flatnonzero(response.channel == response.channels.index(name))
        at = [self.geos.index(response.geos[geo]) for geo in response.geo[cells]]
        year = response.curves.spend[cells]
        # Geos in which nothing ran in these weeks of last year have the year's share.
        pattern = usual[at] if (usual[at] > 0).all() else year * before / year.sum()
        money = response.curves.spend.copy()
        money[cells] = year * spend[at] / pattern
        moved = response.curves.outcome(money)[:, cells]
        money[cells] = year * total / before
        base = response.curves.outcome(money)[:, cells].sum(axis=1)
        rows = np.linspace(0, len(moved) - 1, self.n_draws).round().astype(int)
        moved, base = moved[rows], base[rows]
        share, sums = np.zeros_like(whole), moved.sum(axis=1)
        evenly = np.broadcast_to(spend[at] / max(spend[at].sum(), 1e-300), moved.shape)
        is_some = (sums > 0)[:, None]
        share[:, at] = np.divide(moved, sums[:, None], out=evenly.copy(), where=is_some)
        return share, np.divide(sums, base, out=np.ones_like(sums), where=base > 0)


def by_shares(
    spend: Mapping[str, float],
    usual: ByGeo,
    geos: Sequence[str],
    times: Mapping[str, Mapping[str, float]],
) -> dict[str, Float[np.ndarray, " geo"]]:
    """What channels spend in each geo by multiples of last year's shares.

    Args:
        spend: Of each channel, currency.
        usual: Of a year earlier by geo.
        geos: Their names.
        times: Multiples by channel and geo; those that are not there have last year's.
    """
    divided = {}
    for name, before in usual.items():
        row = times.get(name, {})
        part = before * np.array([row.get(geo, 1.0) for geo in geos])
        whole = part.sum()
        even = np.full(len(geos), 1 / len(geos))
        divided[name] = spend[name] * (part / whole if whole > 0 else even)
    return divided
