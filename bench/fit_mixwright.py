"""One fit, measured from the call to the posterior in memory. A process of its own.

python -m bench.fit_mixwright CASE OUT.npz [SEED]
"""

import json
import resource
import sys
import time

started = time.perf_counter()

import numpy as np  # noqa: E402

from bench.cases import Case, case, reference_folder  # noqa: E402
from bench.jax_set_up import configure  # noqa: E402

given: Case = case(sys.argv[1])
configure(given.precision, "cpu")

from bench.large import country_market, large_market  # noqa: E402
from core.fit.fit import fit  # noqa: E402
from core.fit.settings import SamplerSettings  # noqa: E402
from core.model.build import build  # noqa: E402
from core.model.priors.prior import prior  # noqa: E402
from tests.parity.cases import read_case  # noqa: E402
from tests.reference import REFERENCE  # noqa: E402

imported = time.perf_counter() - started


def market():
    """Data and options."""
    if not given.reference:
        return country_market() if given.is_country else large_market()
    read = read_case(reference_folder(given), REFERENCE / "data")
    return read.data, read.spec


def measured(data, spec, seed: int):
    """Seconds, compilations and the fit."""
    settings = SamplerSettings(
        chains=given.chains, draws=given.draws, precision=given.precision, seed=seed
    )
    begun = time.perf_counter()
    fitted = fit(build(data, spec, precision=given.precision), settings)
    return time.perf_counter() - begun, fitted


data, spec = market()
seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
seconds, fitted = measured(data, spec, seed)
told = {
    "seconds": seconds,
    "import": imported,
    "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    "compilations": fitted.draws.compilations,
    "steps_per_draw": float(np.mean(fitted.draws.n_steps)),
    "parts": fitted.draws.seconds,
    "notes": fitted.draws.notes,
    "verdict": fitted.verdict.status,
}
if given.reference.startswith("national"):
    from dataclasses import replace

    channels = tuple(
        replace(one, prior=prior("LogNormal", loc=0.5, scale=0.7))
        for one in spec.channels
    )
    again, second = measured(data, replace(spec, channels=channels), seed + 1)
    told |= {"second_call": again, "second_compilations": second.draws.compilations}
posterior = {str(name): value.to_numpy() for name, value in fitted.posterior.items()}
np.savez(sys.argv[2], **posterior)
print(json.dumps(told))
