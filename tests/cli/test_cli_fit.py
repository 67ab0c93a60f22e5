import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.cli import progress
from core.store.run_state import RunStatus, progress_of, read_status
from core.view.progress import progress_text
from tests.pages import worlds

ROOT = Path(__file__).resolve().parents[2]


def test_fit_prints_what_the_worker_wrote(say, project):
    said = say("fit", project, "--draws", "20", "--seed", "7", "--json")
    assert said.code == 0, said.err
    assert {"run", "seconds", "versions", "diagnostics", "seed"} <= set(said.data)
    run = Path(said.data["run"])
    assert run.parent.parent == project
    assert read_status(run).state == "done"
    assert '"draws": 20' in (run / "run.json").read_text()
    assert "Run " in said.err
    assert say("summary", run, "--json").code == 0
    assert say("plan", project, "--json").data["run"] == str(run)


def test_fit_for_people(say, project):
    said = say("fit", project.name)
    assert said.code == 0, said.err
    for words in ("Time: total 3.0 s", "Verdict:", "Next: python -m core summary"):
        assert words in said.out


@pytest.mark.parametrize(
    ("behaviour", "code", "words"),
    [
        ("bad_input", 1, "Channel TV has no spend."),
        ("not_sampled", 3, "The density is not finite."),
        ("killed", 3, "--resume"),
    ],
)
def test_a_fit_that_ends_badly(say, project, monkeypatch, behaviour, code, words):
    monkeypatch.setenv("CLI_BEHAVIOUR", behaviour)
    said = say("fit", project, "--json")
    assert said.code == code, said.err
    assert said.out == ""
    assert words in said.err


@pytest.fixture
def told(home, monkeypatch):
    """What progress tells leaves a file called like its first word."""

    def tell(text):
        (home / re.match(r"\w*", text)[0]).touch()
        to_people(text)

    to_people = progress.tell
    monkeypatch.setattr(progress, "tell", tell)


@pytest.mark.usefixtures("told")
def test_the_preview_and_what_is_sampled_are_one_line_each(say, project, monkeypatch):
    monkeypatch.setenv("CLI_BEHAVIOUR", "previews")
    said = say("fit", project, "--json")
    assert said.code == 0, said.err
    (line,) = [line for line in said.err.splitlines() if "Preview" in line]
    assert line.startswith("Preview, before sampling, rough, not a result: ROI TV ")
    assert "best split TV +" in line
    (line,) = [line for line in said.err.splitlines() if "Sampled: " in line]
    assert line.startswith("Sampled: ROI TV ") and ". Sampling converged." in line
    assert "is_preview" not in said.out


def test_settings_that_cannot_be(say, project):
    said = say("fit", project, "--chains", "0")
    assert said.code == 1
    assert "chains must be between" in said.err
    assert not list((project / "runs").glob("*"))


def test_resume_goes_on_with_a_run(say, project, monkeypatch):
    monkeypatch.setenv("CLI_BEHAVIOUR", "killed")
    assert say("fit", project).code == 3
    (run,) = (project / "runs").iterdir()
    monkeypatch.setenv("CLI_BEHAVIOUR", "done")
    said = say("fit", project, "--resume", run.name, "--json")
    assert said.code == 0, said.err
    assert said.data["run"] == str(run)
    assert len(list((project / "runs").iterdir())) == 1


def test_resume_refuses_other_settings_and_other_projects(say, project):
    run = worlds.run(project, "cancelled")
    said = say("fit", project, "--resume", run, "--draws", "10")
    assert said.code == 1
    assert "--draws" in said.err
    other = worlds.project("Another market")
    assert "not of the project" in say("fit", other, "--resume", run).err
    finished = worlds.fit(project)
    assert "finished" in say("fit", project, "--resume", finished).err


def test_draws_are_added_to_a_finished_fit(say, project, fit):
    (fit / "checkpoint").mkdir()
    (fit / "checkpoint/state.npz").touch()
    said = say("fit", project, "--resume", fit, "--draws", "1500", "--json")
    assert said.code == 0, said.err
    run = Path(said.data["run"])
    assert run != fit
    told = json.loads((run / "run.json").read_text())
    assert told["continues"] == fit.name
    assert told["sampler"]["draws"] == 1500
    said = say("fit", project, "--resume", fit, "--draws", "1500", "--seed", "2")
    assert said.code == 1
    assert "--seed" in said.err and "--draws" not in said.err.split("cannot")[0]
    assert "already" in say("fit", project, "--resume", fit, "--draws", "10").err
    assert "--draws N" in say("fit", project, "--resume", fit).err


def test_fit_of_nothing(say, tmp_path):
    assert say("fit", "nothing").code == 1
    (tmp_path / "empty").mkdir()
    said = say("fit", tmp_path / "empty")
    assert said.code == 1
    assert "project.toml" in said.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupting_cancels_the_run(home, project, monkeypatch, number):
    monkeypatch.setenv("CLI_BEHAVIOUR", "gate")
    process = subprocess.Popen(
        [sys.executable, "-m", "core", "fit", str(project), "--json"],
        cwd=ROOT,
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 300
    while not list((project / "runs").glob("*/waiting")):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(number)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert out == ""
    assert "Stopping" in err
    (run,) = (project / "runs").iterdir()
    assert read_status(run).state == "cancelled"


def test_progress_in_one_line():
    chains = [
        {"iteration": 40, "total": 100, "divergences": 0},
        {"iteration": 30, "total": 100, "divergences": 2},
    ]
    told = {"phase": "draws", "fraction": 0.4, "chains": chains, "eta": 12.4}
    progress = progress_of(told | {"rhat_max": 1.012})
    status = RunStatus("run", "running", progress=progress)
    assert progress_text(status) == (
        " 40 %, sampling, iteration 30 of 100, 2 divergences, R-hat 1.012, left 12 s"
    )
    waiting = RunStatus("run", "queued", position=2)
    assert progress_text(waiting) == "In the queue, number 2"
    assert progress_text(RunStatus("run", "done")) == ""


def test_demo_does_all_of_it(say, home, monkeypatch):
    monkeypatch.setenv("CLI_CHANNELS", "TV,Radio,Search,Social")
    said = say("demo", "--draws", "10", "--json")
    assert said.code == 0, said.err
    assert {"project", "run", "fit", "summary", "plan", "truth"} <= set(said.data)
    assert (home / "projects/Demo market/truth.json").is_file()
    again = say("demo")
    assert again.code == 0, again.err
    for words in ("True ROI", "Verdict:", "Budget ", "Gain over"):
        assert words in again.out


def test_a_demo_that_would_repeat_its_fit_shows_that_fit(say, home, monkeypatch):
    monkeypatch.setenv("CLI_CHANNELS", "TV,Radio,Search,Social")
    first = say("demo", "--draws", "10", "--json").data
    again = say("demo", "--draws", "10", "--json")
    assert again.data["run"] == first["run"] and again.data["fit"] == first["fit"]
    assert again.data["plan"]["gain"] == first["plan"]["gain"]
    assert "would give the same numbers" in again.err
    other = say("demo", "--draws", "10", "--seed", "7", "--json").data
    assert other["run"] != first["run"]
    settings = home / "projects/Demo market/project.toml"
    settings.write_text(
        settings.read_text().replace('preset = "mixwright"', 'preset = "meridian"')
    )
    changed = say("demo", "--draws", "10", "--json").data
    assert changed["run"] not in (first["run"], other["run"])
