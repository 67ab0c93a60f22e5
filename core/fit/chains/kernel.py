"""Kernel: the one compiled function of a fit, a block of NUTS iterations.

A chain moves in standardised coordinates z, where the metric is the identity:
position = (centre + S z) / narrowing. Step size, metric, data, number of iterations and
random numbers are arguments, so that the same executable finds the mode (see
`gradients` in `core.fit.sampling.chains`), adapts, and draws, for every run of the same
shapes. Iterations that look evaluate points that they are given instead of moving a
chain.

NUTS: BlackJAX's kernel, and nothing else of BlackJAX.

Before a module of a package Python runs the package itself, and BlackJAX's loads every
sampler that it has, and Optax with them: 240 modules, a tenth of the time that a worker
takes to start. So empty packages stand in for BlackJAX's two while the kernel's own
modules are loaded, and an empty module for its diagnostics, which load SciPy's Fourier
transforms. Whoever imports BlackJAX later gets all of it, loaded a second time.
"""

import contextlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from types import ModuleType
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from jaxtyping import Array, Float, PyTree

from core.model.compiled.executables import Persistent

_PACKAGES = ("blackjax", "blackjax.mcmc")
#: A module that the kernel's own load and do not use, and what they take from it.
_UNUSED, _TAKEN = "blackjax.diagnostics", ("psis_weights", "splitR")


@contextlib.contextmanager
def _unopened(names: tuple[str, ...]) -> Iterator[None]:
    """Modules of packages are loaded without what the packages load themselves.

    Args:
        names: The packages, outer ones first; nothing is done where one is loaded.
    """
    if any(name in sys.modules for name in names):
        yield
        return
    try:
        for name in names:
            spec = importlib.util.find_spec(name)
            if spec is None:  # the import says so
                break
            package = sys.modules[name] = ModuleType(name)
            package.__path__ = list(spec.submodule_search_locations or ())
        unused = sys.modules[_UNUSED] = ModuleType(_UNUSED)
        vars(unused).update(dict.fromkeys(_TAKEN))
        yield
    finally:
        outermost = names[0]
        for name in list(sys.modules):
            if name == outermost or name.startswith(f"{outermost}."):
                del sys.modules[name]


with _unopened(_PACKAGES):
    from blackjax.mcmc.hmc import HMCState
    from blackjax.mcmc.nuts import NUTSInfo, build_kernel

__all__ = ["HMCState", "NUTSInfo", "build_kernel"]


#: Iterations that one call records at most. Draws do not depend on it.
BLOCK = 100

#: Points that a chain of one call looks at, at most.
LOOKS = 25

#: Name of the device axis that chains are laid out over.
CHAINS = "chains"


class Metric(NamedTuple):
    """Standardised coordinates; see `core.fit.chains.coordinates`.

    Attributes:
        centre: Where z is zero.
        scale: S itself, dim dim; with groups the part of it between shared coordinates.
        own: Of groups: the part of S within each, group k k.
        across: By how much the coordinates of groups move with the shared ones, group k
            shared.
        places: Where the shared coordinates are in a position, then those of each
            group; dim.
        known: How well data know what each coordinate times its spread is, as the
            inverse of an error: so much narrower it becomes as the spread grows. Zero
            where nothing spreads it; dim, or nothing where nothing is spread.
        assumed: The same as positions have it already.
        spread: Place of the coordinate that each is spread by, its own where there is
            none; dim, or nothing.
    """

    centre: Any
    scale: Any
    own: Any = np.zeros((0, 0, 0))
    across: Any = np.zeros((0, 0, 0))
    places: Any = np.zeros(0, np.int32)
    known: Any = np.zeros(0)
    assumed: Any = np.zeros(0)
    spread: Any = np.zeros(0, np.int32)


class StepSize(NamedTuple):
    """Dual averaging of the step size (Hoffman and Gelman, 2014).

    Attributes:
        log: Log of the step size in use.
        log_mean: Log of its running average: what adaptation arrives at.
        error: Running average of target minus acceptance.
        count: Iterations averaged.
        anchor: What `log` is drawn to.
    """

    log: Any
    log_mean: Any
    error: Any
    count: Any
    anchor: Any


class ChainState(NamedTuple):
    """Where a chain is, in standardised coordinates, and its step size."""

    z: Any
    log_density: Any
    gradient: Any
    step: StepSize


class Order(NamedTuple):
    """What a call is to do.

    Attributes:
        seed: Of the run.
        purpose: What the random numbers are for; see `chains.purpose`.
        target_accept: Acceptance rate that the step size aims at.
        adapts: Whether the step size adapts.
        looks: Whether iterations look at points, each at one, instead of moving.
    """

    seed: Any
    purpose: Any
    target_accept: Any
    adapts: Any
    looks: Any


