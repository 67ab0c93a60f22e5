import pytest

from core.errors import SpecError
from core.model.priors import distribution
from core.model.priors.moments import FAMILIES, from_mean


@pytest.mark.parametrize("family", FAMILIES)
def test_mean_and_sd_are_met(family):
    made = from_mean(0.3, 0.1, family=family)
    assert made.family == family
    assert distribution.mean(made) == pytest.approx(0.3)
    assert distribution.sd(made) == pytest.approx(0.1)
    assert made.written.numbers() == {"mean": 0.3, "sd": 0.1}


@pytest.mark.parametrize(
    ("mean", "sd", "family", "word"),
    [
        (1.0, 0.0, "Normal", "sd must be above zero"),
        (1.0, float("inf"), "Normal", "sd must be above zero"),
        (-1.0, 1.0, "LogNormal", "must be above zero"),
        (0.0, 1.0, "Gamma", "must be above zero"),
        (0.5, 0.6, "Beta", "No Beta prior"),
        (1.0, 1.0, "HalfNormal", "cannot be made"),
    ],
)
def test_impossible_requests(mean, sd, family, word):
    with pytest.raises(SpecError, match=word):
        from_mean(mean, sd, family=family)
