"""Convergence figures against arviz-stats called one scalar at a time; the verdict."""

from dataclasses import replace

import numpy as np
import pytest
from arviz_stats.base import array_stats

from core.fit.convergence import diagnostics_table
from core.fit.diagnostics import verdict
from core.fit.draws import Draws
from core.text.parameters import scalar_name


def chains(n_chains=4, n_draws=400, shape=(), correlation=0.5, seed=0) -> np.ndarray:
    """Autoregressive chains of unit variance."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(n_draws, n_chains, *shape))
    x = np.empty_like(noise)
    x[0] = noise[0]
    for i in range(1, n_draws):
        x[i] = correlation * x[i - 1] + np.sqrt(1 - correlation**2) * noise[i]
    return np.moveaxis(x, 1, 0)


def sampled(n_divergences=0, n_modes=1, shape=(4, 400)) -> Draws:
    diverging = np.zeros(shape, bool)
    diverging.flat[:n_divergences] = True
    zero = np.zeros(shape)
    return Draws(
        position=zero[:, :, None],
        log_density=zero,
        energy=zero,
        acceptance_rate=zero,
        n_steps=zero,
        diverging=diverging,
        step_size=np.ones(shape[0]),
        metric_sd=np.ones(1),
        n_modes=n_modes,
    )


@pytest.mark.parametrize("n_draws", [400, 401])
@pytest.mark.parametrize("n_chains", [2, 4])
def test_figures_are_those_of_arviz(n_chains, n_draws):
    a = chains(n_chains, n_draws, (2, 3))
    b = chains(n_chains, n_draws, seed=1).round(1)  # with ties
    b[0] += 0.3
    table = diagnostics_table({"a": a, "b": b})
    scalars = [*np.moveaxis(a.reshape(n_chains, n_draws, -1), 2, 0), b]
    for row, x in enumerate(scalars):
        assert table.rhat[row] == pytest.approx(array_stats.rhat(x), abs=1e-12)
        bulk, tail = (
            array_stats.ess(x, method="bulk"),
            array_stats.ess(x, method="tail", prob=(0.05, 0.95)),
        )
        assert table.ess_bulk[row] == pytest.approx(bulk, rel=1e-10)
        assert table.ess_tail[row] == pytest.approx(tail, rel=1e-10)
        assert table.mean[row] == pytest.approx(x.mean())
    assert [table.label(row) for row in (0, 5, 6)] == ["a[0, 0]", "a[1, 2]", "b"]


@pytest.mark.parametrize("n_draws", [4, 6, 9, 50])
@pytest.mark.parametrize("correlation", [-0.7, 0.5, 0.99])
def test_figures_are_those_of_arviz_of_chains_that_mix_badly(n_draws, correlation):
    apart = chains(4, n_draws, correlation=correlation)
    apart[0] += 9.0
    few = chains(4, n_draws, correlation=correlation, seed=1).round()  # mostly ties
    still = chains(4, n_draws, correlation=correlation, seed=2)
    still[2] = 0.5
    draws = {"apart": apart, "few": few, "still": still}
    table = diagnostics_table(draws)
    for row, x in enumerate(draws.values()):
        bulk = array_stats.ess(x, method="bulk")
        tail = array_stats.ess(x, method="tail", prob=(0.05, 0.95))
        assert table.rhat[row] == pytest.approx(array_stats.rhat(x), rel=1e-12)
        assert table.ess_bulk[row] == pytest.approx(bulk, rel=1e-12)
        assert table.ess_tail[row] == pytest.approx(tail, rel=1e-12)


def test_constants_have_no_row_and_no_numbers_are_told():
    x = chains(shape=(3,))
    x[:, :, 1] = 2.0
    x[0, 5, 2] = np.nan
    table = diagnostics_table({"x": x, "slope_m": np.ones((4, 400, 2))})
    assert [table.label(row) for row in range(len(table))] == ["x[0]"]
    assert table.not_finite == ("x[2]",)
    told = verdict(table, sampled())
    assert told.status == "failed" and "x[2] has draws that are not numbers" in str(
        told.reasons
    )


def test_nothing_varies():
    table = diagnostics_table({"x": np.ones((4, 10))})
    told = verdict(table, sampled())
    assert told.status == "trustworthy" and told.as_dict()["rhat_max"] is None


def test_trustworthy():
    told = verdict(diagnostics_table({"x": chains(n_draws=1000)}), sampled())
    assert told.status == "trustworthy" and told.reasons == ()
    assert told.rhat_max < 1.01 and told.worst_parameter == "x"


def test_too_few_draws_are_doubtful_and_say_how_many_to_make():
    table = diagnostics_table({"ok": chains(seed=2), "x": chains(correlation=0.9)})
    told = verdict(table, sampled())
    assert told.status == "doubtful"
    (reason,) = told.reasons
    assert reason.startswith(f"Run {told.draws_wanted:,} draws instead of 400: x has ")
    for problem in ("x has R-hat 1.0", "effective bulk draws (at", "tail draws (at"):
        assert problem in reason


def test_too_few_draws_are_one_sentence_beside_one_without_a_size():
    """A scalar that does not vary in the tails has no effective size there."""
    table = diagnostics_table({"x": chains(correlation=0.9), "y": chains(seed=2)})
    table = replace(table, ess_bulk=np.array([90.0, np.nan]))
    told = verdict(table, sampled())
    assert told.reasons[0].startswith("Run 2,200 draws instead of 400: ")
    assert "x has only 90 effective bulk draws" in told.reasons[0]


def test_disagreement_names_the_worst():
    x = chains(n_draws=1000, shape=(3,), correlation=0.0)
    x[0, :, 1] += 0.4
    told = verdict(diagnostics_table({"knot_values": x}), sampled())
    assert told.status == "doubtful" and told.worst_parameter == "knot_values[1]"
    begin = "Run 2,000 draws instead of 1,000: knot_values[1] has R-hat 1.0"
    assert told.reasons[0].startswith(begin)
    x[0, :, 1] += 2.0
    told = verdict(diagnostics_table({"knot_values": x}), sampled())
    assert told.status == "failed" and "chains disagree" in told.reasons[0]


def test_divergences_of_float32_on_an_accelerator_have_another_remedy():
    table = diagnostics_table({"x": chains(n_draws=1000)})
    on_cpu = verdict(table, sampled(6)).reasons
    on_gpu = verdict(table, sampled(6), is_coarse=True).reasons
    assert len(on_cpu) == len(on_gpu) == 1
    assert "target_accept" in on_cpu[0] and "float64" not in on_cpu[0]
    assert "fit in float64" in on_gpu[0] and "target_accept" not in on_gpu[0]


def test_reasons_call_parameters_by_plain_names():
    x = chains(n_draws=1000, shape=(3,), correlation=0.0)
    x[0, :, 1] += 0.4
    channels = (("media_channel", ("TV", "Radio", "Search")),)
    table = diagnostics_table({"slope_m": x}, {"slope_m": channels})
    told = verdict(table, sampled())
    assert "instead of 1,000: Radio · slope has R-hat 1.0" in told.reasons[0]
    assert (told.worst_parameter, told.worst_name) == ("slope_m[1]", "Radio · slope")


@pytest.mark.parametrize(
    ("parameter", "labels", "name"),
    [
        (
            "beta_gm",
            [("geo", "Bavaria"), ("media_channel", "TV")],
            "TV · effect in Bavaria",
        ),
        ("beta_gm", [("geo", "national_geo"), ("media_channel", "TV")], "TV · effect"),
        ("gamma_fourier", [("fourier", "sin 2")], "Season · sin 2"),
        (
            "gamma_fourier_g",
            [("geo", "Bavaria"), ("fourier_g", "sin 1")],
            "Season · sin 1 in Bavaria",
        ),
        ("mu_t", [("time", "3 Jan 2022")], "Baseline · 3 Jan 2022"),
        ("gamma_c", [("control", "Price")], "Price · effect"),
        ("sigma", [], "Noise · size"),
        ("something_new", [], "something_new"),
        (
            "gamma_common",
            [("common", "2024-01-29")],
            "Noise in common · 29 Jan 2024",
        ),
    ],
)
def test_plain_names(parameter, labels, name):
    assert scalar_name(parameter, labels) == name


def test_chains_that_never_move_fail():
    x = np.repeat(np.arange(4.0)[:, None], 400, axis=1)
    told = verdict(diagnostics_table({"x": x}), sampled())
    assert told.status == "failed"
    assert told.as_dict()["rhat_max"] is None  # JSON has no infinity


def test_divergences():
    table = diagnostics_table({"x": chains(n_draws=1000)})
    one = verdict(table, sampled(1))
    assert one.status == "doubtful" and "1 of 1,600 trajectories" in one.reasons[0]
    assert "target_accept" in one.reasons[0]
    many = verdict(table, sampled(200))
    assert many.status == "failed" and many.divergences == 200


@pytest.mark.parametrize(
    ("n_divergences", "status"), [(2, "trustworthy"), (3, "doubtful")]
)
def test_one_divergence_in_ten_thousand_is_none(n_divergences, status):
    """More draws of a trustworthy fit do not make it doubtful."""
    table = diagnostics_table({"x": chains(n_draws=1000)})
    long = sampled(n_divergences, shape=(4, 5000))
    assert verdict(table, long).status == status


def test_rows_for_json():
    rows = diagnostics_table({"x": chains(shape=(2,))}).as_rows()
    assert [row["index"] for row in rows] == [[0], [1]]
    assert set(rows[0]) == {"name", "index", "rhat", "ess_bulk", "ess_tail"} | {
        "mean",
        "sd",
    }
    assert all(isinstance(rows[0][key], float) for key in ("rhat", "mean", "sd"))


def test_one_chain_and_very_few_draws():
    assert np.isfinite(diagnostics_table({"x": chains(1)}).rhat).all()
    told = verdict(diagnostics_table({"x": chains(4, 3)}), sampled())
    assert told.status == "failed" and told.rhat_max is None


def test_how_many_draws_would_do():
    few = verdict(diagnostics_table({"a": chains(n_draws=100)}), sampled())
    assert any(f"Run {few.draws_wanted:,} draws" in why for why in few.reasons)
    assert few.as_dict()["draws_wanted"] == few.draws_wanted
    enough = verdict(diagnostics_table({"a": chains(n_draws=4000)}), sampled())
    assert enough.draws_wanted is None
    apart = chains(n_draws=100)
    apart[0] += 10
    assert verdict(diagnostics_table({"a": apart}), sampled()).draws_wanted is None


def of_geos(n_geos, n_channels, *, n_draws=500, correlation=0.3, seed=3):
    """Effects of single geos that converged, and their table's labels."""
    x = chains(4, n_draws, (n_geos, n_channels), correlation, seed)
    geos = tuple(f"g{place}" for place in range(n_geos))
    channels = tuple(f"c{place}" for place in range(n_channels))
    return x, {"beta_gm": (("geo", geos), ("media_channel", channels))}


