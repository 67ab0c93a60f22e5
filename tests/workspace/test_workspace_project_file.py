import json
from dataclasses import replace
from pathlib import Path

import pytest
from workspace_market import FULL, simple

from core.errors import MMMError, SpecError, WorkspaceError
from core.model.holdout import Holdout
from core.model.priors.prior import prior
from core.project.settings.definition import spec_sha256
from core.project.settings.project import render_project, updated_text
from core.project.settings.project_file import parse_project

HAND = """\
# Ours: ask Ana before you change the priors.
name = "Demo"   # a name

[data]
# the table
time = "week"
kpi = "sales"
revenue_per_kpi = 3
controls = ["a", "b"]  # two

[[channel]]
# television
name = "TV"
media = "tv"
spend = "tv_cost"
adstock = "geometric"  # the default, said aloud
[channel.prior]
low = 0.5
high = 4.0  # from the agency
[channel.priors.alpha]
family = "Beta"
parameters = {concentration1 = 1, concentration0 = 3}

[[channel]]
name = "Search"
media = "search"
spend = "search_cost"
prior = {mean = 1.5, sd = 0.5} # inline

[model]
knots = 26
holdout = [["Geo0", 2021-01-25]]
[model.priors.sigma]
family = "HalfNormal"
parameters.scale = 2

[[experiment]]
channel = "TV"
start = 2024-01-01
end = "2024-02-01"
incremental_outcome = 12000
standard_error = 3000.5

[sampler]
draws = 100  # quick
"""


def problems(text):
    with pytest.raises(SpecError) as caught:
        parse_project(text)
    return [(f.where, f.message, f.hint) for f in caught.value.findings]


def test_round_trip_of_every_option():
    assert parse_project(render_project(FULL)) == FULL


def test_defaults_are_not_written_except_for_the_reader():
    text = render_project(simple())
    for absent in ("adstock", "saturation", "baseline", "target_accept", "prior"):
        assert absent not in text
    for present in ("knots = 4", "chains = 4", 'kind = "media"', 'currency = "EUR"'):
        assert present in text
    assert parse_project(text) == simple()


RULE = """holdout = {dates = [[2024-01-01, "2024-03-31"]], random = 0.1, seed = 7}"""


def test_answers_to_what_the_data_leave_open():
    mapping = replace(
        FULL.mapping,
        dates="day first",
        decimal=(("tv_cost", ","), ("a b", ".")),
        whole_units=("Sales (k)",),
    )
    project = replace(FULL, mapping=mapping)
    text = render_project(project)
    assert 'dates = "day first"' in text and '"a b" = "."' in text
    assert parse_project(text) == project
    fewer = replace(project, mapping=replace(mapping, decimal=(("tv_cost", "."),)))
    assert parse_project(updated_text(text, fewer)) == fewer
    none = replace(project, mapping=replace(mapping, dates=None, decimal=()))
    assert parse_project(updated_text(text, none)) == none
    assert parse_project(updated_text(updated_text(text, none), project)) == project


@pytest.mark.parametrize("bad", ["decimal = 1", 'decimal = {tv_cost = ";"}'])
def test_an_answer_that_is_none_is_refused(bad):
    text = HAND.replace("revenue_per_kpi = 3", bad)
    with pytest.raises(SpecError, match="must name columns with their decimal sign"):
        parse_project(text)


def test_holdout_as_a_rule():
    cells = """holdout = [["Geo0", 2021-01-25]]"""
    project = parse_project(HAND.replace(cells, RULE))
    rule = Holdout(dates=(("2024-01-01", "2024-03-31"),), random=0.1, seed=7)
    assert project.spec.holdout == rule
    assert parse_project(render_project(project)) == project
    longer = replace(rule, geos=("Geo0", "Geo1"))
    for before, after in ((rule, longer), (rule, ()), ((("a", "2024-01-01"),), rule)):
        old = replace(project, spec=replace(project.spec, holdout=before))
        new = replace(project, spec=replace(project.spec, holdout=after))
        text = updated_text(render_project(old), new)
        assert parse_project(text) == new
        table = text.split("[model]")[1].split("[model.priors")[0]
        assert "knots = 26" in table


def test_what_is_wrong_with_a_rule_is_said_at_its_line():
    (found,) = problems(HAND.replace("holdout = [[", "holdout = {share = 0.1} # [["))
    assert "unknown key share" in found[1]
    (found,) = problems(HAND.replace("holdout = [[", "holdout = {random = 2} # [["))
    assert "between 0 and 1" in found[1] and "line 32" in found[0]


