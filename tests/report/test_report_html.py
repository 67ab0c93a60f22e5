import json
import re
from html.parser import HTMLParser

import pytest

from core.data.mapping import ChannelColumns, ColumnMapping
from core.errors import WorkspaceError
from core.fit.settings import SamplerSettings
from core.model.spec import ChannelSpec, ModelSpec
from core.plan.record.plan_record import with_details
from core.project.settings.definition import Project
from core.project.settings.project import render_project
from core.report.html import write_report
from core.store.results import write_result
from tests.charts import synthetic
from tests.shelf import stored

COLUMNS = {
    "media": {"media": "m", "spend": "s"},
    "organic_media": {"media": "m"},
    "non_media": {"column": "c"},
}


def project(names):
    columns, specs = [], []
    for i, (name, kind) in enumerate(zip(names, synthetic.KINDS, strict=True)):
        given = {key: f"{value}{i}" for key, value in COLUMNS[kind].items()}
        columns.append(ChannelColumns(name, kind, **given))
        specs.append(ChannelSpec(name, kind))
    mapping = ColumnMapping("week", "orders", channels=tuple(columns))
    return Project(
        name="Demo <market>",
        currency="EUR",
        file="data.parquet",
        mapping=mapping,
        spec=ModelSpec(channels=tuple(specs), knots=10),
        sampler=SamplerSettings(seed=7),
    )


def run_folder(
    folder,
    names=synthetic.NAMES,
    attrs=synthetic.ATTRS,
    has_frequency=False,
    has_forecast=False,
    experiments=(),
):
    """A finished run, made up to the letter of the contract."""
    folder.mkdir()
    (folder / "project.toml").write_text(render_project(project(names)))
    about = {"run_id": folder.name, "created": "2024-01-02T03:04:05", "seed": 7}
    about |= {"data_sha256": "ab" * 32, "versions": {"mixwright": "0.1.0"}}
    (folder / "run.json").write_text(json.dumps(about))
    with write_result(folder) as result:
        files = {
            name: stored(getattr(synthetic, name), names, attrs)
            for name in ("channels", "curves", "horizon_curves")
        }
        files["weeks"] = stored(synthetic.weeks, names, attrs, n_times=60)
        if has_frequency:
            views = (names[0], names[4]), attrs
            files["frequency"] = stored(synthetic.frequency, *views)
        if has_forecast:
            files["forecast"] = stored(synthetic.forecast, names, attrs)
        for name, file in files.items():
            (result / f"{name}.nc").write_bytes(file)
        (result / "summary.json").write_text(
            json.dumps(
                synthetic.summary(names, attrs) | {"experiments": list(experiments)}
            )
        )
    return folder


