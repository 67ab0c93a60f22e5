"""status on the command line."""

import json

from prometheus_client.openmetrics.parser import text_string_to_metric_families


def test_status_says_how_the_workspace_stands(say, fit, home):
    told = say("status", "--json")
    assert told.code == 0
    assert told.data["ready"] is True
    assert told.data["runs"] == {"fit": {"done": 1}}
    assert told.data["disk"]["projects"] > 0
    assert told.data["versions"]["mixwright"]
    assert told.data["last_backup"] == {}
    assert set(told.data["queue"]["cpu"]) == {"waiting", "working", "places"}


def test_status_for_people(say, fit, tmp_path):
    assert "Last backup: never" in say("status").out
    say("backup", tmp_path / "all.zip")
    told = say("status").out
    assert "A fit could start." in told
    assert f"ago, to {tmp_path / 'all.zip'}" in told


def test_a_fit_that_could_not_start_sets_the_exit_status(say, home, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_MEMORY_LIMIT", "1M")
    told = say("status", "--json")
    assert told.code == 1
    assert "memory" in told.data["obstacles"][0]


def test_metrics_for_node_exporter(say, fit, tmp_path):
    say("status", "--metrics", tmp_path / "mixwright.prom")
    text = (tmp_path / "mixwright.prom").read_text()
    names = {family.name for family in text_string_to_metric_families(text)}
    assert {"mixwright_ready", "mixwright_runs", "mixwright_queue_waiting"} <= names


def test_commands_are_logged_without_what_they_said(say, home, tmp_path, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_LOG", str(tmp_path / "events.jsonl"))
    say("status")
    say("summary", "No such customer")
    first, second = map(
        json.loads, (tmp_path / "events.jsonl").read_text().splitlines()
    )
    assert (first["name"], first["code"]) == ("status", 0)
    assert (second["code"], second["error"]) == (1, "WorkspaceError")
    assert "customer" not in (tmp_path / "events.jsonl").read_text()
