"""The Fit screen in every state of a run."""

import json
import re
from dataclasses import replace

import pytest
from msgspec import structs

from core.model.priors.elicitation import from_range
from core.project.settings.defaults import default_spec
from core.project.settings.project import load_project, save_project
from core.service import runs
from pages.ui import reading
from tests.pages import worlds
from tests.pages.said import is_sound, texts

#: Settings of the sampler, which are for analysts.
SETTINGS = re.compile(r"\bseed\b|float32|warm-up|kept draws", re.IGNORECASE)


@pytest.fixture
def submitted(monkeypatch):
    started = []

    def submit(run, **options):
        started.append((run, options))

    monkeypatch.setattr(runs.executor, "submit", submit)
    return started


def test_without_a_project(screen):
    at = screen("fit")
    assert is_sound(at)
    assert "No project is open" in texts(at)


def test_before_the_first_fit(screen, home, submitted):
    folder = worlds.project()
    at = screen("fit", worlds.MARKET)
    assert is_sound(at)
    assert "Not fitted yet" in texts(at)
    assert not SETTINGS.search(texts(at))
    at.button(key="fit.start").click().run()
    assert is_sound(at)
    [(run, options)] = submitted
    assert run.parent.parent == folder and not options


def test_errors_in_the_data_block_and_lead_to_data(screen, home):
    frame = worlds.table()
    frame.loc[3, "TV_spend"] = -5.0
    worlds.create_project(worlds.MARKET, frame, worlds.mapping())
    at = screen("fit", worlds.MARKET)
    assert is_sound(at)
    assert at.button(key="fit.start").disabled
    assert "The data block a fit" in texts(at)
    assert at.button(key="go.data")


def test_errors_in_the_data_stand_beside_a_doubtful_fit(screen, home):
    frame = worlds.table()
    frame.loc[3, "TV_spend"] = -5.0
    name = worlds.MARKET
    worlds.fit(worlds.create_project(name, frame, worlds.mapping()), "doubtful")
    at = screen("fit", worlds.MARKET)
    assert is_sound(at)
    assert "The data block a fit" in texts(at)
    labels = [button.label for button in at.button]
    assert "Go to Data" in labels and "Check the data" in labels


def test_settings_are_saved(screen, home):
    folder = worlds.project()
    at = screen("fit", worlds.MARKET)
    at.number_input(key="fit.set.chains.0").set_value(2).run()
    at.selectbox(key="fit.set.precision.0").set_value("float64").run()
    assert is_sound(at)
    sampler = load_project(folder).sampler
    assert (sampler.chains, sampler.precision) == (2, "float64")
    assert "Settings of the next fit: Chains 2 · Precision float64." in texts(at)


def test_running(screen, home, held):
    run = worlds.run(worlds.project(), "running")
    held(run)
    worlds.progress(run)
    at = screen("fit", worlds.MARKET)
    assert is_sound(at)
    said = texts(at)
    for word in ("1.034", "212", "Largest R-hat so far"):
        assert word in said
    assert at.button(key="fit.start").disabled
    assert not at.button(key="fit.cancel").disabled
    at.button(key="fit.cancel").click().run()
    assert (run / "cancel").exists()


def test_while_the_model_is_compiled_the_last_fit_says_how_long(screen, fitted, held):
    run = worlds.run(fitted, "running")
    held(run)
    nothing = {"chains": [], "rhat_max": None, "ess_min": None, "eta": None}
    worlds.progress(run, phase="compiling", fraction=0.0, elapsed=6.0, **nothing)
    at = screen("fit", worlds.MARKET)
    assert is_sound(at)
    assert "left, as last time" in at.get("progress")[0].proto.text


@pytest.mark.parametrize("state", ["queued", "starting", "cancelling"])
def test_live_before_the_first_report(screen, home, held, state):
    run = worlds.run(worlds.project(), state)
    held(run)
    at = screen("fit", worlds.MARKET)
    assert is_sound(at)
    assert at.button(key="fit.cancel").disabled == (state == "cancelling")


@pytest.mark.parametrize(
    "report",
    [
        {"chains": None, "fraction": "x", "eta": None},
        {"chains": [{}], "fraction": 7, "rhat_max": float("nan")},
        {"phase": 3, "chains": [{"iteration": None, "total": 0}]},
    ],
)
def test_odd_reports_do_no_harm(screen, home, held, report):
    run = worlds.run(worlds.project(), "running")
    held(run)
    (run / "progress.json").write_text(worlds.json.dumps(report))
    assert is_sound(screen("fit", worlds.MARKET))


