"""Precision, devices and the compilation cache, each in a process of its own."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from core.fit.devices import no_word_of_the_cache, prune

ROOT = Path(__file__).resolve().parents[2]


def python(code: str, warnings: str = "error") -> dict:
    """What the code prints as JSON on its last line."""
    environment = {k: v for k, v in os.environ.items() if k != "XLA_FLAGS"}
    done = subprocess.run(
        [sys.executable, "-W", warnings, "-c", code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


SAMPLE = """
import json, sys, os
from pathlib import Path
from core.fit.devices import describe_device, single_threaded_blas
from core.jobs.worker import jax_environment
from core.store.run_about import RunSampler
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count={devices}"
os.environ |= jax_environment(RunSampler(precision={precision!r}, device="cpu"))
os.environ["JAX_COMPILATION_CACHE_DIR"] = {cache!r}
single_threaded_blas()
import numpy as np, jax
from core.fit.fit import sample
from core.fit.settings import SamplerSettings
hits = []
jax.monitoring.register_event_listener(
    lambda event, **about: hits.append(event) if "cache_hits" in event else None)
def density(x, args):
    return -0.5 * ((x - args) ** 2).sum()
settings = SamplerSettings(chains=3, warmup=50, draws=200, precision={precision!r})
draws = sample(density, np.arange(2).astype({precision!r}), 2, settings)
print(json.dumps(dict(
    dtype=str(draws.position.dtype), mean=draws.position.mean((0, 1)).tolist(),
    precision=jax.config.jax_default_matmul_precision,
    first=draws.position[:, 0].tolist(), devices=describe_device(), hits=len(hits),
    n=len(jax.local_devices()), threads=os.environ["OPENBLAS_NUM_THREADS"])))
"""


def run(precision="float32", cache="", devices=2, warnings="error") -> dict:
    code = SAMPLE.format(precision=precision, cache=cache, devices=devices)
    return python(code, warnings)


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_precision_and_devices(precision):
    told = run(precision)
    assert told["dtype"] == precision and told["n"] == 2
    assert told["devices"] == "2 x cpu" and told["threads"] == "1"
    # A GPU would take products of float32 with ten bits.
    assert told["precision"] == "highest"
    np.testing.assert_allclose(told["mean"], [0, 1], atol=0.25)


def test_cache_is_used_and_a_damaged_entry_ignored(tmp_path):
    first = run(cache=str(tmp_path), devices=1)
    second = run(cache=str(tmp_path), devices=1)
    assert first["hits"] == 0 and second["hits"] >= 1
    assert first["first"] == second["first"]
    for entry in tmp_path.iterdir():
        entry.write_bytes(entry.read_bytes()[:50])
    third = run(cache=str(tmp_path), devices=1, warnings="ignore")  # JAX warns
    assert third["hits"] == 0 and third["first"] == first["first"]


def test_prune_counts_a_file_of_two_names_once(tmp_path):
    (tmp_path / "one").write_bytes(bytes(100))
    (tmp_path / "other").hardlink_to(tmp_path / "one")
    (tmp_path / "third").write_bytes(bytes(100))
    prune(tmp_path, 200)
    assert len([*tmp_path.iterdir()]) == 3


def test_prune_removes_the_longest_unused(tmp_path):
    for age, name in enumerate("abcd"):
        (tmp_path / name).write_bytes(bytes(100))
        os.utime(tmp_path / name, (1e9 - age, 1e9 - age))
    prune(tmp_path, 250)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_a_cache_that_cannot_be_written_is_no_warning():
    said = "Error writing persistent compilation cache entry for 'jit_f': OSError: full"
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        no_word_of_the_cache()
        warnings.warn(said, stacklevel=1)
        warnings.warn("Something else", stacklevel=1)
    assert [str(each.message) for each in shown] == ["Something else"]
