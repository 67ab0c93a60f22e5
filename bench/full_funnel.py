"""Totals of a funnel beside Meridian's full-funnel arithmetic, draw by draw.

python -m bench.full_funnel geo_full_funnel_data.csv MERIDIAN.npz

MERIDIAN.npz is what `bench/full_funnel_meridian.py` wrote: the same draws go through
both, so that nothing but arithmetic can differ.
"""

import sys
from functools import partial

import jax
import numpy as np
import pandas as pd

jax.config.update("jax_enable_x64", True)

from core.analysis.incremental import treatment_outcome  # noqa: E402
from core.data.assemble import assemble  # noqa: E402
from core.data.mapping import ChannelColumns, ColumnMapping  # noqa: E402
from core.model.build import Model, build  # noqa: E402
from core.model.mediation.mediators import prefix, with_mediators  # noqa: E402
from core.model.spec import ChannelSpec, ModelSpec  # noqa: E402

MEDIA = ("AwarenessVideo", "PerformanceDisplay", "PerformanceNative")
MEDIATOR, CONTROL = "BrandedGQV_control", "GenericGQV_control"


def model_of(frame: pd.DataFrame, kpi: str, *, has_mediator: bool) -> Model:
    """A model of the table by preset meridian."""
    columns = [
        ChannelColumns(name, "media", media=f"{name}_impression", spend=f"{name}_spend")
        for name in MEDIA
    ]
    specs = [ChannelSpec(name) for name in MEDIA]
    if has_mediator:
        columns.append(ChannelColumns(MEDIATOR, "organic_media", media=MEDIATOR))
        specs.append(ChannelSpec(MEDIATOR, "organic_media", saturation="none"))
    mapping = ColumnMapping(
        "time",
        kpi,
        geo="geo",
        kpi_type="non_revenue",
        revenue_per_kpi="revenue_per_conversion" if has_mediator else None,
        population="population",
        controls=(CONTROL,),
        channels=tuple(columns),
    )
    options = ModelSpec(channels=tuple(specs), preset="meridian", knots=20, max_lag=8)
    return build(assemble(frame, mapping), options)


def draws_of(stored, which: str, start: str = "") -> dict[str, np.ndarray]:
    """Draws of the parameters of media, by our names."""
    stems = ("alpha", "ec", "slope", "beta_g")
    names = [stem + end for stem in stems for end in ("_m", "_om", "m", "om")]
    return {
        start + name: stored[f"{which}/{name}"]
        for name in names
        if f"{which}/{name}" in stored
    }


def totals(frame: pd.DataFrame, stored) -> tuple[np.ndarray, np.ndarray]:
    """Direct and total outcome of paid channels; draw geo time channel."""
    first = model_of(frame, MEDIATOR, has_mediator=False)
    second = model_of(frame, "conversions", has_mediator=True)
    whole = with_mediators(second, [(MEDIATOR, first)])
    draws = draws_of(stored, "second") | draws_of(stored, "first", prefix(0))
    found = []
    for model in (second, whole):
        outcome = partial(treatment_outcome, model.structure, model.arrays)
        each = np.asarray(jax.jit(jax.vmap(outcome))(draws))[:, : len(MEDIA)]
        found.append(np.moveaxis(each, 1, 3))
    return found[0], found[1]


def main() -> None:
    frame, stored = pd.read_csv(sys.argv[1]), np.load(sys.argv[2])
    # Geos as Meridian orders them, which draws by geo follow.
    by_geo = dict(list(frame.groupby("geo")))
    frame = pd.concat([by_geo[geo] for geo in stored["geos"].tolist()])
    for label, ours in zip(("direct", "total"), totals(frame, stored), strict=True):
        theirs = stored[label]
        sums = ours.sum(axis=(1, 2)), theirs.sum(axis=(1, 2))
        apart = np.abs(sums[0] / sums[1] - 1).max()
        cells = np.abs(ours - theirs).max() / np.abs(theirs).max()
        print(f"{label}: sums within {apart:.1e}, cells within {cells:.1e} of the top")
        print("  mean", ", ".join(f"{x:.4g}" for x in theirs.sum(axis=(1, 2)).mean(0)))


if __name__ == "__main__":
    main()
