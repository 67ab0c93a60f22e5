"""refresh and history on the command line; runs are done by cli_worker."""

import json
import socket
import sqlite3
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest

from core.cli.team.refreshing import SECRET, SIGNATURE, signature
from core.data.layout.opening import open_files
from core.data.query.definition import Database, Query
from core.jobs.standby import keeping
from core.project.fits.runs import latest_fit, list_runs
from core.project.refresh.incoming import incoming, take
from core.project.settings.project import (
    load_project,
    project_sha256,
    save_project,
)
from core.store.run_state import write_state
from tests.pages import worlds


def later(n: int = 4) -> pd.DataFrame:
    """The weeks after the project's own."""
    frame = worlds.table(156)[-n:].copy()
    last = pd.to_datetime(worlds.table(156)["week"]).iloc[-1]
    weeks = last + pd.to_timedelta(7 * np.arange(1, n + 1), unit="D")
    return frame.assign(week=weeks.strftime("%Y-%m-%d")).reset_index(drop=True)


@pytest.fixture
def new(tmp_path):
    """A file of four new weeks."""
    path = tmp_path / "new.csv"
    later().to_csv(path, index=False)
    return path


@pytest.fixture
def changed(tmp_path):
    """The same with an old week that has another KPI."""
    frame = pd.concat([worlds.table(156)[-1:], later()], ignore_index=True)
    frame.loc[0, "revenue"] = 5.0
    path = tmp_path / "changed.csv"
    frame.to_csv(path, index=False)
    return path


def test_new_rows_are_fitted_and_what_moved_is_said(say, fit, new, monkeypatch):
    monkeypatch.setenv(keeping.VARIABLE, "on")
    monkeypatch.setattr(keeping, "_PATIENCE", 300.0)
    project = fit.parents[1]
    said = say("refresh", project.name, new)
    assert said.code == 0, said.err
    assert "4 new periods" in said.err
    assert "TV's ROI moved most: 3.13 to 3.65, within its uncertainty." in said.out
    assert "by old rows that changed, +0.10 by the new rows" in said.out
    run = latest_fit(project)
    assert run.folder != fit
    about = json.loads((run.folder / "run.json").read_text())
    assert about["options"] == {"before": fit.name}
    # Its worker did its imports while the table was read.
    assert "started in standby" in (run.folder / "log.txt").read_text()
    again = say("refresh", project.name, new)
    assert "no new rows, so nothing changes" in again.out
    assert len(list_runs(project, "fit")) == 2


def test_changed_rows_need_a_yes(say, fit, changed):
    project = fit.parents[1]
    before = project_sha256(project)
    said = say("refresh", project.name, changed)
    assert said.code == 1
    assert "2023-12-25: revenue was " in said.out
    assert "is 5" in said.out
    assert "--yes" in said.err
    assert project_sha256(project) == before
    assert say("refresh", project.name, changed, "--yes", "--json").code == 0
    assert project_sha256(project) != before


def test_a_condition_sets_the_exit_status_once(say, fit, new):
    name = fit.parents[1].name
    asked = ("--if", "moved > 1 sd", "--if", "moved > 9 sd", "--json")
    said = say("refresh", name, new, *asked)
    assert said.code == 4
    assert said.data["conditions"] == {"moved > 1 sd": True, "moved > 9 sd": False}
    assert say("refresh", name, new, *asked).code == 0
    assert say("refresh", name, new, "--if", "often").code == 1


def test_a_refresh_that_was_killed_goes_on(say, fit, new, monkeypatch):
    """Killed after the data were saved, and again while the fit was at work."""
    project = fit.parents[1]
    monkeypatch.setenv("CLI_BEHAVIOUR", "killed")
    said = say("refresh", project.name, new)
    assert said.code != 0
    run = list_runs(project, "fit")[0]
    assert run.status.state in ("failed", "killed")
    write_state(run.folder, "killed") if run.status.state != "killed" else None
    monkeypatch.setenv("CLI_BEHAVIOUR", "done")
    assert say("refresh", project.name, new).code == 0
    assert latest_fit(project).run_id == run.run_id