class Share(NamedTuple):
    """What a chain is to do.

    Attributes:
        chain: Its number.
        first: Number of its first iteration.
        count: How many of them.
        points: To look at, in standardised coordinates; `LOOKS` dim.
    """

    chain: Any
    first: Any
    count: Any
    points: Any


class Trace(NamedTuple):
    """What an iteration leaves behind; every array begins with chain, iteration."""

    z: Any
    log_density: Any
    energy: Any
    acceptance_rate: Any
    n_steps: Any
    diverging: Any


class Evaluation(NamedTuple):
    """Log density and gradient at points that a chain looked at; `LOOKS`."""

    log_density: Any
    gradient: Any


#: On CPU the older code generator compiles in two thirds of the time and 0.2 GB less.
#: What it makes is up to a third slower: runs of fewer numbers than these are done as
#: soon with it.
LARGE = 2**18

#: Log density that no model reaches: a trajectory from there ends after one step.
UNREACHABLE = 1e30


def adapted(
    step: StepSize, acceptance: Float[Array, ""], target: Float[Array, ""]
) -> StepSize:
    r"""Step size after one more iteration.

    $\bar H_t = (1 - w)\bar H_{t-1} + w(\delta - a_t)$, $w = 1/(t + 10)$;
    $\log\epsilon_t = \mu - 20\sqrt t\,\bar H_t$; the average weighs with $t^{-0.75}$.
    """
    count = step.count + 1
    weight = 1.0 / (count + 10.0)
    error = (1.0 - weight) * step.error + weight * (target - acceptance)
    # As in Stan: gamma 0.05, t0 10, kappa 0.75.
    log = step.anchor - jnp.sqrt(count) / 0.05 * error
    fade = count**-0.75
    log_mean = fade * log + (1.0 - fade) * step.log_mean
    return StepSize(log, log_mean, error, count, step.anchor)


def standardised(
    log_density: Callable, metric: Metric, args: PyTree
) -> Callable[[Float[Array, " dim"]], Float[Array, ""]]:
    """The log density in standardised coordinates; minus infinity for no number."""

    def of_z(z: Float[Array, " dim"]) -> Float[Array, ""]:
        moved = _by_groups(metric, z) if metric.own.size else metric.scale @ z
        position = metric.centre + moved
        if not metric.known.size:
            value = log_density(position, args)
        else:
            width = narrowing(position, metric)
            value = log_density(position / width, args) - jnp.log(width).sum()
        return jnp.where(jnp.isfinite(value), value, -jnp.inf)

    return of_z


#: Twice what the spread counts as where its coordinate is zero, in prior scales.
_SOFT = 0.24

#: The host's or the device's.
_Array = Array | np.ndarray


def narrowing(x: Float[_Array, "*n dim"], metric: Metric) -> Float[_Array, "*n dim"]:
    """What coordinates are divided by, one where nothing spreads them.

    Spreads are among those, so that it is the same before and after.
    """
    y = x[..., metric.spread]
    return narrow(y, metric.known) / narrow(y, metric.assumed)


def narrow(y: Float[_Array, "..."], k: Any) -> Float[_Array, "..."]:
    r"""$\sqrt{1 + (k s)^2}$: the narrower the larger the spread.

    $s = (y + \sqrt{y^2 + b^2}) / 2$ is nearly the spread's coordinate y where that is
    positive.
    """
    soft = 0.5 * (y + (y * y + _SOFT**2) ** 0.5)
    return (1.0 + (k * soft) ** 2) ** 0.5


def _by_groups(metric: Metric, z: Float[Array, " dim"]) -> Float[Array, " dim"]:
    """S z of a metric of groups."""
    in_parts, n_shared = z[metric.places], len(metric.scale)
    shared = in_parts[:n_shared]
    own = in_parts[n_shared:].reshape(metric.own.shape[:2])
    own = (metric.own * own[:, None, :]).sum(axis=2) + metric.across @ shared
    moved = jnp.concatenate([metric.scale @ shared, own.reshape(-1)])
    return jnp.zeros_like(z).at[metric.places].set(moved, unique_indices=True)


def _looking(order: Order, point: Float[Array, " dim"], state: ChainState) -> HMCState:
    """Where an iteration begins: at the point, if it looks.

    A leapfrog step of length zero from an unreachable log density evaluates the point
    and ends the trajectory, so no second function need be compiled for it.
    """
    beginning = HMCState(state.z, state.log_density, state.gradient)
    there = HMCState(point, jnp.full_like(state.log_density, UNREACHABLE), 0 * point)
    return jax.tree.map(lambda a, b: jnp.where(order.looks, a, b), there, beginning)


