"""What a gradient of the log density costs, and how its cost grows.

    python -m bench.gradient [--svg FILE]     a minute; writes bench/scaling.svg

First as a multiple of one forward and backward pass of adstock and Hill alone, which
any sampler of this model must make. Then over the number of geos, weeks and channels,
one at a time, from a market of 20 geos, 104 weeks and 8 channels. On one core.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.jax_set_up import configure

configure("float32", "cpu", host_devices=1)

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

from bench.cases import case, reference_folder  # noqa: E402
from bench.large import large_market  # noqa: E402
from core.model.build import Model, build  # noqa: E402
from core.model.density import collapsed_log_density  # noqa: E402
from core.model.latents import n_dims  # noqa: E402
from core.model.media.adstock import adstock  # noqa: E402
from core.model.media.saturation import hill  # noqa: E402
from tests.parity.cases import read_case  # noqa: E402
from tests.reference import REFERENCE  # noqa: E402

_STEPS, _REPEATS = 50, 7
_BASE = {"n_geos": 20, "n_times": 104, "n_channels": 8}
_SIZES = {
    "n_geos": (5, 10, 20, 40, 80),
    "n_times": (52, 104, 208, 416),
    "n_channels": (2, 4, 8, 16, 32),
}
_COLOURS = {"n_geos": "#2563eb", "n_times": "#d97706", "n_channels": "#059669"}


def milliseconds(of: Callable, at: jnp.ndarray, *args) -> float:
    """Of one gradient, in a loop whose steps depend on each other; the best of some."""
    gradient = jax.grad(of)

    @jax.jit
    def loop(start, args):
        return jax.lax.fori_loop(
            0, _STEPS, lambda _, x: x + 1e-9 * gradient(x, *args), start
        )

    loop(at, args).block_until_ready()
    best = np.inf
    for _ in range(_REPEATS):
        began = time.perf_counter()
        loop(at, args).block_until_ready()
        best = min(best, (time.perf_counter() - began) / _STEPS)
    return 1000 * best


def of_density(model: Model) -> float:
    """Milliseconds of a gradient of the collapsed log density."""
    density = partial(collapsed_log_density, model.structure)
    start = jnp.zeros(n_dims(model.structure.latents), model.arrays.kpi.dtype)
    return milliseconds(density, start, model.arrays)


def of_media(model: Model) -> float:
    """Milliseconds of adstock and Hill alone, forward and backward."""
    lags = model.arrays.groups["m"].media.lags
    n_channels, n_lags = lags.shape[:2]

    def total(x, lags):
        alpha, ec = jax.nn.sigmoid(x[:n_channels]), jnp.exp(x[n_channels:])
        weights = alpha[:, None] ** jnp.arange(n_lags)
        carried = adstock(lags, weights / weights.sum(axis=1, keepdims=True))
        return hill(carried, ec, jnp.ones_like(ec), slope_is_one=True).sum()

    return milliseconds(total, jnp.zeros(2 * n_channels, lags.dtype), lags)


def multiple() -> str:
    """The reference market's row."""
    folder = reference_folder(case("geo_media, 30 knots, float32"))
    read = read_case(folder, REFERENCE / "data")
    model = build(read.data, read.spec, precision="float32")
    whole, media = of_density(model), of_media(model)
    return (
        f"geo_media, 30 knots, float32, one core: {whole:.3f} ms a gradient, "
        f"{media:.3f} ms for adstock and Hill alone, {whole / media:.1f} times."
    )


def growth() -> dict[str, list[tuple[int, float]]]:
    """Milliseconds by size, one dimension at a time."""
    found: dict[str, list[tuple[int, float]]] = {}
    for name, sizes in _SIZES.items():
        for size in sizes:
            data, spec = large_market(**(_BASE | {name: size}))
            spent = of_density(build(data, spec, precision="float32"))
            found.setdefault(name, []).append((size, spent))
            print(f"{name} {size}: {spent:.3f} ms", flush=True)
    return found


def slope(points: list[tuple[int, float]]) -> float:
    """Exponent of growth over the larger half of the sizes."""
    size, spent = np.log(np.array(points[len(points) // 2 :])).T
    return float(np.polyfit(size, spent, 1)[0])


def drawing(found: dict[str, list[tuple[int, float]]]) -> str:
    """Milliseconds over size as multiples of the smallest, both axes logarithmic."""
    width, height, edge = 640, 400, 60
    times = [spent for points in found.values() for _, spent in points]
    low, high = np.log10(min(times) * 0.8), np.log10(max(times) * 1.25)

    def at(ratio: float, spent: float) -> tuple[float, float]:
        x = edge + (width - 2 * edge) * np.log2(ratio) / 4
        y = height - edge - (height - 2 * edge) * (np.log10(spent) - low) / (high - low)
        return round(float(x), 1), round(float(y), 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for step in range(5):
        x, _ = at(2**step, 1.0)
        parts.append(f'<text x="{x}" y="{height - 35}">{2**step}</text>')
        parts.append(
            f'<path d="M{x} {edge}V{height - edge}" stroke="#e5e7eb" fill="none"/>'
        )
    for tick in (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10):
        if low <= np.log10(tick) <= high:
            _, y = at(1, tick)
            parts.append(f'<text x="8" y="{y + 4}">{tick} ms</text>')
            parts.append(
                f'<path d="M{edge} {y}H{width - edge}" stroke="#e5e7eb" fill="none"/>'
            )
    for place, (name, points) in enumerate(found.items()):
        first = points[0][0]
        line = " ".join(
            "{},{}".format(*at(size / first, spent)) for size, spent in points
        )
        label = f"{name[2:]} {first} to {points[-1][0]}, slope {slope(points):.2f}"
        parts += [
            f'<polyline points="{line}" fill="none" stroke="{_COLOURS[name]}" '
            'stroke-width="2"/>',
            f'<text x="{edge + 8}" y="{edge + 16 * place}" '
            f'fill="{_COLOURS[name]}">{label}</text>',
        ]
    parts.append(
        f'<text x="{edge}" y="24">Time of a gradient over size, as a multiple of the '
        "smallest; both axes logarithmic</text></svg>"
    )
    return "\n".join(parts) + "\n"


def main() -> None:
    """Measure, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    here = Path(__file__).parent / "scaling.svg"
    parser.add_argument("--svg", type=Path, default=here)
    options = parser.parse_args()
    print(multiple(), flush=True)
    found = growth()
    exponents = ", ".join(f"{k[2:]} {slope(v):.2f}" for k, v in found.items())
    print(f"Exponent of growth over the larger sizes: {exponents}.")
    options.svg.write_text(drawing(found))


if __name__ == "__main__":
    main()
