"""Response by geo: what each draw says that a channel's spend in a geo brings.

A cell is a channel in a geo, with a response curve of its own; cells without spend have
none and are left out. So cells are planned as channels are, and sums over them are
channels and geos.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import xarray as xr
from jaxtyping import Float

from core.analysis.response.by_way import MEDIATOR, MULTIPLIER, K
from core.dims import CHANNEL, GEO
from core.plan.response.belief import Belief, believed
from core.plan.response.curves import MARKS, Frequency, ResponseCurves, response_curves
from core.plan.response.price import at_best_frequency, priced, repriced

#: What a channel has one of, in all geos.
_OF_CHANNELS = ("frequency_best", "frequency_ran")


@dataclass(frozen=True)
class GeoResponse:
    """Response curves of cells.

    Attributes:
        curves: One curve per cell and draw.
        channels: Names of channels.
        geos: Names of geos.
        channel: Place of each cell's channel.
        geo: Place of each cell's geo.
    """

    curves: ResponseCurves
    channels: tuple[str, ...]
    geos: tuple[str, ...]
    channel: np.ndarray
    geo: np.ndarray

    @property
    def untested(self) -> frozenset[str]:
        """Channels that are bought after demand and have no lift test."""
        owners = zip(self.curves.names, self.channel, strict=True)
        marked = self.curves.untested
        return frozenset(self.channels[at] for cell, at in owners if cell in marked)

    @property
    def in_channel(self) -> Float[np.ndarray, "channel cell"]:
        """One where a cell is of a channel."""
        return (np.arange(len(self.channels))[:, None] == self.channel).astype(float)

    @property
    def in_geo(self) -> Float[np.ndarray, "geo cell"]:
        """One where a cell is in a geo."""
        return (np.arange(len(self.geos))[:, None] == self.geo).astype(float)

    def often(self, channels: Collection[str]) -> "GeoResponse":
        """The same with channels whose reach is bought at their best frequency.

        Args:
            channels: Names of those.
        """
        owners = [self.channels[place] for place in self.channel]
        cells = zip(self.curves.names, owners, strict=True)
        in_channels = {cell for cell, owner in cells if owner in channels}
        return replace(self, curves=at_best_frequency(self.curves, in_channels))

    def frequencies(self, spend: Float[np.ndarray, " cell"]) -> tuple[Frequency, ...]:
        """Channels bought at their best frequency, with what that brings of a split.

        Args:
            spend: Of cells, in the money of the curves.
        """
        by_cell = {each.channel: each for each in self.curves.frequencies}
        often = {name: by_cell[name] for name in self.curves.at_best}
        brought = self.curves.outcome(spend)
        bought = []
        for place, channel in enumerate(self.channels):
            inside = [
                (cell, often[name])
                for cell, name in enumerate(self.curves.names)
                if self.channel[cell] == place and name in often
            ]
            if not inside:
                continue
            now = sum(brought[:, cell] for cell, _ in inside)
            ran = sum(brought[:, cell] / each.lift for cell, each in inside)
            lift = np.divide(now, ran, out=np.ones_like(now), where=ran != 0)
            bought.append(inside[0][1]._replace(channel=channel, lift=lift))
        return tuple(bought)

    def priced(
        self, gammas: Mapping[str, float], prices: Mapping[str, float]
    ) -> "GeoResponse":
        """The same with channels that get dearer with what a geo buys of them.

        Args:
            gammas: By channel, see `core.plan.response.price`.
            prices: Of a unit over last year's, by channel.
        """
        gamma = np.array([gammas.get(name, 0.0) for name in self.channels])
        price = np.array([prices.get(name, 1.0) for name in self.channels])
        curves = priced(self.curves, gamma[self.channel])
        return replace(self, curves=repriced(curves, price[self.channel]))

    def table(
        self, cells: Float[np.ndarray, " cell"], absent: float = 0.0
    ) -> Float[np.ndarray, "channel geo"]:
        """Numbers of cells as a table, with `absent` where there is no cell."""
        filled = np.full(
            (len(self.channels), len(self.geos)),
            absent,
            np.result_type(cells, type(absent)),
        )
        filled[self.channel, self.geo] = cells
        return filled

    def in_pattern(
        self, spend: Float[np.ndarray, " cell"]
    ) -> Float[np.ndarray, " cell"]:
        """The totals of channels over geos as their spend is now."""
        now = self.curves.spend
        of_channel = self.in_channel @ spend / (self.in_channel @ now)
        return now * of_channel[self.channel]

    def together(self, part: Float[np.ndarray, "sum cell"]) -> ResponseCurves:
        """Curves of sums of cells that are all spent at the same multiple.

        Args:
            part: One where a cell is in the sum; each sum has a cell or more.
        """
        value, slope = (
            np.einsum("sc,dck->dsk", part, array, optimize=True)
            for array in (self.curves.value, self.curves.slope)
        )
        return replace(
            self.curves,
            names=tuple(str(place) for place in range(len(part))),
            spend=part @ self.curves.spend,
            value=value,
            slope=slope,
            highest_seen=np.full(len(part), np.nan),
            follows=(),
            tested=(),
            mediators=(),
            elsewhere=None,
            frequencies=(),
            at_best=(),
        )


def geo_response(stored: xr.Dataset) -> GeoResponse:
    """Response by geo from what a worker stored (`geo_curves.nc`).

    Channels and geos without any spend are left out.

    Raises:
        WorkspaceError: Something is missing or not a number, or nothing has spend.
    """
    spread = stored["spend"].transpose("channel", "geo")
    spend = spread.values
    size = spend.size
    # Cells by number: whatever joined two names might stand in one of them.
    names = [str(place) for place in range(size)]
    flat = xr.Dataset(
        {
            str(name): _of_cells(variable.broadcast_like(spread), size)
            if name in _OF_CHANNELS
            else _of_cells(variable, size)
            for name, variable in stored.data_vars.items()
            if GEO in variable.dims or name in (K, *_OF_CHANNELS)
        },
        coords={
            "channel": names,
            "spend_multiplier": stored["spend_multiplier"].values,
            **({MEDIATOR: stored[MEDIATOR].values} if MEDIATOR in stored.dims else {}),
            "spend": ("channel", spend.ravel()),
            "max_multiplier_seen": (
                "channel",
                stored["max_multiplier_seen"]
                .transpose("channel", "geo")
                .values.ravel(),
            ),
            **{
                mark: ("channel", stored[mark].broadcast_like(spread).values.ravel())
                for mark in MARKS
                if mark in stored
            },
        },
        attrs=stored.attrs,
    )
    curves = response_curves(flat)
    places = np.array([int(name) for name in curves.names])
    channels, channel = np.unique(places // spend.shape[1], return_inverse=True)
    geos, geo = np.unique(places % spend.shape[1], return_inverse=True)
    absent = np.delete(stored["channel"].values, channels)
    return GeoResponse(
        curves=replace(curves, idle=tuple(map(str, absent))),
        channels=tuple(str(name) for name in stored["channel"].values[channels]),
        geos=tuple(str(name) for name in stored["geo"].values[geos]),
        channel=channel,
        geo=geo,
    )


def _of_cells(variable: xr.DataArray, size: int) -> xr.DataArray:
    """A variable whose channels are cells: channels by geo."""
    if GEO not in variable.dims:
        return variable.drop_vars([name for name in variable.coords])
    last = [axis for axis in (MULTIPLIER,) if axis in variable.dims]
    whole = variable.transpose(..., CHANNEL, GEO, *last)
    before = len(whole.dims) - 2 - len(last)
    shape = (*whole.shape[:before], size, *whole.shape[before + 2 :])
    dims = [axis for axis in whole.dims if axis != GEO]
    return xr.DataArray(whole.values.reshape(shape), dims=dims)


def believed_in_geos(response: GeoResponse, beliefs: Sequence[Belief]) -> GeoResponse:
    """Response by geo with channels that are believed in, after the others.

    A cell is the channel's curve for its share of the money, f_dg(x) = w_g f_d(x / w_g)
    with w_g the geo's share of today's spend: a channel whose money is split like
    everybody else's brings what is believed of it.

    Args:
        response: Of the fit's channels.
        beliefs: Of channels without history; those that are there already stay.
    """
    new = [each for each in beliefs if each.name not in response.channels]
    if not new:
        return response
    cells = response.curves
    measured = replace(response.together(response.in_channel), names=response.channels)
    joint = believed(measured, new)
    share = response.in_geo @ cells.spend / cells.spend.sum()
    n_old, n_geos, k = len(response.channels), len(share), len(new)
    there = cells.on_grid(joint.grid)
    own = [
        (part[:, n_old:, None, :] * share[:, None]).reshape(len(part), k * n_geos, -1)
        for part in (joint.value, joint.slope)
    ]
    spend = (joint.spend[n_old:, None] * share).ravel()
    names = tuple(f"believed {place}" for place in range(k * n_geos))
    curves = replace(
        there,
        names=(*cells.names, *names),
        spend=np.append(cells.spend, spend),
        value=np.concatenate([there.value, own[0]], axis=1),
        slope=np.concatenate([there.slope, own[1]], axis=1),
        highest_seen=np.append(cells.highest_seen, np.full(len(spend), np.nan)),
        beliefs=tuple(each.name for each in new),
    )
    places = np.repeat(np.arange(n_old, n_old + k), n_geos)
    return replace(
        response,
        curves=curves,
        channels=(*response.channels, *(each.name for each in new)),
        channel=np.append(response.channel, places),
        geo=np.append(response.geo, np.tile(np.arange(n_geos), k)),
    )