def test_refresh_and_second_browser_find_the_run(screen, home, held):
    run = worlds.run(worlds.project(), "running")
    held(run)
    worlds.progress(run)
    for at in (screen("fit", worlds.MARKET), screen("fit", worlds.MARKET)):
        assert at.button(key="fit.cancel")
        labels = [link.proto.label for link in at.get("page_link")]
        assert any("46\u00a0s left" in label for label in labels)


@pytest.mark.parametrize("verdict", ["trustworthy", "doubtful", "failed"])
def test_done(screen, home, verdict):
    worlds.fit(worlds.project(), verdict)
    at = screen("fit", worlds.MARKET)
    assert is_sound(at)
    assert f"Verdict: {verdict}" in texts(at)
    assert len(at.get("plotly_chart")) == 1
    assert at.button(key="go.channels")


@pytest.mark.parametrize("state", ["failed", "killed", "lost", "cancelled"])
def test_stopped_run_says_why_and_can_go_on(screen, home, submitted, state):
    run = worlds.run(
        worlds.project(), state, message="Memory ran out.", hint="Use fewer chains."
    )
    at = screen("fit", worlds.MARKET)
    assert is_sound(at)
    assert "Memory ran out." in texts(at) and "Use fewer chains." in texts(at)
    at.button(key="fit.resume").click().run()
    assert submitted == [(run, {"resume": True})]


def test_run_whose_supervisor_died_is_lost(screen, home):
    run = worlds.run(worlds.project(), "running")
    (run / "lock").touch()
    at = screen("fit", worlds.MARKET)
    assert is_sound(at)
    assert "Fit lost" in texts(at)


def test_out_of_date(screen, fitted):
    text = (fitted / "project.toml").read_text()
    (fitted / "project.toml").write_text(text.replace("[model]", "[model]\nknots = 9"))
    at = screen("fit", worlds.MARKET)
    assert is_sound(at)
    assert "Out of date: model options changed" in texts(at)


def test_damaged_result(screen, cold, fitted):
    run = next((fitted / "runs").iterdir())
    worlds.damage(run, "diagnostics.json")
    at = screen("fit", worlds.MARKET)
    assert is_sound(at)
    assert "damaged result" in texts(at)
    assert not at.button(key="fit.start").disabled


def test_an_older_fit_can_be_shown(screen, fitted):
    first = next((fitted / "runs").iterdir())
    worlds.fit(fitted, "doubtful")
    at = screen("fit", worlds.MARKET)
    assert "Verdict: doubtful" in texts(at)
    at = screen("fit", worlds.MARKET, run=False)
    at.query_params["run"] = first.name
    at.run()
    assert "Verdict: trustworthy" in texts(at)
    at.query_params["run"] = "20200101-000000-00000000"
    at.run()
    assert is_sound(at)
    assert "There is no fit" in texts(at)


def test_log_is_read_when_it_is_opened(screen, fitted):
    run = next((fitted / "runs").iterdir())
    (run / "log.txt").write_bytes(b"compiled\n\xff\xfe\n")
    assert is_sound(screen("fit", worlds.MARKET))


def test_a_fit_that_lacks_draws_can_be_given_more(screen, home, submitted):
    run = worlds.fit(worlds.project(), "doubtful")
    keys = [button.key for button in screen("fit", worlds.MARKET).button]
    assert "fit.more" not in keys and "go.model" in keys  # what would help, then
    (run / "checkpoint").mkdir()
    (run / "checkpoint/state.npz").touch()
    at = screen("fit", worlds.MARKET)
    assert at.button(key="fit.more").label == "Add 600 draws per chain"
    kinds = {b.key: b.proto.type for b in at.button if b.key}
    assert kinds["fit.more"] == "primary" and kinds["go.channels"] == "secondary"
    at.button(key="fit.more").click().run()
    assert is_sound(at)
    [(made, _)] = submitted
    told = worlds.json.loads((made / "run.json").read_text())
    assert told["continues"] == run.name and told["sampler"]["draws"] == 1600


