"""Priors against data before a fit: next to nothing, or more than there is."""

from dataclasses import replace

import numpy as np
import pytest

from core.model.priors.prior import prior
from core.model.shares.contradiction import allowed_shares, contradictions
from core.model.shares.settled import settled
from core.model.shares.totals import Totals
from core.model.spec import ChannelSpec, ModelSpec

SPEC = ModelSpec((ChannelSpec("x1"), ChannelSpec("x2")))
SCALED = Totals(946_006.0, {"x1": 55.0, "x2": 29.3}, "revenue")


def test_spend_and_kpi_that_cannot_be_the_same_money():
    (finding,) = contradictions(SPEC, SCALED, "y")
    assert finding.severity == "error"
    assert "84.3" in finding.message and "946,006" in finding.message
    for answer in ('"other"', '"currency"', '"non_revenue"'):
        assert answer in finding.hint
    assert "--spend-unit" in finding.hint and "--kpi-is" in finding.hint
    assert finding.hint.startswith("If spend is in thousands")


def test_one_answer_is_enough():
    other = replace(SCALED, spend_unit="other", outcome_unit="kpi")
    (chosen,) = contradictions(SPEC, other, "y")
    assert chosen.severity == "info"
    assert "on their share of y: 2.8\u00a0% to 47\u00a0%" in chosen.message
    low, high = allowed_shares(settled(SPEC, other), other).total
    assert low < 0.15 and 0.36 < high < 1


def test_who_insists_on_one_currency_is_warned_not_stopped():
    said = replace(SCALED, spend_unit="currency")
    (finding,) = contradictions(SPEC, said, "y")
    assert finding.severity == "warning"
    assert "next to nothing" in finding.message


def test_ordinary_money_says_nothing():
    assert (
        contradictions(SPEC, Totals(1e6, {"x1": 5e4, "x2": 3e4}, "revenue"), "y") == []
    )


@pytest.mark.parametrize("spend", [1e-9, 1e-4, 0.5, 3.0])
def test_a_share_next_to_nothing_is_written_without_exponents(spend):
    about = Totals(1e6, {"x1": 5e4, "x2": spend}, "revenue")
    (finding,) = contradictions(SPEC, about, "y")
    assert finding.severity == "info"
    assert "x2 (<\u00a00.01\u00a0%)" in finding.message


def test_a_prior_that_leaves_more_than_all():
    huge = prior("LogNormal", loc=4.0, scale=0.2)
    own = ModelSpec((ChannelSpec("x1", prior=huge), ChannelSpec("x2")))
    about = Totals(1e6, {"x1": 5e4, "x2": 3e4}, "revenue")
    found = contradictions(own, about, "sales")
    assert {finding.severity for finding in found} == {"error"}
    assert any(finding.where == "channel x1" for finding in found)


def test_a_prior_that_is_about_no_share_is_not_judged():
    own = ModelSpec((ChannelSpec("x1", prior_kind="mroi"), ChannelSpec("x2")))
    about = Totals(1e6, {"x1": 5e4, "x2": 3e4}, "revenue")
    allowed = allowed_shares(settled(own, about), about)
    assert allowed.channels["x1"] is None
    assert allowed.total is None
    assert contradictions(own, about, "sales") == []


def test_the_range_of_one_channel_is_that_of_its_prior():
    about = Totals(1000.0, {"x1": 100.0}, "revenue")
    one = ModelSpec((ChannelSpec("x1"),))
    low, high = allowed_shares(settled(one, about), about).channels["x1"]
    ends = np.exp(0.2 + 0.9 * np.array([-1.645, 1.645])) * 0.1
    assert (low, high) == pytest.approx(tuple(ends), rel=0.01)
