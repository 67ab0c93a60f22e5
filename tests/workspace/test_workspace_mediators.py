"""Funnels at their gate: what project.toml says, and the project that it names."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from core.data.layout.kinds.exports import File
from core.data.mapping import ChannelColumns, ColumnMapping
from core.errors import SpecError
from core.fit.paired import alone, paired, paired_by
from core.project.fits.mediators import check_mediators, frozen_mediators
from core.project.fits.run_inputs import new_run
from core.project.fits.runs import out_of_date
from core.project.settings.project import (
    data_file,
    load_project,
    project_sha256,
    render_project,
    updated_text,
)
from core.project.settings.project_file import parse_project
from core.project.shelf.lifecycle import create_project, delete_project
from core.service.data.new_table import new_table
from core.service.tables import findings
from core.store.results import write_result
from core.store.run_state import write_state
from core.team import identity

FUNNEL = '\n[[funnel]]\nmediator = "queries"\nproject = "Queries"\n'


def table(n=60, seed=2):
    rng = np.random.default_rng(seed)
    tv, radio = rng.gamma(3, 100, n).round(2), rng.gamma(3, 50, n).round(2)
    queries = (500 + tv + rng.normal(0, 20, n)).round(1)
    orders = (300 + 0.2 * tv + 0.4 * queries + rng.normal(0, 20, n)).round(1)
    weeks = pd.date_range("2024-01-01", periods=n, freq="7D").strftime("%Y-%m-%d")
    columns = {"week": weeks, "TV_spend": tv, "Radio_spend": radio}
    columns |= {"queries": queries, "orders": orders, "visits": orders + 7 * radio}
    return pd.DataFrame(columns | {"both": queries + orders})


def paid(*names):
    return tuple(
        ChannelColumns(name, "media", media=f"{name}_spend", spend=f"{name}_spend")
        for name in names
    )


def mapping(kpi, *names):
    return ColumnMapping("week", kpi, kpi_type="non_revenue", channels=paid(*names))


def finished(folder):
    """A run that looks like a finished fit, as far as a mediator needs it."""
    run = new_run(folder, "fit")
    draws = xr.Dataset({"sigma": (("chain", "draw"), np.arange(8.0).reshape(2, 4))})
    with write_result(run) as result:
        (result / "summary.json").write_text(json.dumps({"channels": []}))
        draws.to_netcdf(result / "posterior.nc", engine="h5netcdf")
    write_state(run, "done")
    return run


def add(folder, text):
    """Something more at the end of project.toml."""
    path = folder / "project.toml"
    path.write_text(path.read_text() + text)


@pytest.fixture
def projects(tmp_path, monkeypatch):
    """Orders, whose mediator is the KPI of Queries, which has a finished fit."""
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    queries = create_project("Queries", table(), mapping("queries", "TV"))
    fit = finished(queries)
    orders = create_project("Orders", table(), mapping("orders", "TV", "Radio"))
    add(orders, FUNNEL)
    return orders, queries, fit


def said(folder):
    project = load_project(folder)
    found = check_mediators(folder, project, data_file(folder, project))
    return [f"{each.message} {each.hint}" for each in found]


def test_a_mediator_is_organic_media_without_saturation(projects):
    orders, _, _ = projects
    project = load_project(orders)
    spec = project.spec.channel("queries")
    assert (spec.kind, spec.saturation) == ("organic_media", "none")
    assert spec.prior_kind == "contribution" and spec.prior.family == "Beta"
    text = (orders / "project.toml").read_text()
    assert parse_project(render_project(project)) == project
    assert parse_project(updated_text(text, project)) == project
    assert not said(orders)


def test_preset_meridian_keeps_its_own_prior(projects):
    text = (projects[0] / "project.toml").read_text()
    is_set = 'preset = "mixwright"' in text
    text = text.replace('preset = "mixwright"', 'preset = "meridian"')
    text = text if is_set else text + '\n[model]\npreset = "meridian"\n'
    spec = parse_project(text).spec.channel("queries")
    assert spec.prior is None and spec.saturation == "none"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda text: text.replace('= "queries"', '= "orders"'), "is the KPI of this"),
        (
            lambda text: text.replace("[data]", '[data]\ncontrols = ["queries"]'),
            "a mediator and a control",
        ),
        (lambda text: text + FUNNEL, "a mediator twice"),
        (lambda text: text + 'cost = "week"\n', "week is the time and the cost of"),
        (lambda text: text + 'cost = "queries"\n', "queries is media of queries and"),
        (lambda text: text.replace('project = "Queries"', ""), "project"),
        (
            lambda text: (
                text + '\n[[channel]]\nname = "queries"\nkind = "organic_media"\n'
                'media = "queries"\nsaturation = "hill"\n'
            ),
            "a mediator and saturates",
        ),
        (
            lambda text: (
                text
                + '\n[[channel]]\nname = "queries"\nkind = "media"\nmedia = "queries"\n'
                'spend = "TV_spend"\n'
            ),
            "of the kind media",
        ),
        (
            lambda text: (
                text + '\n[[experiment]]\nchannel = "TV"\ntogether_with = ["queries"]\n'
                'start = "2023-06-05"\nend = "2023-08-27"\n'
                "incremental_outcome = 9.0\nstandard_error = 1.0\n"
            ),
            "together with other channels",
        ),
    ],
)
def test_what_a_file_says_alone_is_refused_with_a_remedy(projects, change, reason):
    text = change((projects[0] / "project.toml").read_text())
    with pytest.raises(SpecError) as caught:
        parse_project(text)
    assert any(reason in each.message for each in caught.value.findings)
    assert all(each.hint for each in caught.value.findings)


def test_a_run_keeps_the_fit_of_its_mediator(projects):
    orders, queries, fit = projects
    run = new_run(orders, "fit")
    (kept,) = frozen_mediators(run)
    assert (kept / "result/posterior.nc").read_bytes() == (
        fit / "result/posterior.nc"
    ).read_bytes()
    assert load_project(kept).mapping.kpi == "queries"
    delete_project(queries.name)
    assert frozen_mediators(run) == [kept] and load_project(run).funnels
    assert not frozen_mediators(new_run(orders, "prior"))
    longer = new_run(orders, "fit", inputs=run)  # as more draws of it are asked for
    assert len(frozen_mediators(longer)) == 1


def test_a_funnel_that_changes_puts_a_fit_out_of_date(projects):
    orders, _, _ = projects
    run = new_run(orders, "fit")
    assert not out_of_date(run, orders)
    path = orders / "project.toml"
    path.write_text(path.read_text().replace(FUNNEL, ""))
    assert "the funnel changed" in out_of_date(run, orders)


def test_no_project_no_fit_and_no_right_to_see_it(projects):
    orders, queries, fit = projects
    path = orders / "project.toml"
    path.write_text(path.read_text().replace('"Queries"', '"Elsewhere"'))
    (text,) = said(orders)
    assert "no project Elsewhere that you may see" in text
    path.write_text(path.read_text().replace('"Elsewhere"', '"~nobody-here"'))
    (text,) = said(orders)
    assert "no project ~nobody-here that you may see" in text
    path.write_text(path.read_text().replace('"~nobody-here"', '"Queries"'))
    write_state(fit, "failed")
    (text,) = said(orders)
    assert "has no finished fit. Fit Queries first." in text
    with pytest.raises(SpecError, match="no finished fit"):
        new_run(orders, "fit")
    assert not [each for each in (orders / "runs").glob("*") if each.is_dir()]


def change_table(folder, change):
    project = load_project(folder)
    path = data_file(folder, project)
    frame = pd.read_parquet(path)
    change(frame).to_parquet(path)


def test_other_periods_values_media_and_channels(projects):
    orders, queries, _ = projects
    change_table(orders, lambda frame: frame.assign(queries=frame["queries"] * 1.1))
    assert any("is not the KPI queries" in text for text in said(orders))
    change_table(orders, lambda frame: frame.assign(queries=frame["queries"] / 1.1))
    change_table(orders, lambda frame: frame.assign(TV_spend=frame["TV_spend"] * 2))
    assert any("TV has other media or spend here" in text for text in said(orders))
    change_table(orders, lambda frame: frame.assign(TV_spend=frame["TV_spend"] / 2))
    assert not said(orders)
    change_table(orders, lambda frame: frame.iloc[4:])
    (text,) = (text for text in said(orders) if "periods" in text)
    assert "was fitted on 60 periods" in text and "this one has 56" in text


def test_a_channel_that_is_not_here_would_be_nobodys(projects):
    orders, _, _ = projects
    path = orders / "project.toml"
    project = load_project(orders)
    mine = [each for each in project.mapping.channels if each.name != "TV"]
    text = render_project(project)
    start = text.index('[[channel]]\nname = "TV"')
    end = text.index("[[channel]]", start + 5)
    path.write_text(text[:start] + text[end:])
    assert len(load_project(orders).mapping.channels) == len(mine)
    assert any("TV moves mediator queries" in text for text in said(orders))


@pytest.mark.parametrize(
    ("column", "reason"),
    [("both", "the sum of the KPI and queries"), ("visits", "")],
)
def test_a_sum_of_the_kpi_is_no_step_on_the_way(projects, column, reason):
    orders, _, _ = projects
    other = create_project("Other", table(), mapping(column, "TV"))
    finished(other)
    path = orders / "project.toml"
    text = path.read_text().replace('= "queries"', f'= "{column}"')
    path.write_text(text.replace('"Queries"', '"Other"'))
    assert ([text for text in said(orders) if "the KPI" in text] != []) == bool(reason)
    assert not reason or reason in said(orders)[0]


@pytest.mark.parametrize("is_part", [False, True])
def test_a_sum_of_the_kpi_and_several_columns_is_found(projects, is_part):
    orders, _, _ = projects

    def summed(frame):
        rest = frame["TV_spend"] + frame["Radio_spend"] + frame["visits"]
        if is_part:
            return frame.assign(orders=frame["queries"] + rest, both=1.0)
        frame = frame.assign(queries=frame["orders"] + rest, both=1.0)
        return frame

    change_table(orders, summed)
    reason = "which is the sum of it and" if is_part else "the sum of the KPI and"
    (text,) = (text for text in said(orders) if reason in text)
    assert "TV_spend, Radio_spend and visits" in text


def test_geos_and_periods_that_differ_are_said_once_and_in_words(projects):
    orders, _, _ = projects
    change_table(orders, lambda frame: frame.iloc[4:])
    assert len(said(orders)) == 1  # not what follows from it: other media, other values
    change_table(
        orders,
        lambda frame: pd.concat(
            [frame.assign(geo=name) for name in ("North", "South")]
        ),
    )
    path = orders / "project.toml"
    path.write_text(path.read_text().replace("[data]", '[data]\ngeo = "geo"'))
    said_of_geos = [text for text in said(orders) if "geos" in text]
    assert said_of_geos == [
        "Mediator queries: this one has geos, project Queries is of one market. "
        "Give both projects the same geos, in the same order."
    ]


def test_projects_in_two_currencies_have_no_money_in_common(projects):
    orders, queries, _ = projects
    for folder, currency in ((orders, "EUR"), (queries, "USD")):
        path = folder / "project.toml"
        text = path.read_text()
        assert "currency" not in text
        path.write_text(
            text.replace("\n\n[data]", f'\ncurrency = "{currency}"\n\n[data]', 1)
        )
    finished(queries)
    (text,) = said(orders)
    assert "Queries is in USD and this one in EUR" in text


def test_what_a_mediator_costs_is_not_spend_that_no_channel_uses(projects):
    orders, _, _ = projects
    change_table(
        orders, lambda frame: frame.assign(queries_cost=frame["queries"] * 0.5)
    )

    def unused():
        return [each for each in findings(orders) if "queries_cost" in each.message]

    assert unused()
    path = orders / "project.toml"
    path.write_text(
        path.read_text().replace(FUNNEL, f'{FUNNEL}cost = "queries_cost"\n')
    )
    assert not unused()


def test_new_files_are_not_asked_about_what_a_mediator_costs(projects):
    orders, _, _ = projects
    path = orders / "project.toml"
    path.write_text(
        path.read_text().replace(FUNNEL, f'{FUNNEL}cost = "queries_cost"\n')
    )
    frame = pd.read_parquet(data_file(orders, load_project(orders)))
    frame = frame.assign(queries_cost=frame["queries"] * 0.5)
    base = project_sha256(orders)
    read = new_table(orders, [File("new.csv", frame)], {}, {}, base=base)
    assert not read.is_refused
    assert [each for each in read.findings if "queries_cost" in each.message] == []
    kept = pd.read_parquet(data_file(orders, load_project(orders)))
    assert "queries_cost" in kept.columns


def test_circles_of_mediators(projects):
    orders, queries, _ = projects
    back = '\n[[funnel]]\nmediator = "orders"\nproject = "Orders"\n'
    add(queries, back)
    (text,) = said(orders)
    assert "leads back to this project: Orders ← Queries ← Orders" in text


def test_reach_and_frequency_are_those_of_the_other_project(projects):
    frame = table()
    frame = frame.assign(TV_reach=frame["TV_spend"] * 3, TV_frequency=2.0)
    columns = {"reach": "TV_reach", "frequency": "TV_frequency", "spend": "TV_spend"}
    tv = ChannelColumns("TV", "reach_frequency", **columns)
    folders = [
        create_project(
            name, frame, ColumnMapping("week", kpi, channels=(tv, *paid("Radio")))
        )
        for name, kpi in (("Searches", "queries"), ("Sales", "orders"))
    ]
    finished(folders[0])
    add(folders[1], FUNNEL.replace("Queries", "Searches"))
    assert said(folders[1]) == []
    change_table(folders[1], lambda frame: frame.assign(TV_frequency=2.5))
    assert any("TV has other media or spend here" in x for x in said(folders[1]))


def test_draws_are_paired_at_random_by_a_seed():
    own = xr.Dataset({"a": (("chain", "draw"), np.zeros((2, 6)))})
    other = xr.Dataset(
        {"b": (("chain", "draw", "geo"), np.arange(16.0).reshape(2, 4, 2))}
    )
    both = paired(own, other, "x_", 1)
    picked = both["x_b"].transpose("chain", "draw", ...).values.reshape(12, 2)
    assert set(map(tuple, picked[:8])) == {(2.0 * i, 2.0 * i + 1) for i in range(8)}
    assert paired(own, other, "x_", 1).equals(both)
    assert not paired(own, other, "x_", 2).equals(both)


def test_draws_that_share_an_observation_are_paired_by_it():
    """In proportion to the density: here 3 to 1 for two draws, and nothing else."""
    own = xr.Dataset({"a": (("chain", "draw"), np.zeros((2, 2000)))})
    other = xr.Dataset({"b": (("chain", "draw"), np.arange(4.0).reshape(2, 2))})
    beside = alone([("x_", other)], 1)
    first = beside["x_b"].values[0]
    weight = np.select([first == 0, first == 2], [3.0, 1.0], 1e-300)
    both = paired_by(own, beside, np.log(np.tile(weight, (4000, 1))), 1)
    picked = both["x_b"].values.ravel()
    assert set(picked) == {0.0, 2.0}
    assert (picked == 0).mean() == pytest.approx(0.75, abs=0.03)


def test_somebody_who_may_not_see_the_other_project(projects, tmp_path):
    orders, queries, _ = projects
    (tmp_path / "access.toml").write_text('sign_in = "oidc"\nadmins = ["b@x.org"]\n')
    for folder, person in ((orders, "eve"), (queries, "anna")):
        (folder / "members.toml").write_text(f'[members]\n"{person}@x.org" = "planner"')
    identity.set_sign_in(lambda: identity.Person("eve@x.org", "sign-in"))
    try:
        (text,) = said(orders)
        assert "no project Queries that you may see" in text
        with pytest.raises(SpecError):
            new_run(orders, "fit")
    finally:
        identity.set_sign_in(None)
    assert not said(orders)
