"""A real Dask cluster in processes of its own, for tests."""

import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
_CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=3, threads_per_worker=1, processes=True,
                      dashboard_address=None, host="127.0.0.1",
                      resources={"GPU": 1, "MEMORY": 4e9}) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


@contextlib.contextmanager
def local_cluster():
    """The scheduler's address; three workers know the fake sampler."""
    environment = os.environ | {
        "MIXWRIGHT_TEST_WORKER": "fake_worker",
        "FAKE_BEHAVIOUR": "gate",
        "PYTHONPATH": f"{HERE.parents[1]}{os.pathsep}{HERE}",
        # LocalCluster gives up a worker that is away 15 s after it was killed: one
        # killed twice would be missing from then on.
        "DASK_DISTRIBUTED__DEPLOY__LOST_WORKER_TIMEOUT": "1 hour",
    }
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "local_cluster.py"
        script.write_text(_CLUSTER)
        process = subprocess.Popen(
            [sys.executable, str(script)],
            env=environment,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()
            process.wait(timeout=60)
            process.stdout.close()