def test_thousands_of_single_geos_are_judged_together():
    x, labels = of_geos(210, 15)
    shared = chains(4, 500, correlation=0.0)
    table = diagnostics_table({"sigma": shared, "beta_gm": x}, labels)
    # By chance some are above the limit of one.
    assert table.rhat.max() > 1.01
    assert verdict(table, sampled()).status == "trustworthy"
    alone = replace(table, labels={})
    assert verdict(alone, sampled()).status == "doubtful"
    x[0, :, 7, 3] += 2.0
    told = verdict(diagnostics_table({"beta_gm": x}, labels), sampled())
    assert told.status == "doubtful" and told.worst_parameter == "beta_gm[7, 3]"
    assert "c3 · effect in g7 has R-hat 1." in told.reasons[0]
    assert "more than chance explains of 3,150 parameters" in told.reasons[0]
    assert told.draws_wanted == 1000
    x[0] += 2.0
    table = diagnostics_table({"beta_gm": x}, labels)
    assert verdict(table, sampled()).status == "failed"
    assert verdict(replace(table, labels={}), sampled()).status == "failed"


def test_single_geos_that_mix_badly_are_a_reason():
    x, labels = of_geos(40, 5)
    x[:, :, :3] = of_geos(3, 5, correlation=0.8, seed=4)[0]
    told = verdict(diagnostics_table({"beta_gm": x}, labels), sampled())
    assert told.status == "doubtful"
    assert "of the 200 parameters of single geos have fewer than 400" in told.reasons[0]
    national = {"beta_gm": (("geo", ("national_geo",)), labels["beta_gm"][1])}
    one = diagnostics_table({"beta_gm": x[:, :, :1]}, national)
    assert "has only" in verdict(one, sampled()).reasons[-1]
