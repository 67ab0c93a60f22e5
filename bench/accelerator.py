"""What an accelerator is worth: gradients, whole fits and BlackJAX's LAPS on it.

    python -m bench.accelerator OUT [--budget SECONDS] [--small]

Each row of the table is a process of its own (a precision and a device are set once a
process), on the market of `bench.large`: 50 geos, 156 weeks, 30 channels. `OUT` is the
folder of its parts: one JSON line a row in `rows.jsonl`, written as each row ends, so
that a run cut short keeps what it measured. With `--small` a market of 6 geos, to try
the bench itself. Without an accelerator the rows of one are left out, and it says so.
"""

import argparse
import json
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

#: Rows in the order of their worth: what, device, precision, chains, warm-up, draws.
_ROWS = (
    ("gradient", "cpu", "float64", 0, 0, 0),
    ("gradient", "gpu", "float32", 0, 0, 0),
    ("gradient", "gpu", "float64", 0, 0, 0),
    ("gradient", "cpu", "float32", 0, 0, 0),
    ("fit", "gpu", "float32", 4, 150, 100),
    ("fit", "cpu", "float32", 4, 150, 100),
    ("fit", "gpu", "float32", 64, 150, 25),
    ("laps", "gpu", "float32", 1024, 500, 500),
    ("fit", "gpu", "float64", 4, 150, 100),
)
_CHAINS = (1, 4, 16, 64, 256)
_SMALL = {"n_geos": 6, "n_times": 60, "n_channels": 3}


def model_of(precision: str, is_small: bool):
    """The market's model, built in a precision."""
    from bench.large import large_market  # noqa: PLC0415  JAX is set up first
    from core.model.build import build  # noqa: PLC0415

    data, spec = large_market(**(_SMALL if is_small else {}))
    return build(data, spec, precision=precision)


def points(dim: int, n: int) -> np.ndarray:
    """The same positions in every process."""
    return 0.1 * np.random.default_rng(3).standard_normal((n, dim))


def gradients(model: Any, precision: str, out: Path) -> dict[str, Any]:
    """Milliseconds of a gradient by number of chains side by side, and its error."""
    import jax  # noqa: PLC0415
    import jax.numpy as jnp  # noqa: PLC0415

    from core.model.density import collapsed_log_density  # noqa: PLC0415
    from core.model.latents import n_dims  # noqa: PLC0415

    density = partial(collapsed_log_density, model.structure)
    dim = n_dims(model.structure.latents)
    each = jax.jit(jax.vmap(jax.value_and_grad(density), in_axes=(0, None)))
    arrays = jax.device_put(model.arrays)
    spent = {}
    for chains in _CHAINS:
        at = jnp.asarray(points(dim, chains), precision)
        jax.block_until_ready(each(at, arrays))
        n, began = 0, time.perf_counter()
        while n < 5 or time.perf_counter() - began < 1:
            jax.block_until_ready(each(at, arrays))
            n += 1
            if time.perf_counter() - began > 8:
                break
        spent[chains] = 1000 * (time.perf_counter() - began) / n
        if spent[chains] > 4000:
            break
    found = each(jnp.asarray(points(dim, 4), precision), arrays)[1]
    found = np.asarray(found, np.float64)
    exact = out / "gradient.npy"
    if not exact.is_file():
        np.save(exact, found)
    true = np.load(exact)
    off = np.linalg.norm(found - true, axis=1) / np.linalg.norm(true, axis=1)
    return {"dim": dim, "milliseconds": spent, "relative_error": float(off.max())}


def whole_fit(model: Any, settings: Any, out: Path) -> dict[str, Any]:
    """Seconds, effective draws a second of the worst parameter, convergence."""
    from core.fit.fit import fit  # noqa: PLC0415

    began = time.perf_counter()
    fitted = fit(model, settings)
    seconds = time.perf_counter() - began
    position = np.asarray(fitted.draws.position, np.float64)
    rows = position.reshape(-1, position.shape[-1])
    if not (out / "moments.npz").is_file():
        np.savez(out / "moments.npz", mean=rows.mean(axis=0), sd=rows.std(axis=0))
    least = float(fitted.table.ess_bulk.min())
    return {
        "seconds": seconds,
        "parts": {name: round(s, 2) for name, s in fitted.draws.seconds.items()},
        "ess_bulk": least,
        "ess_a_second": least / seconds,
        "r_hat": float(fitted.table.rhat.max()),
        "gradients": int(np.sum(fitted.draws.n_steps)),
        "steps_per_draw": float(np.mean(fitted.draws.n_steps)),
        "verdict": fitted.verdict.status,
    }


