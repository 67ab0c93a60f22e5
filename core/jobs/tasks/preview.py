"""What a fit at work already says: its preview, and what is sampled before the rest."""

import logging
import time
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from core.analysis.draws import flat_draws
from core.analysis.response.curves import response_curves
from core.analysis.returns import returns
from core.errors import MMMError
from core.estimate import estimate
from core.fit.diagnostics import Verdict
from core.fit.netcdf import write_netcdf
from core.fit.start.preview import Preview
from core.model.build import Model
from core.plan.plan import plan
from core.plan.record.plan_record import as_dict
from core.plan.response.curves import response_curves as curves_of
from core.plan.scenario.scenario import scenario
from core.project.fits.previews import write_preview

_LOG = logging.getLogger(__name__)
_MEASURES = {
    "roi": "roi",
    "mroi": "mroi",
    "contribution": "incremental_outcome",
    "contribution_share": "contribution",
}


def keep_preview(
    run: Path, model: Model, preview: Preview, attributes: dict[str, Any]
) -> None:
    """Work out what the screen shows of a preview, and write it.

    Args:
        run: The run's folder.
        model: Its model.
        preview: The approximate posterior.
        attributes: What every view model says about its numbers.
    """
    started = time.monotonic()
    draws = flat_draws(preview.posterior)
    channels = returns(model, draws)
    curves = response_curves(model, draws).assign_attrs(attributes)
    content = attributes | {
        "method": "Laplace approximation at the mode",
        "k_hat": preview.k_hat if np.isfinite(preview.k_hat) else None,
        "is_rough": preview.is_rough,
        "n_modes": preview.n_modes,
        "channels": [_row(channels.isel(channel=i)) for i in range(_n(channels))],
        "plan": _best_split(curves),
    }
    with write_preview(run, content) as folder:
        write_netcdf(curves, folder / "curves.nc")
    _LOG.info("preview: k-hat %.2f, %.1f s", preview.k_hat, time.monotonic() - started)


def keep_sampled(
    run: Path, channels: xr.Dataset, verdict: Verdict, attributes: dict[str, Any]
) -> None:
    """Write what sampling says, in place of the preview, while the rest is worked out.

    Args:
        run: The run's folder.
        channels: What `core.analysis.returns.returns` gives.
        verdict: On the sampling.
        attributes: What every view model says about its numbers.
    """
    content = attributes | {
        "method": "sampled",
        "sampling": verdict.as_dict(),
        "channels": [_row(channels.isel(channel=i)) for i in range(_n(channels))],
    }
    try:
        with write_preview(run, content):
            pass
    except Exception:  # it is a courtesy: the result says the same
        _LOG.warning("Nothing is shown before the result.", exc_info=True)


def _n(channels: xr.Dataset) -> int:
    return channels.sizes["channel"]


def _row(channel: xr.Dataset) -> dict[str, Any]:
    """One channel as summary.json has it."""
    spend = float(channel["spend"])
    row = {
        "name": str(channel["channel"].item()),
        "kind": str(channel["kind"].item()),
        "spend": None if np.isnan(spend) else spend,
    }
    return row | {
        key: estimate(channel[name].to_numpy()) for key, name in _MEASURES.items()
    }


def _best_split(curves: xr.Dataset) -> dict[str, Any] | None:
    """The best split of the budget that ran within default limits, if there is one."""
    try:
        stored = curves_of(curves)
        split = as_dict(plan(stored, scenario(stored)).record)
    except MMMError as error:
        _LOG.info("no split in the preview: %s", error.message)
        return None
    return {key: split[key] for key in ("budget", "channels", "gain", "outcome")}
