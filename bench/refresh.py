"""Refreshes of the reference data: does the reweighted answer agree with the fit?

    python -m bench.refresh [--data FOLDER] [--cold] [--out FILE]

The last weeks of each market are held back and come four at a time. Every time the
draws of the last fit are reweighted, the fit starts where the last one ended, and both
are compared as `compare` does. `--cold` fits each state from scratch as well.
"""

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

import numpy as np

from core.jobs.worker import jax_environment
from core.store.run_about import RunSampler

#: Markets, and how often four weeks are added.
MARKETS = {"national_media": 4, "national_all_channels": 3, "geo_media": 3}
_WEEKS = 4


def main() -> None:
    """Refresh every market and print one line of JSON per refresh."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("REFERENCE_DATA", "reference"))
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--markets", nargs="*", default=list(MARKETS))
    parser.add_argument("--out", default="out/refresh.jsonl")
    options = parser.parse_args()
    settings = RunSampler(precision="float32", device="cpu")
    os.environ.update(jax_environment(settings))
    Path(options.out).parent.mkdir(parents=True, exist_ok=True)
    with open(options.out, "a") as file:
        for name in options.markets:
            path = Path(options.data) / f"{name}.csv"
            for told in refreshes(path, MARKETS[name], is_cold=options.cold):
                line = json.dumps(told)
                print(line, flush=True)
                file.write(f"{line}\n")
                file.flush()


def refreshes(path: Path, n: int, *, is_cold: bool):
    """One market: a fit, then n refreshes; a plain object for each of them."""
    from core.analysis.refreshing.reweighted import reweighted, reweighted_channels
    from core.data.files.load import load_table
    from core.data.recognition.recognise import guess_mapping
    from core.fit.sampling.warm_start import read_warm_start
    from core.fit.settings import SamplerSettings
    from core.plan.comparison import agreement, differences
    from core.project.settings.defaults import default_spec

    frame = load_table(path, path.name)
    mapping = guess_mapping(frame)
    spec, settings = default_spec(mapping), SamplerSettings()
    times = np.unique(frame[mapping.time].astype(str))
    warm, earlier, rows = None, None, []
    for step in range(n + 1):
        last = times[len(times) - 1 - _WEEKS * (n - step)]
        part = frame[frame[mapping.time].astype(str) <= last].reset_index(drop=True)
        model = _model(part, mapping, spec)
        told = {"market": path.stem, "to": str(last)}
        fast = None
        if warm is not None:
            clocks = time.perf_counter(), time.process_time()
            found = reweighted(model, earlier, warm)
            told |= {"k_hat": found.k_hat, "draws": found.size}
            if not found.is_rough:
                fast = reweighted_channels(model, found)
            told |= {"fast": _seconds(clocks)}
        with tempfile.TemporaryDirectory() as folder:
            before, rows, seconds = rows, *_fit(model, settings, warm, Path(folder))
            earlier = model
            if step == 0:
                warm = read_warm_start(Path(folder))
                continue
            if is_cold:
                cold, told["cold"] = _fit(model, settings, None, None)
                told["warm_is_cold"] = _said(agreement, differences, rows, cold)
            warm = read_warm_start(Path(folder))
        told |= {"warm": seconds, "moved": _moved(before, rows)}
        told["agrees"] = fast and _said(agreement, differences, fast, rows)
        yield told


def _model(part, mapping, spec):
    from core.data.assemble import assemble
    from core.model.build import build

    return build(assemble(part, mapping), spec, precision="float32")


def _fit(model, settings, warm, checkpoint):
    from core.fit.fit import fit
    from core.jobs.tasks.refresh_run import channel_rows

    clocks = time.perf_counter(), time.process_time()
    fitted = fit(model, settings, warm=warm, checkpoint=checkpoint)
    seconds = _seconds(clocks) | {
        "ess": float(np.nanmin(fitted.table.ess_bulk)),
        "warmup": fitted.draws.n_warmup,
        "steps": float(fitted.draws.n_steps.mean()),
    }
    return channel_rows(model, fitted.posterior), seconds


def _seconds(clocks) -> dict[str, float]:
    return {
        "wall": round(time.perf_counter() - clocks[0], 2),
        "processor": round(time.process_time() - clocks[1], 2),
    }


def _said(agreement, differences, one, other) -> dict:
    """Whether two lists of channels are the same within Monte-Carlo error."""
    told = agreement(differences({"channels": one}, {"channels": other}).values())
    largest = told.largest.units if told.largest else 0.0
    worst = max(
        (abs(each.difference) / each.spread for each in told.beyond if each.spread),
        default=0.0,
    )
    return {
        "same": not told.beyond,
        "n": told.n,
        "limit": round(told.limit, 2),
        "largest": round(largest, 2),
        "worst_sd": round(worst, 3),
    }


def _moved(before, rows) -> float:
    """The largest move of an ROI, in standard deviations of before."""
    olds = {row["name"]: row["roi"] for row in before}
    return round(
        max(
            abs(row["roi"]["mean"] - olds[row["name"]]["mean"])
            / olds[row["name"]]["sd"]
            for row in rows
            if (row["roi"] or {}).get("sd")
        ),
        3,
    )


if __name__ == "__main__":
    main()
