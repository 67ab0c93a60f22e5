"""Draws shared out over cores: the same numbers, from as many devices as can."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

CODE = """
import json
from bench.jax_set_up import configure
configure("float64", "cpu", host_devices=4)
import jax, numpy as np
from core.analysis.incremental import on_cores, over_draws
found = []
for n, batch in ((128, 16), (96, 16), (20, 16), (5, None)):
    draws = {"a": np.linspace(0.1, 2.0, n * 3).reshape(n, 3), "b": np.arange(n) / n}
    weight = np.array([0.3, 1.7, 2.9])
    def both(weight, draws):
        of_draw = lambda draw: (weight * draw["a"] ** 1.3).sum() + draw["b"]
        return on_cores(of_draw, draws, batch), over_draws(of_draw, draws, batch)
    shared_out, alone = jax.jit(both)(weight, draws)
    places = {shard.index[0].start or 0 for shard in shared_out.addressable_shards}
    same = bool((np.asarray(shared_out) == np.asarray(alone)).all())
    found.append([n, len(places), same, shared_out.shape == (n,)])
print(json.dumps(found))
"""


def test_draws_are_shared_out_over_devices_and_come_back_in_order():
    environment = {k: v for k, v in os.environ.items() if k != "XLA_FLAGS"}
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    # Six batches on four devices: three have two each. What is not whole batches is
    # not shared out; one by one, five are five times one, which four cannot share.
    assert json.loads(done.stdout.splitlines()[-1]) == [
        [128, 4, True, True],
        [96, 3, True, True],
        [20, 1, True, True],
        [5, 1, True, True],
    ]
