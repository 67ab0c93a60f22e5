"""Compare: every quantity of a reference case recomputed, and the largest errors."""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from core.analysis.incremental import (
    expected_outcome,
    incremental_outcome,
    scaled_expected_kpi,
    treatment_outcome,
)
from core.analysis.multiples import response
from core.analysis.response.frequency import frequencies
from core.analysis.returns import returns, spend_of
from core.analysis.summary import accuracy_sets
from core.model.build import Model, build
from core.model.latents import log_prior
from core.model.media.treatments import media_transformed
from core.model.reconstruct import posterior_variables
from tests.given_latents import log_likelihood
from tests.other_media import media_times_frequency, media_without
from tests.parity.cases import Case
from tests.parity.relative_error import baseline_terms, relative_error, resolved

Errors = dict[str, float]


class Comparison:
    """The recomputed quantities of one case, one method per group."""

    def __init__(self, case: Case, precision: str):
        self.case, self.expected = case, case.expected
        self.model: Model = build(case.data, case.spec, precision=precision)
        structure, arrays = self.model.structure, self.model.arrays
        dtype = arrays.kpi.dtype
        self.latents = {
            latent.name: jnp.asarray(case.draws[latent.name], dtype)
            for latent in structure.latents
        }
        self.draws = self.over(posterior_variables, draws=self.latents)

    def over(self, function: Callable, *given, draws=None) -> np.ndarray:
        """A function of one draw and what else is given, for all draws."""
        mapped = _over_draws(
            function,
            self.model.structure,
            self.model.arrays,
            draws or self.draws,
            given,
        )
        return jax.tree.map(np.asarray, mapped)

    def errors(self) -> Errors:
        """Largest relative error of each group of quantities."""
        result = self.density() | self.data() | self.outcomes() | self.selections()
        if len(self.case.data.reach_frequency):
            result |= self.frequency()
        return result

    def density(self) -> Errors:
        expected = self.expected
        joint, likelihood, prior = self.over(_densities, draws=self.latents)
        parts = {
            name.removeprefix("log_prior_parts/"): value
            for name, value in expected.items()
            if name.startswith("log_prior_parts/")
        }
        missing = sorted(set(parts) - set(prior))
        total = sum(np.asarray(value, np.float64) for value in prior.values())
        worst = max(relative_error(prior[name], parts[name]) for name in prior)
        derived = [
            relative_error(self.draws[name], self.case.draws[name])
            for name in self.draws
            if name in self.case.draws
        ]
        return {
            "log_joint": relative_error(joint, expected["log_joint"]),
            "log_likelihood": relative_error(likelihood, expected["log_likelihood"]),
            "log_prior": float("inf")
            if missing
            else max(worst, relative_error(total, expected["log_prior"])),
            "parameters": max(derived),
        }

    def data(self) -> Errors:
        model, expected = self.model, self.expected
        raw = self.case.raw
        transformed = self.over(_transformed)[: raw["n_draws_media_transformed"]]
        y_pred = self.over(scaled_expected_kpi)[: raw["n_draws_y_pred"]]
        terms = baseline_terms(self.case)
        scaled = [
            relative_error(model.arrays.kpi, expected["kpi_scaled"]),
            relative_error(model.knots, expected["knot_locations"]),
            relative_error(
                model.arrays.baseline.knot_weights, expected["knot_weights"]
            ),
        ]
        if model.structure.n_controls:
            scaled.append(
                relative_error(
                    model.arrays.baseline.controls, expected["controls_scaled"]
                )
            )
        return {
            "scaled data": max(scaled),
            "media transformed": relative_error(
                transformed, expected["media_transformed"]
            ),
            "y_pred": relative_error(
                y_pred, expected["y_pred"], resolved(model.arrays.kpi.dtype, terms)
            ),
        }

    def outcomes(self) -> Errors:
        expected, raw = self.expected, self.case.raw
        given = returns(self.model, self.draws)
        n_paid, n_carry = (
            len(raw["channels"]["paid"]),
            len(raw["channels"]["adstocked"]),
        )
        cells = self.over(incremental_outcome)
        by_geo = np.moveaxis(cells.sum(axis=3), 1, 2)
        by_time = np.moveaxis(cells.sum(axis=2), 1, 2)
        n_by_time = len(expected["incremental_outcome_by_time"])
        multipliers = jnp.asarray(expected["multipliers"], self.model.arrays.kpi.dtype)
        value, _ = self.over(response, multipliers)
        paid = slice(0, n_paid)
        return {
            "incremental outcome": max(
                relative_error(
                    given["incremental_outcome"], expected["incremental_outcome"]
                ),
                relative_error(by_geo, expected["incremental_outcome_by_geo"]),
                relative_error(
                    by_time[:n_by_time], expected["incremental_outcome_by_time"]
                ),
            ),
            "expected outcome": max(
                relative_error(given["expected_outcome"], expected["expected_outcome"]),
                relative_error(given["baseline_outcome"], expected["baseline_outcome"]),
            ),
            "contribution": relative_error(
                100 * given["contribution"], expected["contribution_pct"]
            ),
            "ROI": relative_error(given["roi"][:, paid], expected["roi"]),
            "marginal ROI": relative_error(given["mroi"][:, paid], expected["mroi"]),
            "CPIK": relative_error(given["cpik"][:, paid], expected["cpik"]),
            "effectiveness": relative_error(
                given["effectiveness"][:, :n_carry], expected["effectiveness"]
            ),
            "multipliers": relative_error(
                np.moveaxis(value[:, paid], 2, 0),
                expected["incremental_outcome_multipliers"],
            ),
            "accuracy": self.accuracy(),
        }

    def accuracy(self) -> float:
        zero = self.model.scale.mean / self.model.scale.std
        mean = self.over(expected_outcome, zero).mean(axis=0, dtype=np.float64)
        data = self.model.data
        is_seen = np.asarray(self.model.arrays.is_seen)
        sets = accuracy_sets(data.outcome, mean, is_seen)
        granularities = ("national",) if data.is_national else ("geo", "national")
        rows = [[one[name][:3] for name in granularities] for one in sets.values()]
        ours = np.array(rows).reshape(self.expected["predictive_accuracy"].shape)
        return relative_error(ours, self.expected["predictive_accuracy"])

    def selections(self) -> Errors:
        data, raw = self.model.data, self.case.raw
        last = np.isin(data.times.astype(str), raw["selected_times_last26"])
        in_last = np.broadcast_to(last, data.kpi.shape).astype(float)
        result = {"selected dates": self._where("last26", in_last)}
        low, high = raw["media_selected_times_first78"]
        dates = data.media_times.astype(str)
        off = media_without(self.model, (dates >= low) & (dates <= high))
        executed = self.over(_executed, off)
        result["selected media"] = relative_error(
            executed, self.expected["media_first78/incremental_outcome"]
        )
        if raw["selected_geos"]:
            inside = np.isin(data.geos, raw["selected_geos"])[:, None]
            in_geos = np.broadcast_to(inside, data.kpi.shape).astype(float)
            result["selected geos"] = max(
                self._where("geo_subset", in_geos),
                self._where("geo_subset_last26", in_geos * in_last),
            )
        return result

    def _where(self, prefix: str, cells: np.ndarray) -> float:
        given = returns(self.model, self.draws, where=cells)
        errors = []
        for name, value in self.expected.items():
            if name.rpartition("/")[0] != prefix:
                continue
            ours = given[name.rpartition("/")[2]]
            if name.endswith(("/roi", "/mroi", "/cpik")):
                ours = ours[:, : value.shape[1]]
            errors.append(relative_error(ours, value))
        return max(errors)

    def frequency(self) -> Errors:
        model, expected = self.model, self.expected
        group = next(one for one in model.structure.groups if one.suffix == "rf")
        start = len(model.data.media)
        paid = slice(start, start + group.n_channels)
        base = self.over(_totals)[:, paid]
        spend = spend_of(model)[paid]
        more = self.over(_totals, media_times_frequency(model, group, 1.01))[:, paid]
        marginal = (more - base) / (0.01 * spend)
        by_frequency = [
            self.over(_totals, media_times_frequency(model, group, float(k)))[:, paid]
            for k in expected["multipliers"]
        ]
        names = list(getattr(model.data, group.kind).names)
        view = frequencies(model, self.draws).sel(channel=names)
        roi = (view["outcome"] / view["spend"]).to_numpy().T
        theirs = expected["incremental_outcome_multipliers_by_frequency"]
        return {
            "frequency": max(
                relative_error(marginal, expected["mroi_by_frequency"][:, paid]),
                relative_error(by_frequency, theirs[:, :, paid]),
            ),
            "optimal frequency": max(
                relative_error(view["frequency"], expected["optimal_frequency/grid"]),
                relative_error(roi, expected["optimal_frequency/roi_mean"]),
                relative_error(view["best"], expected["optimal_frequency/optimal"]),
            ),
        }


@partial(jax.jit, static_argnums=(0, 1))
def _over_draws(function, structure, arrays, draws, given):
    """Compiled once for each function and structure, whatever is given."""
    return jax.vmap(lambda draw: function(structure, arrays, draw, *given))(draws)


def _densities(structure, arrays, latents):
    prior = log_prior(structure.latents, latents, arrays.priors)
    likelihood = log_likelihood(structure, arrays, latents)
    return sum(prior.values()) + likelihood, likelihood, prior


def _transformed(structure, arrays, draw):
    parts = [
        media_transformed(
            group,
            arrays.groups[group.suffix].media,
            arrays.groups[group.suffix],
            draw,
            structure.n_times,
        )
        for group in structure.groups
    ]
    return jnp.moveaxis(jnp.concatenate(parts), 0, 2)


def _totals(structure, arrays, draw, media=None):
    return treatment_outcome(structure, arrays, draw, media).sum(axis=(1, 2))


def _executed(structure, arrays, draw, media_off):
    """Outcome of the media that `media_off` lacks."""
    ran = treatment_outcome(structure, arrays, draw)
    return (ran - treatment_outcome(structure, arrays, draw, media_off)).sum(
        axis=(1, 2)
    )
