"""Meridian's full-funnel arithmetic at draws from the prior, in its own environment.

python bench/full_funnel_meridian.py geo_full_funnel_data.csv OUT.npz [DRAWS]

The same steps as `AnalyzerFullFunnel` of google-meridian's demo notebook on full-funnel
models, with Meridian's own functions: incremental KPI of the mediator's model, divided
by the mediator's scale, carried over by `adstock_hill_media` without saturation, times
the mediator's coefficient, plus the direct part; then in units of the outcome.
"""

import sys

import numpy as np
import pandas as pd
from meridian import backend
from meridian.analysis import analyzer
from meridian.data.data_frame_input_data_builder import DataFrameInputDataBuilder
from meridian.model import equations, model, spec

MEDIA = ("AwarenessVideo", "PerformanceDisplay", "PerformanceNative")
MEDIATOR, CONTROL = "BrandedGQV_control", "GenericGQV_control"


def fitted(frame, kpi, n_draws, seed, *, has_mediator):
    """A model with draws from its prior."""
    builder = DataFrameInputDataBuilder(kpi_type="non_revenue")
    builder = builder.with_kpi(frame, kpi).with_population(frame, "population")
    builder = builder.with_controls(frame, [CONTROL])
    builder = builder.with_media(
        frame,
        [f"{name}_impression" for name in MEDIA],
        [f"{name}_spend" for name in MEDIA],
        list(MEDIA),
    )
    saturation = "hill"
    if has_mediator:
        builder = builder.with_revenue_per_kpi(frame, "revenue_per_conversion")
        builder = builder.with_organic_media(frame, [MEDIATOR], [MEDIATOR])
        saturation = {MEDIATOR: "none"}
    options = spec.ModelSpec(knots=20, max_lag=8, saturation_spec=saturation)
    made = model.Meridian(input_data=builder.build(), model_spec=options)
    made.sample_prior(n_draws, seed=seed)
    return made


def by_cell(made, **options):
    """Incremental outcome of paid channels; draw geo time channel."""
    found = analyzer.Analyzer(meridian=made).incremental_outcome(
        use_posterior=False,
        aggregate_geos=False,
        aggregate_times=False,
        include_non_paid_channels=False,
        **options,
    )
    return np.asarray(found)[0]


def draws_of(made):
    """Draws of every variable of the prior, without their chain."""
    prior = made.inference_data.prior
    return {str(name): np.asarray(values)[0] for name, values in prior.items()}


frame = pd.read_csv(sys.argv[1])
n_draws = int(sys.argv[3]) if len(sys.argv) > 3 else 20
first = fitted(frame, MEDIATOR, n_draws, 1, has_mediator=False)
second = fitted(frame, "conversions", n_draws, 2, has_mediator=True)
caused, direct = by_cell(first, use_kpi=True), by_cell(second)
context, own = second.model_context, draws_of(second)
scale = np.asarray(context.get_media_scaling_factor(MEDIATOR))
alpha = np.repeat(own["alpha_om"][:, :1], len(MEDIA), axis=1)
carried = equations.ModelEquations(context).adstock_hill_media(
    media=backend.to_tensor(caused / scale[None, :, None, None]),
    alpha=backend.to_tensor(alpha),
    ec=backend.to_tensor(np.zeros_like(alpha)),
    slope=backend.to_tensor(np.ones_like(alpha)),
    decay_functions=context.get_channel_parameters(MEDIATOR).decay_spec,
    saturation_spec="none",
    n_times_output=caused.shape[2],
)
scaled = np.asarray(carried) * own["beta_gom"][:, :, None, :1]
through = analyzer.Analyzer(meridian=second).inverse_outcome(
    backend.to_tensor(scaled[None]),
    use_kpi=False,
    revenue_per_kpi=second.input_data.revenue_per_kpi.values,
)
np.savez_compressed(
    sys.argv[2],
    geos=np.asarray(second.input_data.geo.values, str),
    direct=direct,
    total=direct + np.asarray(through)[0],
    **{f"first/{name}": values for name, values in draws_of(first).items()},
    **{f"second/{name}": values for name, values in own.items()},
)
