"""Chains: the compiled block with its data on the devices; NumPy in, NumPy out."""

import zlib
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from core.fit.chains.coordinates import unscaled
from core.fit.chains.kernel import (
    CHAINS,
    LARGE,
    LOOKS,
    ChainState,
    Evaluation,
    Metric,
    Order,
    Share,
    StepSize,
    Trace,
    block_function,
)
from core.fit.settings import SamplerSettings


def purpose(name: str) -> int:
    """Number of a named use of random numbers."""
    return zlib.crc32(name.encode())


def generator(seed: int, name: str) -> np.random.Generator:
    """Random numbers on the host for one named purpose."""
    return np.random.default_rng([seed, purpose(name)])


class _Partial(NamedTuple):
    """A `functools.partial` that is equal to another of the same parts."""

    function: Callable
    arguments: tuple
    keywords: tuple

    def __call__(self, *args: Any) -> Any:
        return self.function(*self.arguments, *args, **dict(self.keywords))


def _comparable(log_density: Callable) -> Callable:
    """The same function, equal to another that compiles to the same."""
    if isinstance(log_density, partial):
        # Two partials of the same function are never equal, so a second run in the
        # process would compile again.
        parts = (tuple(sorted(log_density.keywords.items())), log_density.args)
        return _Partial(log_density.func, parts[1], parts[0])
    return log_density