def test_a_refresh_that_was_killed_before_its_fit_goes_on(say, fit, new):
    project = fit.parents[1]
    take(incoming(project, open_files([(new, new.name)])))
    said = say("refresh", project.name, new)
    assert said.code == 0
    assert "No new rows" in said.err
    assert "TV's ROI moved most" in said.out


def test_spoilt_rows_change_nothing(say, fit, tmp_path):
    project = fit.parents[1]
    before = load_project(project)
    path = tmp_path / "gap.csv"
    later().drop(index=0).to_csv(path, index=False)
    said = say("refresh", project.name, path)
    assert said.code == 1
    assert "2024-01-01 is missing" in said.err
    assert load_project(project) == before
    assert len(list_runs(project, "fit")) == 1


class Hook(BaseHTTPRequestHandler):
    """Keeps what it is sent."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.heard.append((body, dict(self.headers)))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def hook():
    server = HTTPServer(("127.0.0.1", 0), Hook)
    server.heard = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_a_webhook_gets_the_answer_signed(say, fit, new, hook, monkeypatch):
    monkeypatch.setenv(SECRET, "a secret")
    url = f"http://127.0.0.1:{hook.server_port}/mixwright"
    said = say("refresh", fit.parents[1].name, new, "--json", "--webhook", url)
    assert said.code == 0
    assert "answered 204" in said.err
    ((body, headers),) = hook.heard
    assert json.loads(body) == said.data
    assert headers[SIGNATURE] == signature(body, "a secret")


def test_a_webhook_that_hangs_or_is_gone_fails_nothing(say, fit, new):
    name = fit.parents[1].name
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        options = ("--webhook", url, "--webhook-timeout", "0.3")
        said = say("refresh", name, new, *options)
    assert said.code == 0
    assert "no answer within 0.3 s" in said.err or "could not be reached" in said.err
    assert "could not be reached" in say("refresh", name, *options).err
    assert say("refresh", name, "--webhook", "file:///etc/passwd").code == 1


def test_history_tells_who_did_what(say, fit, new, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_USER", "Ada")
    project = fit.parents[1]
    assert say("refresh", project.name, new).code == 0
    told = say("history", project.name, "--json").data
    newest = latest_fit(project).run_id
    by_kind = {}
    for event in told["events"]:
        by_kind.setdefault(event["kind"], []).append(event)
    assert by_kind["data"][0]["who"] == "Ada"
    fits = [event["run_id"] for event in by_kind["fit"]]
    assert fits == [newest, fit.name]
    assert "TV's ROI 3.13 to 3.65, within its uncertainty" in by_kind["fit"][0]["text"]
    assert [each["run_id"] for each in told["fits"]] == [fit.name, newest]
    assert "TV" in say("history", project.name).out


def shop(folder, *tables) -> None:
    """The database that the project's query asks."""
    frame = pd.concat(tables, ignore_index=True)
    with sqlite3.connect(folder / "shop.sqlite") as database:
        frame.to_sql("market", database, index=False, if_exists="replace")
    database.close()


@pytest.mark.skipif(find_spec("duckdb") is None, reason="optional: DuckDB")
def test_the_projects_query_brings_the_new_rows(say, fit, tmp_path, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_DATA", str(tmp_path))
    project = fit.parents[1]
    database = Database("shop", "sqlite", file=str(tmp_path / "shop.sqlite"))
    query = Query("SELECT * FROM shop.market ORDER BY week", (database,))
    with_query = replace(load_project(project), query=query)
    save_project(project, with_query)
    shop(tmp_path, worlds.table(156))
    assert say("refresh", project.name).code == 0
    assert len(list_runs(project, "fit")) == 1  # nothing came, so nothing moves
    shop(tmp_path, worlds.table(156), later())
    said = say("refresh", project.name, "--json")
    assert said.code == 0, said.err
    assert "Running the query" in said.err
    assert "4 new periods" in said.data["came"]
    assert said.data["moves"]["moved"] == pytest.approx(1.4)
    assert load_project(project).query == query
    (tmp_path / "shop.sqlite").unlink()
    gone = say("refresh", project.name)
    assert gone.code == 1
    assert "Database shop cannot be reached" in gone.err
    assert len(list_runs(project, "fit")) == 2
