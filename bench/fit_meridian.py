"""One fit with Meridian, measured the same way. Runs in an environment of its own.

python bench/fit_meridian.py CASE.json DATA.csv CHAINS DRAWS ADAPT BURNIN SEED OUT.npz
"""

import json
import resource
import sys
import time

started = time.perf_counter()

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from meridian.data.data_frame_input_data_builder import (  # noqa: E402
    DataFrameInputDataBuilder,
)
from meridian.model import model, prior_distribution, spec  # noqa: E402
from tensorflow_probability.substrates import jax as tfp  # noqa: E402

imported = time.perf_counter() - started

about = json.loads(open(sys.argv[1]).read())
chains, draws, adapt, burnin, seed = map(int, sys.argv[3:8])
frame = pd.read_csv(sys.argv[2])
columns, options = about["columns"], about["spec"]
kpi_type = columns["kpi_type"]
builder = DataFrameInputDataBuilder(kpi_type=kpi_type)
builder = builder.with_kpi(frame, columns["kpi"])
if columns["revenue_per_kpi"]:
    builder = builder.with_revenue_per_kpi(frame, columns["revenue_per_kpi"])
if columns["population"]:
    builder = builder.with_population(frame, columns["population"])
builder = builder.with_controls(frame, columns["controls"])
builder = builder.with_media(
    frame,
    [one["media"] for one in columns["media"]],
    [one["spend"] for one in columns["media"]],
    [one["channel"] for one in columns["media"]],
)
data = builder.build()


def measured(prior, seed):
    begun = time.perf_counter()
    given = spec.ModelSpec(knots=options["knots"], max_lag=options["max_lag"])
    if prior is not None:
        given = spec.ModelSpec(
            prior=prior, knots=options["knots"], max_lag=options["max_lag"]
        )
    fitted = model.Meridian(input_data=data, model_spec=given)
    fitted.sample_posterior(
        n_chains=chains, n_adapt=adapt, n_burnin=burnin, n_keep=draws, seed=seed
    )
    return time.perf_counter() - begun, fitted


seconds, fitted = measured(None, seed)
told = {
    "seconds": seconds,
    "import": imported,
    "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
}
posterior = fitted.inference_data.posterior
np.savez(sys.argv[8], **{str(k): v.to_numpy() for k, v in posterior.items()})
if options["knots"] is None:
    roi = tfp.distributions.LogNormal(0.5, 0.7, name="roi_m")
    again, _ = measured(prior_distribution.PriorDistribution(roi_m=roi), seed + 1)
    told["second_call"] = again
print(json.dumps(told))