def laps(model: Any, numbers: list[int], out: Path) -> dict[str, Any]:
    """BlackJAX's late adjusted ensemble: seconds, and its moments beside the fit's."""
    import jax  # noqa: PLC0415
    from blackjax.adaptation.laps import laps as ensemble  # noqa: PLC0415
    from jax.sharding import Mesh  # noqa: PLC0415

    from core.model.density import collapsed_log_density  # noqa: PLC0415
    from core.model.latents import n_dims  # noqa: PLC0415

    chains, warmup, draws = numbers
    arrays = jax.device_put(model.arrays)
    dim = n_dims(model.structure.latents)
    began = time.perf_counter()
    ended = ensemble(
        lambda x: collapsed_log_density(model.structure, x, arrays),
        lambda key: 0.1 * jax.random.normal(key, (dim,)),
        dim,
        warmup,
        draws,
        chains,
        Mesh(np.array(jax.devices()[:1]), ("chains",)),
        jax.random.key(1),
        diagnostics=False,
    )[3]
    rows = np.asarray(jax.block_until_ready(ended.position), np.float64)
    answer = {"seconds": time.perf_counter() - began}
    answer["finite"] = float(np.isfinite(rows).all(axis=1).mean())
    rows = rows[np.isfinite(rows).all(axis=1)]
    if (out / "moments.npz").is_file() and len(rows) > 1:
        of_fit = np.load(out / "moments.npz")
        bias = (rows.mean(axis=0) - of_fit["mean"]) / of_fit["sd"]
        ratio = rows.std(axis=0) / of_fit["sd"]
        answer["bias_in_sd"] = [float(np.quantile(abs(bias), q)) for q in (0.5, 1)]
        answer["sd_over_fit"] = [float(np.quantile(ratio, q)) for q in (0, 0.5, 1)]
    return answer


def one_row(row: list[str], out: Path, is_small: bool) -> dict[str, Any]:
    """Measure a row in this process."""
    what, device, precision, *numbers = row
    chains, warmup, draws = (int(number) for number in numbers)
    from bench.jax_set_up import configure  # noqa: PLC0415
    from core.fit.devices import describe_device  # noqa: PLC0415

    configure(precision, device)
    import jax  # noqa: PLC0415

    from core.fit.settings import SamplerSettings  # noqa: PLC0415

    model = model_of(precision, is_small)
    if what == "gradient":
        answer = gradients(model, precision, out)
    elif what == "laps":
        answer = laps(model, [chains, warmup, draws], out)
    else:
        settings = SamplerSettings(
            chains=chains,
            warmup=warmup,
            draws=draws,
            precision=precision,
            device=device,
        )
        answer = whole_fit(model, settings, out)
    memory = jax.local_devices()[0].memory_stats() or {}
    about = {"on": describe_device(), "jax": jax.__version__}
    return answer | about | {"peak_bytes": memory.get("peak_bytes_in_use")}


def has_gpu() -> bool:
    """Whether JAX sees one, asked in another process."""
    ask = "import jax; print(jax.default_backend())"
    said = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True)
    return said.stdout.strip() == "gpu"


def main() -> None:
    """Measure the rows that there is time for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--budget", type=float, default=3600.0)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--row", nargs=6, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.row:
        answer = one_row(asked.row, asked.out, asked.small)
        print(json.dumps(answer))
        return
    asked.out.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + asked.budget
    rows = _ROWS
    if not has_gpu():
        print("no accelerator here: its rows are left out")
        rows = [row for row in _ROWS if row[1] == "cpu"]
    for row in rows:
        left = until - time.monotonic()
        if left < 20:
            print("no time left for", *row)
            continue
        command = [sys.executable, "-m", "bench.accelerator", str(asked.out), "--row"]
        command += [str(part) for part in row] + ["--small"] * asked.small
        line: dict[str, Any] = {"row": row}
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=min(left, 200)
            )
            ended = done.stdout.strip().splitlines()
            line |= json.loads(ended[-1]) if done.returncode == 0 else {}
            if done.returncode:
                line["error"] = done.stderr[-1500:]
        except subprocess.TimeoutExpired:
            line["error"] = f"cut after {min(left, 200):.0f} s"
        with (asked.out / "rows.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