class Page(HTMLParser):
    """Tags with their attributes, visible text, and what scripts and styles say."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text, self.raw, self.inside = [], [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.inside = tag

    def handle_data(self, data):
        (self.raw if self.inside in ("script", "style") else self.text).append(data)

    def said(self):
        return " ".join(" ".join(self.text).replace("\u00a0", " ").split())


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    run = run_folder(folder / "20240102-030405-0a1b2c3d")
    return write_report(run, folder / "report.html", synthetic.plan()).read_text(
        "utf-8"
    )


@pytest.fixture(scope="module")
def page(report):
    return Page(report)


def test_says_what_a_director_needs(page):
    said = page.said()
    for words in (
        "Demo <market>",
        "Doubtful.",
        "Bulk effective sample size of knot_values[3] is 362",
        "TV has the highest ROI, 3.13 (2.53 – 3.75) € per €",
        "the probability that it is the best channel is",
        "What each channel returned",
        "90 % interval",
        "Gain over the same weeks last year",
        "+1.80 M €",
        "94 %",
        "At most 0.1 % below the best plan",
        "LogNormal(0.2, 0.9)",
        "4 Jan 2021 to 25 Dec 2023",
        "7, float32",
        "mixwright 0.1.0",
    ):
        assert words in said, words


def test_has_every_figure(page):
    ids = {attrs.get("id", "") for _, attrs in page.tags}
    wanted = {"roi", "waterfall", "over-time", "expected", "responses-0"}
    assert {f"figure-{name}" for name in wanted} <= ids
    assert {"figure-plan-0", "figure-plan-1"} <= ids


def test_notes_of_the_project_stand_on_time_charts(tmp_path):
    (tmp_path / "runs").mkdir()
    note = {"date": "2021-03-08", "text": "TV strike </script>"}
    (tmp_path / "annotations.json").write_text(json.dumps({"annotations": [note]}))
    file = write_report(run_folder(tmp_path / "runs" / "one"), tmp_path / "report.html")
    content = file.read_text(encoding="utf-8")
    assert content.count('"textangle":-90') == 2
    assert "8 Mar 2021: TV strike" in content
    assert "strike </script>" not in content


def test_asks_nothing_of_the_network(page):
    for tag, attrs in page.tags:
        assert tag not in ("link", "iframe", "object", "embed", "img", "form"), tag
        for name in ("src", "href", "action", "srcset", "data"):
            is_inside = name == "href" and attrs.get(name, "").startswith("#")
            assert is_inside or name not in attrs, (tag, attrs)
    policy = next(
        attrs["content"]
        for tag, attrs in page.tags
        if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    assert "default-src 'none'" in policy
    assert "http" not in policy
    styles = [raw for raw in page.raw if "--ink" in raw]
    assert styles
    for raw in styles:
        assert "@import" not in raw
        assert all(u.startswith("data:") for u in re.findall(r"url\(([^)]*)\)", raw))


def test_plotly_is_there_once_and_sends_nothing(report):
    assert report.count("plotly.js v") == 1
    configs = re.findall(r'"showSendToCloud":\s*(\w+)', report)
    assert len(configs) == 8
    assert set(configs) == {"false"}


def test_figures_carry_the_house_colours(report):
    assert "#000001" not in report  # Streamlit's placeholder palette
    assert '"#235bdc"' in report


def test_hostile_names_stay_text(tmp_path):
    run = run_folder(tmp_path / "run", synthetic.HOSTILE)
    plan = synthetic.plan(synthetic.HOSTILE)
    text = write_report(run, tmp_path / "report.html", plan).read_text("utf-8")
    page = Page(text)
    assert not [attrs for _, attrs in page.tags if "onerror" in attrs]
    assert "<script>alert(2)" not in text
    assert '<img src=x onerror="alert(1)">' in page.said()
    assert sum(tag == "script" for tag, _ in page.tags) == 10


def test_without_a_plan_and_without_a_value_per_kpi(tmp_path):
    attrs = synthetic.ATTRS | {"outcome_unit": "kpi", "kpi_name": "sign-ups"}
    run = run_folder(tmp_path / "run", attrs=attrs)
    said = Page(write_report(run, tmp_path / "r.html").read_text("utf-8")).said()
    assert "Cost per incremental unit of sign-ups" in said
    assert "has the lowest cost per incremental unit of sign-ups" in said
    assert "Gain over the same weeks last year" not in said


def test_a_plan_that_changes_nothing_has_no_distribution_of_its_gain(tmp_path):
    run, plan = run_folder(tmp_path / "run"), synthetic.plan()
    draws = dict.fromkeys(plan.draws, plan.draws["planned"])
    same = with_details(plan, draws=draws)
    text = write_report(run, tmp_path / "r.html", same).read_text("utf-8")
    assert "figure-plan-1" in text  # spend, and the best outcome over the budget
    assert "figure-plan-2" not in text


def test_estimates_may_be_missing(tmp_path, monkeypatch):
    nothing = dict.fromkeys(("mean", "median", "sd", "lo", "hi"))
    summary = synthetic.summary()
    for row in summary["channels"]:
        row["cpik"] = row["roi"] = nothing
    monkeypatch.setattr(synthetic, "summary", lambda *_: summary)
    run = run_folder(tmp_path / "run")
    assert write_report(run, tmp_path / "r.html").stat().st_size > 1e6


def test_damaged_result_says_so(tmp_path):
    run = run_folder(tmp_path / "run")
    (run / "result" / "channels.nc").write_bytes(b"damaged")
    with pytest.raises(WorkspaceError, match="damaged"):
        write_report(run, tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()


def test_unwritable_place_says_so(tmp_path):
    run = run_folder(tmp_path / "run")
    with pytest.raises(WorkspaceError):
        write_report(run, tmp_path / "nowhere" / "report.html")


def test_optimal_frequency_is_reported_where_there_is_one(tmp_path):
    heading = "How often to reach people"
    without = write_report(run_folder(tmp_path / "a"), tmp_path / "a.html")
    assert heading not in without.read_text()
    given = run_folder(tmp_path / "b", synthetic.HOSTILE, has_frequency=True)
    text = write_report(given, tmp_path / "b.html").read_text()
    assert heading in text
    assert text.count('id="figure-frequency-') == 2
    assert re.search(r"optimal frequency 3\.4 \(2\.\d – 4\.\d\), now 5\.2", text)
    assert "<img src=x" not in text


def test_lift_tests_are_reported_where_there_are_some(tmp_path):
    heading = "What lift tests say"
    without = write_report(run_folder(tmp_path / "a"), tmp_path / "a.html")
    assert heading not in without.read_text()
    tests = synthetic.experiments(synthetic.HOSTILE)
    given = run_folder(tmp_path / "b", synthetic.HOSTILE, experiments=tests)
    text = write_report(given, tmp_path / "b.html").read_text()
    assert heading in text
    assert 'id="figure-experiments"' in text
    assert "<img src=x" not in text