def test_a_fit_whose_trajectories_diverged_is_offered_smaller_steps(
    screen, home, submitted, monkeypatch
):
    folder = worlds.project()
    worlds.fit(folder, "doubtful")
    diverged = "12 of 4,000 trajectories diverged, so a part may be missing."
    whole = reading.diagnostics

    def diagnostics(run):
        return structs.replace(whole(run), reasons=(diverged,))

    monkeypatch.setattr(reading, "diagnostics", diagnostics)
    at = screen("fit", worlds.MARKET)
    assert is_sound(at)
    assert "0.95" in at.button(key="fit.finer").help
    at.button(key="fit.finer").click().run()
    assert is_sound(at)
    assert load_project(folder).sampler.target_accept == 0.95
    [(started, _)] = submitted
    used = worlds.json.loads((started / "run.json").read_text())["sampler"]
    assert used["target_accept"] == 0.95


def _behind(at):
    """What the note of the chart of returns says of what stands behind them."""
    specs = [json.loads(chart.proto.spec) for chart in at.get("plotly_chart")]
    [note] = [
        spec["layout"]["title"]["subtitle"]["text"]
        for spec in specs
        if spec["layout"]["title"]["text"].startswith("ROI")
    ]
    return "Grey: prior." if "Grey: prior." in note else ""


def _titles(at):
    """Titles of the charts on screen, without their notes."""
    specs = [json.loads(chart.proto.spec) for chart in at.get("plotly_chart")]
    return [spec["layout"]["title"]["text"].partition("<br>")[0] for spec in specs]


def test_a_fit_at_work_shows_what_it_explains_at_once(screen, home, held):
    run = worlds.run(worlds.project(), "running")
    held(run)
    at = screen("fit", worlds.MARKET)
    assert is_sound(at)
    kpi, spend = _titles(at)
    assert kpi.startswith("Revenue") and spend.startswith("Spend by channel")
    assert re.search(r"learns from \d+ weeks of [Rr]evenue", texts(at))
    worlds.preview(run)
    assert len(_titles(screen("fit", worlds.MARKET))) == 2


def test_a_fit_at_work_without_paid_media_has_no_empty_chart_of_spend(
    screen, home, held
):
    folder = worlds.project()
    project = load_project(folder)
    free = project.mapping.of_kind("organic_media", "non_media")
    mapping = replace(project.mapping, channels=free)
    save_project(folder, replace(project, mapping=mapping, spec=default_spec(mapping)))
    run = worlds.run(folder, "running")
    held(run)
    at = screen("fit", worlds.MARKET)
    assert is_sound(at)
    [kpi] = _titles(at)
    assert kpi.startswith("Revenue")


def test_what_a_fit_says_so_far_has_only_its_own_prior_behind(screen, home, held):
    folder = worlds.project()
    run = worlds.run(folder, "running")
    held(run)
    worlds.preview(run)
    assert _behind(screen("fit", worlds.MARKET)) == "Grey: prior."
    project = load_project(folder)
    channel = project.spec.channels[0]
    spec = project.spec.with_channel(replace(channel, prior=from_range(1.0, 2.0)))
    save_project(folder, replace(project, spec=spec))
    assert _behind(screen("fit", worlds.MARKET)) == ""


def test_bar_and_time_left_say_the_same(screen, home, held):
    run = worlds.run(worlds.project(), "running")
    held(run)
    worlds.progress(run, phase="analysis", fraction=0.5, elapsed=60.0, eta=60.0)
    [bar] = screen("fit", worlds.MARKET).get("progress")
    assert bar.proto.value == pytest.approx(50, abs=2)
    assert "50\u00a0%" in bar.proto.text or "51\u00a0%" in bar.proto.text
    worlds.progress(run, phase="analysis", fraction=0.9, elapsed=600.0, eta=0.0)
    at = screen("fit", worlds.MARKET)
    assert "longer than expected" in at.get("progress")[0].proto.text
    labels = [link.proto.label for link in at.get("page_link")]
    assert any("longer than expected" in label for label in labels)


