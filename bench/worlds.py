"""Fits on the worlds of another tool: each breaks one assumption, and knows its truth.

    pip install --no-deps --target out/worlds -r bench/requirements-worlds.txt
    python -m bench.worlds --package out/worlds     16 worlds, writes bench/WORLDS.md

The worlds are those of mmm-framework 1.5.0 (Apache-2.0), mmm_framework/synth/dgp.py,
which needs NumPy and pandas only and is read where pip put it (with Python 3.11 add
--ignore-requires-python). Every channel pulses over a small level that never stops.
Fitted with defaults, 2 chains of 400; the seeds are our own.
"""

import argparse
import importlib.util
import json
import sys
from datetime import date
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

from bench.jax_set_up import configure

configure("float32", "cpu", host_devices=1)

from bench.truth import interval_score  # noqa: E402
from core.analysis.checking.quality import quality  # noqa: E402
from core.analysis.draws import flat_draws  # noqa: E402
from core.analysis.learning.belief import judged  # noqa: E402
from core.analysis.learning.evidence import with_evidence  # noqa: E402
from core.analysis.returns import returns  # noqa: E402
from core.data.input_data import InputData, Treatments  # noqa: E402
from core.fit.fit import fit  # noqa: E402
from core.fit.settings import SamplerSettings  # noqa: E402
from core.model.build import build  # noqa: E402
from core.model.spec import ChannelSpec, ModelSpec  # noqa: E402

SETTINGS = SamplerSettings(chains=2, warmup=400, draws=400, seed=1)
SEED = 2700
WORLDS = (
    "clean",
    "unobserved_confounding",
    "reverse_causality",
    "multicollinearity",
    "adstock_misspec",
    "saturation_misspec",
    "time_varying_beta",
    "heavy_tailed_noise",
    "synergy",
    "spend_outliers",
    "mixed_data_errors",
    "trend_break",
    "seasonality_misspec",
    "dense_controls",
    "economic_health",
    "realistic",
)


def worlds_of(package: Path):
    """The module of the package that makes worlds, without the rest of it."""
    place = package / "mmm_framework" / "synth" / "dgp.py"
    wanted = importlib.util.spec_from_file_location("dgp", place)
    module = importlib.util.module_from_spec(wanted)
    sys.modules["dgp"] = module  # its dataclasses look themselves up
    wanted.loader.exec_module(module)
    return module


def table_of(world) -> InputData:
    """A world's data as somebody would fit it."""
    spend = world.spend.to_numpy(float)[None]
    times = world.weeks.to_numpy().astype("datetime64[D]")
    return InputData(
        geos=("national",),
        times=times,
        media_times=times,
        kpi=world.y.to_numpy(float)[None],
        kpi_type="revenue",
        revenue_per_kpi=None,
        population=np.ones(1),
        controls=world.controls.to_numpy(float)[None],
        control_names=tuple(world.controls.columns),
        media=Treatments(tuple(world.spend.columns), spend, spend=spend),
    )


def measured(world) -> dict:
    """What the default fit says of a world, beside its truth."""
    data = table_of(world)
    spec = ModelSpec(tuple(ChannelSpec(name) for name in data.media.names))
    model = build(data, spec, precision="float32")
    fitted = fit(model, SETTINGS)
    roi = returns(model, flat_draws(fitted.posterior))["roi"].to_numpy()
    lo, hi = np.quantile(roi, [0.05, 0.95], axis=0)
    truth = world.true_roas.to_numpy(float)
    seed = SETTINGS.seed
    _, _, left = quality(model, fitted.posterior, seed)
    rows = {"channels": [{"name": name} for name in data.media.names]}
    rows = with_evidence(rows, model, fitted.posterior)
    said = judged(
        fitted.verdict,
        model,
        fitted.posterior,
        rows,
        left,
        kpi="Sales",
        seed=seed,
    )
    return {
        "world": world.name,
        "channels": list(data.media.names),
        "covered": ((lo <= truth) & (truth <= hi)).tolist(),
        "score": interval_score(lo, hi, truth).tolist(),
        "roi": np.quantile(roi, [0.05, 0.5, 0.95], axis=0).T.tolist(),
        "truth": truth.tolist(),
        "fired": list(said.contradictions),
        "notes": list(said.notes),
    }


def row(found: dict) -> str:
    """One line of the table."""
    channels = [
        f"{name} {middle:.2f} ({low:.2f} – {high:.2f}), true {truth:.2f}"
        + ("" if covered else " **missed**")
        for name, (low, middle, high), truth, covered in zip(
            *(found[key] for key in ("channels", "roi", "truth", "covered")),
            strict=True,
        )
    ]
    fired = " ".join([*found["fired"], *found["notes"]]) or "–"
    return (
        f"| {found['world']} | {sum(found['covered'])} of {len(channels)} | "
        f"{np.mean(found['score']):.2f} | {'; '.join(channels)} | {fired} |"
    )


HEAD = """| world | held | interval score | ROI and its 90 % interval | reasons and \
notes |
|---|---|---|---|---|"""


def chance(held: int, n: int) -> str:
    """The 95 % interval of a share by Clopper and Pearson."""
    found = binomtest(held, n).proportion_ci()
    return f"{found.low:.0%} to {found.high:.0%}"


def report(found: list[dict], first: int = SEED) -> str:
    """The page.

    Args:
        found: What `measured` gives of each world.
        first: First seed.
    """
    covered = [one for each in found for one in each["covered"]]
    score = np.mean([one for each in found for one in each["score"]])
    return "\n".join(
        [
            "# Worlds of another tool\n",
            "Written by `python -m bench.worlds`; where the worlds come from is in "
            f"bench/worlds.py. {date.today()}, defaults, {SETTINGS.chains} chains of "
            f"{SETTINGS.draws}, seeds from {first}. What sampling alone would say of "
            "so few draws is left out.\n",
            f"90 % intervals hold {sum(covered)} of {len(covered)} ROIs "
            f"({np.mean(covered):.0%}, by chance "
            f"{chance(sum(covered), len(covered))}); interval score {score:.2f}.\n",
            HEAD,
            *map(row, found),
            "",
        ]
    )


def main() -> None:
    """Fit every world; each answer is kept at once in --keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--package", type=Path, default=Path("out/worlds"))
    parser.add_argument("--first", type=int, default=SEED, help="first seed")
    parser.add_argument("--keep", type=Path, help="answers so far, to continue from")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "WORLDS.md")
    options = parser.parse_args()
    made, found = worlds_of(options.package), []
    if options.keep and options.keep.exists():
        found = [json.loads(line) for line in options.keep.read_text().splitlines()]
    for place, name in enumerate(WORLDS):
        if place < len(found):
            continue
        found.append(measured(made.build(name, options.first + place)))
        if options.keep:
            with options.keep.open("a") as file:
                file.write(json.dumps(found[-1]) + "\n")
        print(row(found[-1]), flush=True)
    options.out.write_text(report(found, options.first))


if __name__ == "__main__":
    main()
