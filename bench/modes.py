"""The climb to the modes: our L-BFGS of many starts at a time, SciPy's and optax's.

    python -m bench.modes        some minutes; one core

Each climbs from the same eight dispersed starts. Ours evaluates one point of every
climb in one batch, with the compiled function that warm-up needs anyway; SciPy climbs
one start after another; optax climbs all in one compiled loop of its own.
"""

import time
from functools import partial

from bench.jax_set_up import configure

configure("float32", "cpu", host_devices=1)

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import optax  # noqa: E402
from scipy.optimize import minimize  # noqa: E402

from bench.cases import case as case_of  # noqa: E402
from bench.cases import reference_folder  # noqa: E402
from bench.large import large_market  # noqa: E402
from core.fit.start.mode import climb_all, finite_starts  # noqa: E402
from core.model.build import build  # noqa: E402
from core.model.density import collapsed_log_density  # noqa: E402
from core.model.latents import n_dims  # noqa: E402
from tests.parity.cases import read_case  # noqa: E402
from tests.reference import REFERENCE  # noqa: E402

_MOST = 500
_CLOSE = 0.5


def models():
    """Markets by name."""
    for name in ("geo_media, 30 knots, float32", "national_media, 1 knot, float32"):
        read = read_case(reference_folder(case_of(name)), REFERENCE / "data")
        yield name, build(read.data, read.spec, precision="float32")
    data, spec = large_market(n_geos=10, n_times=104, n_channels=8)
    yield "simulated, 10 geos, 8 channels", build(data, spec, precision="float32")


def ours(value_and_grad, starts):
    """Positions, their values and gradients needed."""
    asked = 0

    def evaluate(points):
        nonlocal asked
        asked += len(points)
        padded = np.zeros((len(starts), points.shape[1]), np.float32)
        padded[: len(points)] = points
        values, gradients = value_and_grad(padded)
        n = len(points)
        return np.asarray(values, float)[:n], np.asarray(gradients, float)[:n]

    tops = climb_all(evaluate, starts, _MOST)
    return [top.log_density for top in tops], asked


def scipys(value_and_grad, starts):
    """The same with SciPy's L-BFGS-B."""
    asked = 0

    def negative(point):
        nonlocal asked
        asked += 1
        value, gradient = value_and_grad(point[None].astype(np.float32))
        return -float(value[0]), -np.asarray(gradient[0], float)

    options = {"maxiter": _MOST, "maxcor": 20, "ftol": 1e-9}
    ends = [
        minimize(negative, start, jac=True, method="L-BFGS-B", options=options)
        for start in starts
    ]
    return [-float(end.fun) for end in ends], asked


def optax_climb(density):
    """The same with optax.lbfgs: all starts in one compiled loop."""
    solver = optax.lbfgs(memory_size=20)

    def negative(point):
        return -density(point)

    def climb(start):
        both = optax.value_and_grad_from_state(negative)

        def step(carry):
            point, state, before, _ = carry
            value, gradient = both(point, state=state)
            updates, state = solver.update(
                gradient,
                state,
                point,
                value=value,
                grad=gradient,
                value_fn=negative,
            )
            point = optax.apply_updates(point, updates)
            return point, state, value, before - value

        def goes_on(carry):
            _, state, _, growth = carry
            count = optax.tree_utils.tree_get(state, "count")
            return (count < 3) | ((count < _MOST) & (growth > 1e-3))

        begin = (start, solver.init(start), jnp.inf, jnp.inf)
        point, state, _, _ = jax.lax.while_loop(goes_on, step, begin)
        return density(point), optax.tree_utils.tree_get(state, "count")

    climbs = jax.jit(jax.vmap(climb))

    def ends(starts):
        values, steps = climbs(jnp.asarray(starts, jnp.float32))
        return np.asarray(values, float).tolist(), int(np.asarray(steps).sum())

    return ends


def main() -> None:
    """Print a row per market and way."""
    for name, model in models():

        def density(position, of=model):
            return collapsed_log_density(of.structure, position, of.arrays)

        batched = jax.jit(jax.vmap(jax.value_and_grad(density)))
        dim = n_dims(model.structure.latents)

        def finite(points, of=batched):
            return tuple(np.asarray(each, float) for each in of(np.float32(points)))

        starts = finite_starts(finite, dim, np.random.default_rng(1), 8)
        ways = {
            "ours": partial(ours, batched),
            "SciPy": partial(scipys, batched),
            "optax": optax_climb(density),
        }
        rows = {}
        for way, climb in ways.items():
            seconds = []
            for _ in range(2):
                started = time.perf_counter()
                values, asked = climb(starts)
                seconds.append(time.perf_counter() - started)
            rows[way] = (seconds, asked, values)
        top = max(max(values) for _, _, values in rows.values())
        print(f"\n{name}, {dim} coordinates, highest {top:,.2f}")
        for way, (seconds, asked, values) in rows.items():
            reached = sum(top - value < _CLOSE for value in values)
            print(
                f"  {way:6} first {seconds[0]:6.2f} s, again {seconds[1]:6.2f} s, "
                f"{asked} gradients or steps, {reached} of 8 at the top"
            )


if __name__ == "__main__":
    main()