def test_a_preview_is_shown_as_one_until_there_is_a_result(screen, home, held):
    run = worlds.run(worlds.project(), "running")
    held(run)
    worlds.progress(run)
    assert "preview" not in texts(screen("fit", worlds.MARKET)).lower()
    worlds.preview(run)
    at = screen("fit", worlds.MARKET)
    assert is_sound(at)
    said = texts(at)
    assert "preview before sampling, not a result" in said
    assert "ROI, a preview, € per €" in _titles(at)
    assert "It is rough" in said and "k-hat 0.83, above 0.7" in said
    table = at.dataframe[-1].value if at.dataframe else None
    assert table is not None
    for name in ("channels", "plan"):
        at = screen(name, worlds.MARKET)
        assert is_sound(at)
        assert "Preview" not in texts(at)
    sampling = {"verdict": "doubtful", "reasons": ["TV has few draws."]}
    worlds.preview(run, method="sampled", plan=None, sampling=sampling)
    at = screen("fit", worlds.MARKET)
    assert is_sound(at)
    said = texts(at)
    assert "ROI, € per €" in _titles(at)
    assert "Sampling is doubtful: TV has few draws." in said
    assert "not a result" not in said and "k-hat" not in said
    worlds.previews.clear_preview(run)
    worlds.fit(run.parent.parent)
    assert "Preview" not in texts(screen("fit", worlds.MARKET))


def test_a_number_just_above_its_limit_is_not_shown_as_the_limit(screen, home, held):
    run = worlds.run(worlds.project(), "running")
    held(run)
    worlds.preview(run, k_hat=0.704)
    assert "k-hat 0.704, above 0.7" in texts(screen("fit", worlds.MARKET))
    worlds.preview(run, method="reweighted", k_hat=0.9, highest_k=0.7, plan=None)
    said = texts(screen("fit", worlds.MARKET))
    assert "k-hat 0.9, above 0.7" in said and "{" not in said


def test_while_results_are_worked_out_chains_are_done(screen, home, held):
    run = worlds.run(worlds.project(), "running")
    held(run)
    chain = {"iteration": 1000, "total": 1000, "phase": "draws", "divergences": 0}
    report = {"phase": "analysis", "fraction": 0.97, "chains": [chain] * 2}
    report |= {"rhat_max": 1.002, "ess_min": 840.0}
    (run / "progress.json").write_text(worlds.json.dumps(report))
    at = screen("fit", worlds.MARKET)
    assert is_sound(at)
    assert list(at.dataframe[0].value["phase"]) == ["done", "done"]
    assert [tile.value for tile in at.metric] == ["1.002", "840", "0"]


def test_a_close_preview_says_so(screen, home, held):
    run = worlds.run(worlds.project(), "running")
    held(run)
    worlds.preview(run, is_rough=False, k_hat=0.4, plan=None)
    at = screen("fit", worlds.MARKET)
    assert is_sound(at)
    assert "it is close" in texts(at)


def test_the_chains_are_drawn_while_they_run(screen, home, held):
    made = worlds.run(worlds.project())
    held(made)
    line = [-900.0 + 0.1 * i for i in range(60)]
    trace = {"iterations": list(range(1, 61)), "log_density": [line, [None, *line[1:]]]}
    worlds.progress(made, trace=trace)
    at = screen("fit", worlds.MARKET)
    assert is_sound(at)
    assert "Trace of log density" in " ".join(_titles(at))
    for odd in ({}, {"iterations": 3}, {"iterations": list(range(60))}, [1], "x"):
        worlds.progress(made, trace=odd)
        assert is_sound(at.run())


def test_a_fit_that_nobody_has_looked_at_is_announced_once(screen, fitted):
    [made] = list((fitted / "runs").iterdir())
    (made / "seen").unlink()
    at = screen("model", worlds.MARKET)
    assert [toast.value for toast in at.toast] == [
        f"The fit of {worlds.MARKET} is done, trustworthy."
    ]
    labels = [link.proto.label for link in at.get("page_link")]
    assert any("new" in label for label in labels)
    assert not at.run().toast
    at = screen("fit", worlds.MARKET)
    assert is_sound(at)
    assert (made / "seen").exists()
    links = screen("model", worlds.MARKET).get("page_link")
    labels = [link.proto.label for link in links]
    assert not any("new" in label for label in labels)


