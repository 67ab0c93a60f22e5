"""Tests of estimates as mappings, which readers of JSON still take them for."""

import json
from collections.abc import Mapping

import numpy as np
import pandas as pd
from msgspec import convert, to_builtins

from core.estimate import Estimate, estimate, gain_of

DRAWS = np.arange(11.0)


def test_keys_in_json_are_those_of_the_design():
    plain = json.loads(json.dumps(estimate(DRAWS), default=to_builtins))
    assert list(plain) == ["mean", "median", "sd", "lo", "hi"]
    gain = to_builtins(gain_of(DRAWS - 2))
    assert list(gain) == [*plain, "probability_positive"]
    assert convert(plain, Estimate) == estimate(DRAWS)


def test_an_estimate_is_a_whole_mapping():
    number = gain_of(DRAWS - 2)
    assert isinstance(number, Mapping)
    assert dict(number.items()) == dict(number) == to_builtins(number)
    assert list(number.values()) == [number[key] for key in number]
    assert "'mean': 3.0" in str(pd.DataFrame({"gain": [number]}))  # of a notebook
