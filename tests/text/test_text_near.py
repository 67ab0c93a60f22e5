"""Near names: slips are recognised, and other channels are not."""

import pytest

from core.text.near import alike, near_name

CHANNELS = ("TV_spend", "Radio_spend", "Video_spend", "Paid Search spend", "Campaign")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Cinema_spend", None),
        ("Audio_spend", None),
        ("Print_spend", None),
        ("Social spend", None),
        ("Radoi_spend", "Radio_spend"),
        ("radio spend", "Radio_spend"),
        ("Radio_spent", "Radio_spend"),
        ("Vidoe_spend", "Video_spend"),
        ("Search spend", "Paid Search spend"),
        ("Kampagne", "Campaign"),
    ],
)
def test_a_slip_is_recognised_and_another_channel_is_not(name, meant):
    assert near_name(name, CHANNELS) == meant


@pytest.mark.parametrize("written", ["tv spend", "TV-Spend", "Tv_Spend", " tvspend "])
def test_case_spaces_and_signs_make_no_other_name(written):
    assert alike([written, "TV clicks"], CHANNELS) == {written: "TV_spend"}


@pytest.mark.parametrize(
    ("written", "names"),
    [(["tv"], ["TV", "Tv"]), (["tv", "T V"], ["TV"]), (["?"], ["!"]), (["a"], [])],
)
def test_what_could_be_two_names_is_none(written, names):
    assert alike(written, names) == {}
