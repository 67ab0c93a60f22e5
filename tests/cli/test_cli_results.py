import json
import shlex
import shutil

import openpyxl
import pytest

from core.plan.record.plan_record import with_details
from core.project.plans.plans import save_plan
from core.store.atomic import explain
from tests.charts import synthetic
from tests.pages import worlds

ESTIMATE = {"mean", "median", "sd", "lo", "hi"}


def test_summary_is_what_is_stored(say, fit):
    said = say("summary", fit, "--json")
    assert said.code == 0
    assert said.err == ""
    stored = json.loads((fit / "result/summary.json").read_text())
    assert said.data == stored | {"run": str(fit)}
    assert {"channels", "baseline_share", "accuracy", "diagnostics", "run"} <= set(
        said.data
    )
    for channel in said.data["channels"][:4]:
        for key in ("roi", "mroi", "cpik", "contribution", "contribution_share"):
            assert ESTIMATE <= set(channel[key])


@pytest.mark.parametrize("by", ["folder", "name", "project", "project name"])
def test_a_run_has_many_names(say, fit, project, by):
    name = {
        "folder": fit,
        "name": fit.name,
        "project": project,
        "project name": project.name,
    }[by]
    said = say("summary", name, "--json")
    assert said.code == 0, said.err
    assert said.data["run"] == str(fit)


def test_summary_for_people(say, fit):
    said = say("summary", fit)
    assert said.code == 0
    for word in ("TV", "ROI in € per €", "Baseline share", "Verdict: trustworthy"):
        assert word in said.out
    line = next(line for line in said.out.splitlines() if line.startswith("TV "))
    assert "(" in line


def test_optimal_frequency_in_the_summary(say, project, fit):
    assert "frequency" not in say("summary", fit).out
    rows = say("summary", fit, "--json").data["channels"]
    assert all(row["optimal_frequency"] is None for row in rows)
    reaching = worlds.fit(project, has_frequency=True)
    assert "TV. The best frequency is 3.4 (2.7 – 4.1); now it is 5.2." in (
        say("summary", reaching).out
    )
    first, *others = say("summary", reaching, "--json").data["channels"]
    assert ESTIMATE | {"best", "current"} == set(first["optimal_frequency"])
    assert not any(row["optimal_frequency"] for row in others)


def test_without_a_result(say, project):
    assert "no finished fit" in say("summary", project).err
    assert "is no project." in say("summary", project.parent).err
    spaced = project.rename(project.parent / "My market")
    assert shlex.quote(str(spaced)) in say("summary", spaced).err
    spaced.rename(project)
    for state in ("running", "failed", "cancelled"):
        run = worlds.run(project, state, message="It stopped.")
        said = say("summary", run, "--json")
        assert said.code == 1
        assert said.out == ""
        assert run.name in said.err
    prior = worlds.prior_check(project)
    assert "not a fit" in say("summary", prior).err
    assert "no project" in say("summary", "nothing").err
    assert "no run" in say("summary", "20200101-000000-00000000").err


def test_an_identifier_that_two_projects_have_is_said_to_be(say, project, fit):
    plan_id = say("plan", fit, "--save", "Spring", "--json").data["plan_id"]
    copy = project.with_name("Copy")
    shutil.copytree(project, copy)
    for command in (("summary", fit.name), ("actuals", plan_id, "happened.csv")):
        said = say(*command)
        assert said.code == 1
        assert f"is in 2 projects: Copy, {project.name}." in said.err
        assert "Give its path, such as" in said.err and str(copy) in said.err
        as_json = say(*command, "--json")
        assert as_json.code == 1 and "is in 2 projects" in as_json.err
    shutil.rmtree(copy)
    assert say("summary", fit.name).code == 0


def test_a_damaged_result_says_so(say, fit):
    path = fit / "result/summary.json"
    path.write_text(path.read_text().replace("TV", "XX"))
    said = say("summary", fit, "--json")
    assert said.code == 1
    assert "damaged" in said.err
    (fit / "result/curves.nc").write_bytes(b"nothing")
    assert "damaged" in say("plan", fit).err


def test_report_as_html(say, fit, tmp_path):
    said = say("report", fit, "--out", tmp_path / "report.html", "--json")
    assert said.code == 0, said.err
    assert said.data["out"] == str(tmp_path / "report.html")
    assert "<html" in (tmp_path / "report.html").read_text()


def test_report_as_workbook(say, fit, tmp_path):
    assert say("report", fit, "--out", tmp_path / "report.xlsx").code == 0
    book = openpyxl.load_workbook(tmp_path / "report.xlsx")
    assert book["Channels"]["A2"].value == "TV"


def test_report_with_a_plan(say, fit, project, tmp_path):
    plan = with_details(synthetic.plan(), name="Bold", run_id=fit.name)
    plan_id = save_plan(project, plan).plan_id
    out = tmp_path / "report.html"
    assert say("report", fit, "--out", out, "--plan", plan_id).code == 0
    assert "Bold" in out.read_text()
    other = worlds.fit(project)
    said = say("report", other, "--out", out, "--plan", plan_id)
    assert said.code == 1
    assert fit.name in said.err


def test_report_as_slides(say, fit, tmp_path):
    out = tmp_path / "report.pptx"
    assert say("report", fit, "--out", out).code == 0
    assert out.read_bytes()[:2] == b"PK"


def test_a_report_that_could_not_be_written_was_not_exported(
    say, fit, project, tmp_path, monkeypatch
):
    def refuse(path, content):
        raise explain(PermissionError(13, "Permission denied"), path)

    monkeypatch.setattr("core.service.reports.write_bytes", refuse)
    assert say("report", fit, "--out", tmp_path / "report.xlsx").code == 1
    assert "Report exported" not in say("history", project).out


def test_reports_that_cannot_be(say, fit, tmp_path):
    assert "not a report format" in say("report", fit, "--out", tmp_path / "a.docx").err
    said = say("report", fit, "--out", tmp_path / "missing/a.html")
    assert said.code == 1
    assert "no folder" in said.err


def test_a_run_that_was_moved_is_read_where_it_is(say, fit, tmp_path):
    shutil.move(fit, tmp_path / "kept")
    said = say("summary", tmp_path / "kept", "--json")
    assert said.code == 0
    assert said.data["run"] == str(tmp_path / "kept")


def test_experiments_are_in_the_summary(say, project):
    run = worlds.fit(project, experiments=synthetic.experiments())
    told = say("summary", run, "--json").data["experiments"]
    assert [test["channel"] for test in told] == ["TV", "Newsletter"]
    assert ESTIMATE <= set(told[0]["roi"]["without"])
    lines = say("summary", run).out.splitlines()
    line = next(line for line in lines if line.startswith("Newsletter  1 Mar 2021 to "))
    assert "in tension" in line and "–" in line
    assert "Lift test" not in say("summary", worlds.fit(project)).out