def test_old_fits_are_deleted_but_those_that_stay(screen, home):
    folder = worlds.project()
    old = [worlds.run(folder, "failed") for _ in range(3)]
    made = worlds.fit(folder)
    at = screen("fit", worlds.MARKET)
    assert at.button(key="fit.prune").disabled
    at.number_input(key="fit.prune.days").set_value(0).run()
    at.number_input(key="fit.prune.keep").set_value(2).run()
    assert is_sound(at)
    assert at.button(key="fit.prune").label == "Delete 2 runs"
    at.button(key="fit.prune").click().run()
    assert is_sound(at)
    left = {path.name for path in (folder / "runs").iterdir()}
    assert made.name in left and len(left) == 2
    assert len(left & {run.name for run in old}) == 1


def test_the_model_check(screen, home):
    folder = worlds.project()
    worlds.fit(folder, missed=True)
    at = screen("fit", worlds.MARKET)
    assert is_sound(at)
    (check,) = [one for one in at.expander if "Model check" in one.label]
    assert check.label == "Model check: 1 of 3 missed: the model misses the peaks"
    said = " ".join(each.value for each in check.caption).replace("\\", "")
    assert "The model misses the peaks. Add holidays" in said and "2022-12-19" in said
    assert check.button(key="fit.check.options").label == "Season, holidays and events"
    assert "not forecasts" in texts(at)
    at.toggle(key="fit.check.pictures").set_value(True).run()
    assert is_sound(at)


def test_parameters_are_looked_at_closely_when_somebody_asks(screen, home):
    worlds.fit(worlds.project())
    at = screen("fit", worlds.MARKET)
    assert "leaves its prior" not in texts(at)
    at.toggle(key="fit.parameters.shown").set_value(True).run()
    assert is_sound(at)
    said = texts(at)
    last = worlds.synthetic.PAID[-1]
    assert f"The posterior leaves its prior: {last} · slope." in said
    assert at.selectbox(key="fit.parameters.one").options[0].endswith("· carryover")
    assert at.multiselect(key="fit.parameters.pairs").value
    at.multiselect(key="fit.parameters.pairs").set_value([]).run()
    assert "Choose two to four parameters." in texts(at)


def test_a_fit_of_before_there_were_parameters_is_shown_without(screen, home):
    made = worlds.fit(worlds.project())
    (made / "result/parameters.nc").unlink()
    manifest = made / "result/manifest.json"
    told = json.loads(manifest.read_text())
    del told["files"]["parameters.nc"]
    manifest.write_text(json.dumps(told))
    at = screen("fit", worlds.MARKET)
    assert is_sound(at)
    assert not [one for one in at.toggle if "Parameters" in one.label]


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_a_run_that_stopped_does_not_hide_the_fit_before_it(screen, fitted, state):
    worlds.run(fitted, state, message="Memory ran out.")
    at = screen("fit", worlds.MARKET)
    assert is_sound(at)
    said = texts(at)
    assert "Memory ran out." in said
    assert "Channels and Plan show the fit before it:" in said
    assert "trustworthy" in said
    assert at.button(key="go.channels")


def test_draws_that_are_no_numbers_have_no_figures(screen, home, monkeypatch):
    none = dict.fromkeys(("rhat_max", "ess_bulk_min", "ess_tail_min"))
    made = worlds.synthetic.diagnostics
    monkeypatch.setattr(
        worlds.synthetic, "diagnostics", lambda *verdict: made(*verdict) | none
    )
    worlds.fit(worlds.project(), "failed")
    at = screen("fit", worlds.MARKET)
    assert is_sound(at)
    [facts] = [table.value for table in at.table if "R-hat" in str(table.value)]
    assert "–" in str(facts)


def test_the_parts_of_a_fits_time_have_names_and_add_up():
    from core.jobs.tasks.fit_run import _seconds
    from pages.fit import result

    sampled = {"setup": 0.6, "compile": 423.6, "mode": 89.4, "preview": 22.3}
    sampled |= {"warmup": 87.6, "draws": 440.6, "total": 1064.1, "parameters": 3.6}
    seconds = _seconds(sampled, before=9.9, results=181.6)
    whole, parts = result._times(result.FitReport(seconds=seconds))
    assert whole == round(seconds["total"]) == sum(parts.values())
    assert list(parts)[0] == "getting ready" and len(parts) == 8
    assert all(
        abs(part - took) <= 1
        for part, took in zip(
            parts.values(),
            [10.5, 423.6, 89.4, 22.3, 87.6, 440.6, 3.6, 181.6],
            strict=True,
        )
    )