class Chains:
    """Chains of one run on its devices.

    Args:
        log_density: Of a position (dim) and arguments.
        args: Arrays that the log density is given; their float type is the run's.
        dim: Length of a position.
        settings: Number of chains, tree depth, seed, target acceptance.
        groups: See `core.fit.chains.coordinates.unscaled`.
        spread: Likewise.
    """

    def __init__(
        self,
        log_density: Callable,
        args: Any,
        dim: int,
        settings: SamplerSettings,
        groups: np.ndarray | None = None,
        spread: tuple[np.ndarray, np.ndarray] | None = None,
    ):
        self.dim, self.settings = dim, settings
        self.dtype = np.dtype(settings.precision)
        local = jax.local_devices()
        devices = tuple(local[: min(len(local), settings.chains)])
        # A multiple of the devices: sharding divides rows evenly.
        self.n_rows = -(-settings.chains // len(devices)) * len(devices)
        mesh = Mesh(np.array(devices), (CHAINS,))
        self._everywhere = NamedSharding(mesh, P())
        #: What every look needs is sent to the devices once: of what a look takes, that
        #: is most of it. How many points each chain looks at is kept by their number.
        self._by_chain = NamedSharding(mesh, P(CHAINS))
        self._still = jax.device_put(self._at_rest(), self._by_chain)
        nothing = np.zeros(self.n_rows, np.int32)
        numbers = np.arange(self.n_rows, dtype=np.int32)
        self._nothing = jax.device_put((numbers, nothing), self._by_chain)
        self._counts: dict[int, Any] = {}
        looking = self._order("gradient", adapts=False, looks=True)
        self._looking = jax.device_put(looking, self._everywhere)
        self._block = block_function(
            _comparable(log_density),
            settings.max_tree_depth,
            devices,
            one_by_one=devices[0].platform == "cpu",
            is_large=sum(np.size(leaf) for leaf in jax.tree.leaves(args)) > LARGE,
        )
        self._args = jax.device_put(args, self._everywhere)
        self._metric: tuple[Metric | None, Any] = (None, None)
        #: Standardised coordinates that are the positions themselves.
        self.plain = unscaled(dim, groups, spread)

    def is_kept(self) -> bool:
        """Whether nothing is compiled: their function is here, or on the disk."""
        points = np.zeros((self.n_rows, LOOKS, self.dim), self.dtype)
        share = Share(*self._nothing, self._nothing[1], points)
        around = self._on_devices(self.plain)
        return self._block.is_kept(
            self._still, around, self._looking, share, self._args
        )

    def advance(
        self,
        state: ChainState,
        metric: Metric,
        name: str,
        first: int,
        counts: np.ndarray,
        *,
        adapts: bool,
    ) -> tuple[ChainState, Trace]:
        """Run iterations `first` to `first + counts` of every chain.

        Args:
            state: Arrays that begin with a chain axis.
            metric: Of the standardised coordinates.
            name: Purpose of the random numbers.
            first: Number of the first iteration.
            counts: Iterations per chain, at most `BLOCK`.
            adapts: Whether the step size adapts.

        Returns:
            The new state, and a trace of the largest count of iterations.
        """
        shares = (np.full(len(counts), first, np.int32), counts.astype(np.int32))
        order = self._order(name, adapts=adapts)
        result = self._call(state, metric, order, shares)
        state, trace = _fetched(result[:2], len(counts))
        longest = int(counts.max())
        return state, Trace(*[leaf[:, :longest] for leaf in trace])

    def gradients(
        self, points: np.ndarray, metric: Metric
    ) -> tuple[np.ndarray, np.ndarray]:
        """Log density and gradient at points of standardised coordinates.

        Every chain looks at some of the points; see `core.fit.chains.kernel`.

        Args:
            points: point dim.
            metric: Of the coordinates.

        Returns:
            Log density per point, minus infinity where that is not a number; gradient,
            zero there.
        """
        values, slopes = [], []
        at_once = self.n_rows * LOOKS
        for first in range(0, len(points), at_once):
            evaluation = self._look(points[first : first + at_once], metric)
            values.append(evaluation.log_density)
            slopes.append(evaluation.gradient)
        value, slope = np.concatenate(values), np.concatenate(slopes)
        good = np.isfinite(value) & np.isfinite(slope).all(axis=1)
        return (
            np.where(good, value, -np.inf).astype(float),
            np.where(good[:, None], slope, 0.0).astype(float),
        )

    def _look(self, points: np.ndarray, metric: Metric) -> Evaluation:
        """At points, no more than the chains of one call can look at."""
        # In turn to each chain, so that all chains look at as many or one less.
        batch = np.zeros((LOOKS, self.n_rows, self.dim), self.dtype)
        batch.reshape(-1, self.dim)[: len(points)] = points
        share = Share(*self._nothing, self._count(len(points)), batch.swapaxes(0, 1))
        around = self._on_devices(metric)
        result = self._block(self._still, around, self._looking, share, self._args)
        evaluation = _fetched(result[2], self.n_rows)
        in_turn = (leaf.swapaxes(0, 1) for leaf in evaluation)
        flat = (leaf.reshape(-1, *leaf.shape[2:])[: len(points)] for leaf in in_turn)
        return Evaluation(*flat)

    def _count(self, n_points: int) -> Any:
        """How many of the points each chain looks at, on the devices."""
        if n_points not in self._counts:
            counts = np.arange(n_points + self.n_rows - 1, n_points - 1, -1)
            counts = (counts // self.n_rows).astype(np.int32)
            self._counts[n_points] = jax.device_put(counts, self._by_chain)
        return self._counts[n_points]

    def _on_devices(self, metric: Metric) -> Any:
        """Sent to the devices once per metric, not once per block."""
        if self._metric[0] is not metric:
            cast = Metric(*map(self._cast, metric))
            self._metric = (metric, jax.device_put(cast, self._everywhere))
        return self._metric[1]

    def _order(self, name: str, *, adapts: bool, looks: bool = False) -> Order:
        """What a call is to do."""
        return Order(
            np.uint32(self.settings.seed),
            np.uint32(purpose(name)),
            self.dtype.type(self.settings.target_accept),
            np.bool_(adapts),
            np.bool_(looks),
        )

    def _at_rest(self) -> ChainState:
        """Chains whose step size is zero."""
        zero = np.zeros(self.n_rows, self.dtype)
        step = StepSize(zero - np.inf, zero - np.inf, zero, zero, zero)
        z = np.zeros((self.n_rows, self.dim), self.dtype)
        return ChainState(z, zero, z, step)

    def _call(
        self,
        state: ChainState,
        metric: Metric,
        order: Order,
        shares: tuple[np.ndarray, np.ndarray],
    ) -> Any:
        """The block, on the devices: chains move.

        Args:
            state: Of every chain.
            metric: Of the coordinates.
            order: What to do.
            shares: Of each chain: its first iteration, and how many.
        """
        n = len(state.z)
        points = np.zeros((n, LOOKS, self.dim), self.dtype)
        share = Share(np.arange(n, dtype=np.int32), *shares, points)
        states, share = jax.tree.map(self._padded, (state, share))
        return self._block(states, self._on_devices(metric), order, share, self._args)

    def _cast(self, leaf: np.ndarray) -> np.ndarray:
        """In the run's precision, unless they are places."""
        return leaf if leaf.dtype.kind == "i" else np.asarray(leaf, self.dtype)

    def _padded(self, leaf: Any) -> Any:
        """Rows of zeros after the last chain, up to a multiple of the devices."""
        missing = self.n_rows - len(leaf)
        if not missing:
            return leaf
        return np.concatenate([leaf, np.zeros((missing, *leaf.shape[1:]), leaf.dtype)])


def _fetched(tree: Any, n_chains: int) -> Any:
    """What a call made of so many chains, as NumPy arrays."""
    return jax.tree.map(lambda leaf: np.asarray(leaf)[:n_chains], tree)
