"""Two edits of one state of a project: what differs, and the two put together."""

from dataclasses import replace

from msgspec import structs
from workspace_market import FULL, simple, table

from core.model.priors.elicitation import from_range
from core.model.priors.prior import prior
from core.model.spec import ChannelSpec
from core.project.settings.project import load_project, save_project
from core.project.shelf.lifecycle import create_project
from core.project.shelf.merging import Conflict, differences, last_save


def with_channel(project, **options):
    first, *others = project.spec.channels
    channels = (replace(first, **options), *others)
    return replace(project, spec=replace(project.spec, channels=channels))


def with_sampler(project, **options):
    return replace(project, sampler=replace(project.sampler, **options))


def with_options(project, **options):
    return replace(project, spec=replace(project.spec, **options))


def test_differences_name_setting_and_both_values():
    changed = with_channel(with_sampler(FULL, draws=77), max_lag=9)
    told = {each.name: (each.before, each.after) for each in differences(FULL, changed)}
    assert told == {"draws": ("50", "77"), "TV: max_lag": ("5", "9")}


def test_a_channel_called_like_a_test_is_told_too():
    first = FULL.spec.channels[0]
    called = replace(
        FULL, spec=replace(FULL.spec, channels=(replace(first, name="experiment 1"),))
    )
    assert [
        each.name for each in differences(called, with_channel(called, max_lag=9))
    ] == ["experiment 1: max_lag"]


def test_the_same_project_has_no_differences():
    assert differences(FULL, FULL) == ()


def test_edits_of_other_settings_go_together():
    theirs = with_channel(with_options(FULL, seasonality=2), max_lag=9)
    mine = with_channel(with_sampler(FULL, draws=77), adstock="geometric")
    conflict = Conflict(FULL, theirs, mine)
    both = conflict.merged()
    assert conflict.contested == ()
    assert both.spec.seasonality == 2
    assert both.sampler.draws == 77
    assert both.spec.channels[0].max_lag == 9
    assert both.spec.channels[0].adstock == "geometric"
    assert replace(both, spec=FULL.spec, sampler=FULL.sampler) == FULL


def test_a_setting_that_both_changed_is_named_and_mine_stands():
    theirs, mine = with_channel(FULL, max_lag=9), with_channel(FULL, max_lag=7)
    conflict = Conflict(FULL, theirs, mine)
    assert conflict.contested == ("TV: max_lag",)
    assert conflict.merged().spec.channels[0].max_lag == 7


def test_the_same_change_by_both_is_no_contest():
    changed = with_channel(FULL, max_lag=9)
    conflict = Conflict(FULL, changed, changed)
    assert conflict.contested == ()
    assert conflict.merged() == changed


def test_priors_and_channels_are_told_apart_by_name():
    sigma = prior("HalfNormal", scale=3.0)
    theirs = with_options(FULL, priors=(("sigma", sigma),))
    mine = with_channel(FULL, priors=FULL.spec.channels[0].priors[:1])
    both = Conflict(FULL, theirs, mine).merged()
    assert dict(both.spec.priors)["sigma"] == sigma
    assert len(both.spec.channels[0].priors) == 1


def test_a_prior_that_both_changed_is_mine_as_a_whole():
    before = with_channel(FULL, prior=from_range(1.0, 2.0))
    theirs = with_channel(FULL, prior=from_range(1.0, 3.0, family="Gamma"))
    mine = with_channel(FULL, prior=from_range(0.5, 2.0))
    both = Conflict(before, theirs, mine).merged().spec.channels[0].prior
    wanted = mine.spec.channels[0].prior
    assert (both, both.written) == (wanted, wanted.written)


def test_controls_that_each_added_are_both_there():
    base = simple()
    mapping = base.mapping
    theirs = replace(base, mapping=replace(mapping, controls=("rain",)))
    mine = replace(base, mapping=replace(mapping, controls=("price",)))
    both = Conflict(base, theirs, mine).merged()
    assert set(both.mapping.controls) == {"rain", "price"}


