"""Seconds from the start of a process to its first draws, without and with the cache.

    python -m bench.first_draw      a minute

Three processes fit national_media, one after the other, with one folder of compiled
functions: empty, then filled by the first. Imports are counted.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

CHILD = """
import sys, time
from pathlib import Path
started = time.perf_counter()
from bench.jax_set_up import configure
configure("float32", "cpu", cache_dir=Path(sys.argv[1]))
from core.fit.fit import fit
from core.fit.settings import SamplerSettings
from core.model.build import build
from tests.parity.cases import read_case
from tests.reference import REFERENCE
from bench.cases import case, reference_folder
imported = time.perf_counter() - started
read = read_case(reference_folder(case(sys.argv[2])), REFERENCE / "data")
seen = {}
def look(progress):
    seen.setdefault(progress["phase"], time.perf_counter() - started)
settings = SamplerSettings(chains=4, draws=500, precision="float32", seed=1)
fit(build(read.data, read.spec, precision="float32"), settings, on_progress=look)
whole = time.perf_counter() - started
print(imported, seen.get("warmup", whole), seen.get("draws", whole), whole)
"""


def main() -> None:
    """Measure and print."""
    print("| process | imports | first iterations | first kept draws | posterior |")
    print("|---|---|---|---|---|")
    root = Path(__file__).parent.parent
    with TemporaryDirectory() as cache:
        for name in ("empty cache", "filled cache", "filled cache, again"):
            command = [sys.executable, "-c", CHILD, cache]
            done = subprocess.run(
                [*command, "national_media, 1 knot, float32"],
                cwd=root,
                capture_output=True,
                text=True,
                check=True,
            )
            seconds = [f"{float(one):.1f} s" for one in done.stdout.split()]
            print(f"| {name} | {' | '.join(seconds)} |", flush=True)


if __name__ == "__main__":
    main()