def test_range_and_mean_become_log_normal():
    channels = parse_project(HAND).spec.channels
    by_range, by_mean = (channel.prior for channel in channels)
    assert by_range.family == by_mean.family == "LogNormal"
    loc, scale = by_range.values
    assert loc == pytest.approx(0.346574, abs=1e-6)  # log of the geometric mean
    assert scale == pytest.approx(0.632105, abs=1e-6)  # log(8) / 2 / 1.644854
    loc, scale = by_mean.values
    assert loc + scale**2 / 2 == pytest.approx(0.405465, abs=1e-6)  # log of the mean


def test_range_with_its_own_mass():
    text = HAND.replace("low = 0.5", "low = 0.5\nmass = 0.5")
    scale = parse_project(text).spec.channels[0].prior.values[1]
    assert scale == pytest.approx(2.0794415 / 2 / 0.6744898)


@pytest.mark.parametrize(
    ("written", "family"),
    [
        ("low = 0.5\nhigh = 3.0\nmass = 0.8", "LogNormal"),
        ("low = 0.5\nhigh = 3.0\nmass = 0.9\nmost_likely = 1.2", "LogNormal"),
        ('family = "Gamma"\nlow = 0.5\nhigh = 3.0\nmass = 0.9', "Gamma"),
        ('family = "Normal"\nlow = -0.5\nhigh = 3.0\nmass = 0.9', "Normal"),
        ('family = "Beta"\nmean = 0.2\nsd = 0.1', "Beta"),
        (
            'family = "TruncatedNormal"\nlow = -0.02\nhigh = 0.05\nmass = 0.9\n'
            "lowest = -1.0\nhighest = 1.0",
            "TruncatedNormal",
        ),
    ],
)
def test_priors_come_back_as_they_were_typed(written, family):
    text = f'[data]\ntime = "t"\nkpi = "k"\n\n[model.priors.sigma]\n{written}\n'
    project = parse_project(text)
    assert project.spec.parameter_prior("sigma").family == family
    shown = render_project(project)
    assert shown.split("[model.priors.sigma]\n")[1].split("\n\n")[0] == written
    assert updated_text(text, project) == text
    given = project.spec.parameter_prior("sigma")
    plain = replace(project.spec, priors=(("sigma", replace(given, written=None)),))
    assert spec_sha256(replace(project, spec=plain)) == spec_sha256(project)


def test_prior_kind_alone_keeps_the_default_of_that_kind():
    text = HAND.replace("prior = {mean = 1.5, sd = 0.5}", 'prior = {kind = "mroi"}')
    channel = parse_project(text).spec.channels[1]
    assert (channel.prior, channel.treatment_parameter) == (None, "mroi_m")


def test_nothing_but_data_is_a_project():
    project = parse_project('[data]\ntime = "t"\nkpi = "k"\n')
    assert project.spec.channels == ()
    assert project.spec.knots is None
    assert project.sampler.draws == 1000


def test_update_keeps_comments_order_and_wording():
    project = parse_project(HAND)
    assert updated_text(HAND, project) == HAND.replace(
        "2021-01-25", '"2021-01-25"', 1
    ).replace("start = 2024-01-01", 'start = "2024-01-01"')


def test_update_changes_only_what_changed():
    project = parse_project(HAND)
    search = replace(project.spec.channels[1], max_lag=3)
    spec = replace(project.spec.with_channel(search), knots=30, max_lag=6)
    mapping = replace(project.mapping, geo="geo", revenue_per_kpi=None)
    changed = replace(project, spec=spec, mapping=mapping)
    text = updated_text(HAND, changed)
    assert parse_project(text) == changed
    for kept in ("# Ours", "# television", "# from the agency", "# quick", "aloud"):
        assert kept in text
    assert "low = 0.5" in text
    assert "revenue_per_kpi" not in text


def test_update_of_channels_that_move_come_and_go():
    project = parse_project(HAND)
    new = parse_project(render_project(FULL))
    order = (project.spec.channels[1], new.spec.channels[0].__class__("Radio"))
    columns = (
        project.mapping.channels[1],
        replace(project.mapping.channels[0], name="Radio"),
    )
    changed = replace(
        project,
        spec=replace(project.spec, channels=order),
        mapping=replace(project.mapping, channels=columns),
        experiments=(),
    )
    text = updated_text(HAND, changed)
    assert parse_project(text) == changed
    assert "# inline" in text
    assert "television" not in text
    for other in (FULL, simple()):
        assert parse_project(updated_text(HAND, other)) == other
        assert parse_project(updated_text(render_project(other), project)) == project


def test_all_problems_at_once_with_line_key_and_remedy():
    text = (
        HAND.replace('kpi = "sales"', 'kpii = "sales"')
        .replace("knots = 26", 'knots = "many"')
        .replace("draws = 100", "drows = 100\nchains = 1.5")
        .replace("low = 0.5", "low = -1")
    )
    found = problems(text)
    assert ("project.toml, line 31", "knots in [model] must be a number") in [
        (where, message[:33]) for where, message, _ in found
    ]
    assert (
        "project.toml, line 7",
        "[data] has an unknown key kpii.",
        "Did you mean kpi?",
    ) in found
    messages = " ".join(message for _, message, _ in found)
    assert "[data] lacks kpi." in messages
    assert "A LogNormal prior is above zero, but the range begins at -1." in messages
    assert "chains in [sampler] must be a whole number, not 1.5." in messages
    assert "unknown key drows" in messages
    assert len(found) == 6