def _far_end(info: NUTSInfo) -> Evaluation:
    """Of a trajectory of one step: the end that is not its start."""
    left, right = info.trajectory_leftmost_state, info.trajectory_rightmost_state
    # Direction is random, so the start may be either end; only it has that density.
    is_start = left.logdensity >= UNREACHABLE
    end = jax.tree.map(lambda a, b: jnp.where(is_start, b, a), left, right)
    return Evaluation(end.logdensity, end.logdensity_grad)


def _iterate(
    kernel: Callable, of_z: Callable, order: Order, share: Share, state: ChainState
) -> tuple[ChainState, Trace, Evaluation]:
    """The iterations of one chain."""
    dim, dtype = state.z.shape[0], state.z.dtype
    key = jax.random.fold_in(jax.random.key(order.seed), order.purpose)
    key = jax.random.fold_in(key, share.chain)
    row = Trace(
        state.z, *[jnp.zeros((), dtype)] * 3, jnp.zeros((), int), jnp.zeros((), bool)
    )
    trace = jax.tree.map(lambda leaf: jnp.zeros((BLOCK, *leaf.shape), leaf.dtype), row)

    def body(i, carry):
        state, trace, looks = carry
        step = state.step
        point = jax.lax.dynamic_index_in_dim(share.points, i, keepdims=False)
        moved, info = kernel(
            # By the iteration's number, not by splitting on: blocks may be cut
            # anywhere, and a resumed run makes the same draws.
            jax.random.fold_in(key, share.first + i),
            _looking(order, point, state),
            of_z,
            jnp.exp(step.log),
            jnp.ones(dim, dtype),
        )
        accepted = info.acceptance_rate
        new = adapted(step, accepted, order.target_accept)
        step = jax.tree.map(lambda a, b: jnp.where(order.adapts, a, b), new, step)
        row = Trace(
            moved.position,
            moved.logdensity,
            info.energy,
            accepted,
            info.num_integration_steps,
            info.is_divergent,
        )
        trace = jax.tree.map(lambda leaf, value: leaf.at[i].set(value), trace, row)
        # Beyond the last place nothing is set.
        looks = jax.tree.map(lambda leaf, v: leaf.at[i].set(v), looks, _far_end(info))
        return ChainState(*moved, step), trace, looks

    # The loop's length is an argument: one executable serves any number of iterations,
    # and idle rows of zero.
    nothing = Evaluation(jnp.zeros(LOOKS, dtype), jnp.zeros((LOOKS, dim), dtype))
    return jax.lax.fori_loop(0, share.count, body, (state, trace, nothing))


@lru_cache(maxsize=16)
def block_function(
    log_density: Callable,
    max_tree_depth: int,
    devices: tuple,
    one_by_one: bool,
    is_large: bool,
) -> Callable:
    """The jitted block: (states, metric, order, shares, args) to what became of them.

    States, shares and traces begin with a chain axis, a multiple of the devices.

    Args:
        log_density: Of a position and arguments; hashable, equal where the compiled
            function is the same.
        max_tree_depth: At most 2**max_tree_depth leapfrog steps per iteration.
        devices: Devices that chains are laid out over.
        one_by_one: Whether the chains of a device run one after the other (CPU), so
            that none waits for another's tree, or in lock-step (accelerators).
        is_large: Whether to compile longer for a function that runs faster (CPU).
    """
    kernel = partial(build_kernel(), max_num_doublings=max_tree_depth)

    def block(states, metric, order, shares, args):
        of_z = standardised(log_density, metric, args)
        of_chain = partial(_iterate, kernel, of_z, order)
        if one_by_one:
            return jax.lax.map(lambda chain: of_chain(*chain), (shares, states))
        return jax.vmap(of_chain)(shares, states)

    mesh = Mesh(np.array(devices), (CHAINS,))
    by_chain, everywhere = P(CHAINS), P()
    layout = (by_chain, everywhere, everywhere, by_chain, everywhere)
    options = {
        "xla_cpu_use_fusion_emitters": is_large,
        # No library for what is too small for one, and no threads to wait for where
        # every core has chains of its own.
        "xla_cpu_experimental_ynn_fusion_type": "",
        "xla_cpu_multi_thread_eigen": len(devices) < len(jax.local_devices()),
    }
    # Not left to the partitioner: chains share nothing, and a device must not wait for
    # the others' loops.
    laid_out = jax.shard_map(
        block, mesh=mesh, in_specs=layout, out_specs=by_chain, check_vma=False
    )
    jitted = jax.jit(
        laid_out,
        in_shardings=[NamedSharding(mesh, spec) for spec in layout],
        compiler_options=options if devices[0].platform == "cpu" else None,
    )
    places = tuple(device.id for device in devices)
    about = (log_density, max_tree_depth, places, one_by_one, is_large)
    return Persistent(jitted, n_static=0, about=about)