def test_a_result_that_each_added_is_there_once():
    entry = FULL.experiments[0]
    theirs = replace(
        FULL, experiments=(entry, structs.replace(entry, start="2024-05-06"))
    )
    mine = replace(FULL, experiments=(structs.replace(entry, standard_error=9.0),))
    both = Conflict(FULL, theirs, mine).merged()
    assert both.experiments == (
        structs.replace(entry, standard_error=9.0),
        structs.replace(entry, start="2024-05-06"),
    )


def test_a_channel_that_they_removed_stays_removed():
    fewer = replace(FULL.mapping, channels=FULL.mapping.channels[:-1])
    theirs = replace(
        with_options(FULL, channels=FULL.spec.channels[:-1], varies_by_geo=()),
        mapping=fewer,
    )
    mine = with_sampler(FULL, draws=77)
    both = Conflict(FULL, theirs, mine).merged()
    assert [channel.name for channel in both.spec.channels] == [
        channel.name for channel in fewer.channels
    ]


def test_what_makes_no_project_together_is_not_merged():
    base = simple()
    theirs = with_options(base, knots=None, baseline="structural")
    mine = with_options(base, knots=7)
    both = Conflict(base, theirs, mine).merged()
    assert both is None or both.spec.knots == 7


def test_who_saved_last(home, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_USER", "Anna")
    project = simple()
    folder = create_project("Market", table(), project.mapping)
    save_project(folder, with_sampler(load_project(folder), draws=77))
    who, when = last_save(folder)
    assert who == "Anna"
    assert when.startswith("20")


def test_the_servers_own_account_is_nobody(home, monkeypatch):
    monkeypatch.delenv("MIXWRIGHT_USER", raising=False)
    project = simple()
    folder = create_project("Market", table(), project.mapping)
    assert last_save(folder)[0] == ""


def test_an_option_beside_a_seed():
    base = simple()
    mine = replace(
        base,
        spec=replace(base.spec, channels=(ChannelSpec("TV", max_lag=3),)),
    )
    theirs = with_sampler(base, seed=3)
    both = Conflict(base, theirs, mine).merged()
    assert both.spec.channels[0].max_lag == 3
    assert both.sampler.seed == 3


def test_two_edits_of_one_result_are_one_result():
    """Even where both change what it is recognised by: it would count twice."""
    entry = FULL.experiments[0]
    theirs = replace(FULL, experiments=(structs.replace(entry, end="2024-05-05"),))
    mine = replace(FULL, experiments=(structs.replace(entry, end="2024-05-12"),))
    conflict = Conflict(FULL, theirs, mine)
    assert conflict.contested == ("lift test 1 end",)
    assert [each.end for each in conflict.merged().experiments] == ["2024-05-12"]


def test_two_fields_of_one_result_are_both_kept():
    entry = FULL.experiments[0]
    theirs = replace(FULL, experiments=(structs.replace(entry, end="2024-05-05"),))
    mine = replace(FULL, experiments=(structs.replace(entry, standard_error=9.0),))
    conflict = Conflict(FULL, theirs, mine)
    assert conflict.contested == ()
    (both,) = conflict.merged().experiments
    assert (both.end, both.standard_error) == ("2024-05-05", 9.0)


def test_a_result_that_they_replaced_and_i_did_not_touch_stays_replaced():
    entry = FULL.experiments[0]
    other = structs.replace(entry, start="2024-05-06", end="2024-06-02")
    base = replace(FULL, experiments=(entry, other))
    theirs = replace(
        FULL, experiments=(other, structs.replace(entry, start="2024-07-01"))
    )
    mine = replace(
        base, experiments=(entry, structs.replace(other, standard_error=9.0))
    )
    both = Conflict(base, theirs, mine).merged().experiments
    assert both == (
        structs.replace(other, standard_error=9.0),
        structs.replace(entry, start="2024-07-01"),
    )