#: In a project file: what stands there, what is written instead, message and hint.
FAULTS = json.loads(Path(__file__).with_name("project_file_faults.json").read_text())


@pytest.mark.parametrize(("old", "new", "message", "hint"), FAULTS)
def test_one_problem(old, new, message, hint):
    assert old in HAND
    found = problems(HAND.replace(old, new, 1))
    assert any(message in entry[1] and hint in entry[2] for entry in found), found
    assert all(entry[0].startswith("project.toml, line ") for entry in found), found


def test_message_tells_everything_without_findings():
    with pytest.raises(SpecError) as caught:
        parse_project(HAND.replace("knots = 26", "knots = 0\nmax_lagg = 3"))
    assert "knots must be one or more" in str(caught.value) or "max_lagg" in str(
        caught.value
    )
    assert "Did you mean max_lag?" in str(caught.value)


def test_file_cut_anywhere_is_refused_or_still_a_project():
    text = render_project(FULL)
    for end in range(0, len(text), 7):
        try:
            parse_project(text[:end])
        except MMMError as error:
            assert error.message.startswith("project.toml")
            assert error.hint


def test_file_cut_in_half_names_the_place():
    with pytest.raises(WorkspaceError) as caught:
        parse_project(HAND[: HAND.index('"tv_cost"') + 4])
    assert "end of document" in caught.value.message
    assert "cut off" in caught.value.hint


def test_newer_schema_is_refused():
    with pytest.raises(WorkspaceError, match="schema = 2"):
        parse_project("schema = 2\n")


def test_shifted_prior_keeps_its_shift():
    shifted = prior("LogNormal", loc=0.7, scale=0.4, shift=0.1)
    channel = replace(simple().spec.channels[0], priors=(("ec", shifted),))
    project = simple(spec=replace(simple().spec, channels=(channel,)))
    assert parse_project(render_project(project)) == project


def test_follows_demand_is_true_false_a_probability_or_auto():
    def channel(value: str):
        text = HAND.replace(
            'media = "search"', f'media = "search"\nfollows_demand = {value}'
        )
        return parse_project(text).spec.channel("Search")

    assert channel("true").follows_demand is True
    assert channel("false").follows_demand is False
    assert channel('"auto"').follows_demand == "auto"
    assert channel("0.7").follows_demand == 0.7
    project = parse_project(
        HAND.replace('media = "search"', 'media = "search"\nfollows_demand = 0.7')
    )
    assert "follows_demand = 0.7" in render_project(project)
    assert parse_project(HAND).spec.channel("Search").follows_demand == "auto"
    for value in ('"yes"', "1", "0.0", "1.2", "nan", "[true]"):
        with pytest.raises(SpecError) as caught:
            channel(value)
        (told,) = caught.value.findings
        assert "must be true, false, a probability between 0 and 1" in told.message


def test_a_locale_is_one_that_is_known_and_changes_no_fit():
    project = parse_project('locale = "de"\n' + HAND)
    assert project.locale == "de"
    assert 'locale = "de"' in render_project(project)
    assert "locale" not in render_project(replace(project, locale="en"))
    assert spec_sha256(project) == spec_sha256(replace(project, locale="en"))
    with pytest.raises(SpecError, match="locale .* cannot be 'klingon'"):
        parse_project('locale = "klingon"\n' + HAND)


@pytest.mark.parametrize("key", ["currency", "name", "locale"])
@pytest.mark.parametrize("table", ["data", "model", "sampler", "report"])
def test_a_key_of_the_whole_file_under_a_table_is_told_where_it_belongs(key, table):
    text = f'{HAND}\n[{table}]\n{key} = "EUR"\n'
    if f"[{table}]" in HAND:
        text = HAND.replace(f"[{table}]\n", f'[{table}]\n{key} = "EUR"\n', 1)
    hints = {message: hint for _, message, hint in problems(text)}
    hint = hints[f"[{table}] has an unknown key {key}."]
    assert "at the top of the file" in hint and f"below [{table}]" in hint


@pytest.mark.parametrize(
    ("key", "table"), [("kpi", "data"), ("draws", "sampler"), ("knots", "model")]
)
def test_a_key_of_a_table_at_the_top_is_told_its_table(key, table):
    hints = {message: hint for _, message, hint in problems(f"{key} = 1\n{HAND}")}
    assert hints[f"The file has an unknown key {key}."] == (f"It belongs in [{table}].")
