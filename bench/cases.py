"""What is measured: data set, options, sampler settings. No JAX, no Meridian.

The data sets are Meridian's samples, found where the tests find them, with the columns
and options of the reference case of that name.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from tests.reference import REFERENCE


@dataclass(frozen=True)
class Case:
    """One measurement.

    Attributes:
        name: As in the tables.
        reference: Folder of the reference case; empty for a simulated market.
        is_country: Whether the simulated market is that of a whole country.
        chains: Number of chains.
        draws: Kept draws per chain.
        precision: float32 or float64.
        peer: Whether Meridian is measured, too.
        peer_adapt: Meridian's adaptation and burn-in iterations, its own defaults.
        is_large: Only with --full.
    """

    name: str
    reference: str
    is_country: bool = False
    chains: int = 4
    draws: int = 500
    precision: str = "float32"
    peer: bool = True
    peer_adapt: tuple[int, int] = (500, 0)
    is_large: bool = False


CASES = (
    Case("geo_media, 30 knots, float32", "geo_media_knots30"),
    Case("geo_media, 30 knots, float64", "geo_media_knots30", precision="float64"),
    Case("national_media, 1 knot, float32", "national_media_default"),
    Case(
        "geo_all_channels, automatic knots, float32",
        "geo_all_channels_aks",
        draws=1000,
        peer=False,
        is_large=True,
    ),
    Case(
        "simulated, 50 geos, 30 channels, 52 knots, float32",
        "",
        draws=1000,
        peer=False,
        is_large=True,
    ),
    Case(
        "simulated, 210 geos, 15 channels, default model, float32",
        "",
        is_country=True,
        peer=False,
        is_large=True,
    ),
)

#: Parameters whose worst effective sample size is compared.
COMPARED = ("roi_m", "alpha_m", "ec_m", "eta_m", "sigma", "knot_values", "mu_t")
COMPARED += ("tau_g", "beta_gm", "gamma_c", "xi_c")


def case(name: str) -> Case:
    """The case of that name."""
    return next(one for one in CASES if one.name == name)


def reference_folder(given: Case) -> Path:
    """Where its options are."""
    return REFERENCE / "cases" / given.reference


def about(given: Case) -> dict:
    """The reference case's options and columns."""
    return json.loads((reference_folder(given) / "case.json").read_text())
