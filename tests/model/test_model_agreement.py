"""Priors whose support does not fit what they are about are refused in plain words."""

import pytest

from core.errors import SpecError
from core.model.priors.prior import prior
from core.model.shares.agreement import check
from core.model.spec import ModelSpec
from tests.small_market import market, spec

NORMAL = prior("Normal", loc=1.0, scale=1.0)


@pytest.mark.parametrize("stem", ["alpha", "ec", "slope", "eta"])
def test_transformation_priors_fit_their_parameter(stem):
    options = spec(channels={"tv": {"priors": ((stem, NORMAL),)}})
    with pytest.raises(SpecError, match=f"Channel tv: the {stem} prior Normal"):
        check(options, market())


@pytest.mark.parametrize("name", ["sigma", "xi_c", "alpha_m"])
def test_priors_of_the_model_fit_their_parameter(name):
    with pytest.raises(SpecError, match=f"the {name} prior Normal"):
        check(spec(priors=((name, NORMAL),)), market())


def test_defaults_and_free_parameters_agree():
    check(spec(), market())
    check(spec(priors=(("gamma_c", NORMAL), ("knot_values", NORMAL))), market())
    assert isinstance(spec(), ModelSpec)
