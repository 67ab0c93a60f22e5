"""The History screen: new rows, what moved, and who did what."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.project.fits.runs import list_runs
from core.project.plans.plans import save_plan
from core.project.promises.record import (
    LEVELS,
    Outcome,
    Promise,
    Score,
    claim,
    keep,
    keep_score,
)
from core.store.results import write_result
from tests.charts import synthetic
from tests.pages import worlds
from tests.pages.said import edition, is_sound, texts
from tests.plan.records import record


def later(n: int = 4) -> pd.DataFrame:
    """The weeks after the project's own."""
    frame = worlds.table(156)[-n:].copy()
    last = pd.to_datetime(worlds.table(156)["week"]).iloc[-1]
    weeks = last + pd.to_timedelta(7 * np.arange(1, n + 1), unit="D")
    return frame.assign(week=weeks.strftime("%Y-%m-%d")).reset_index(drop=True)


def give(at, frame: pd.DataFrame):
    key = f"history.upload.{edition(at, 'history')}"
    content = frame.to_csv(index=False).encode()
    return at.file_uploader(key=key).set_value([("new.csv", content, "text/csv")]).run()


def beside(screen):
    """Plans beside what came."""
    return screen("history", worlds.MARKET, **{"history.view": "Plan against actuals"})


@pytest.fixture
def submitted(monkeypatch) -> list[Path]:
    """Runs that would have been started."""
    started: list[Path] = []
    monkeypatch.setattr(
        "core.jobs.executor.submit", lambda run, **_: started.append(run)
    )
    return started


@pytest.fixture
def refreshed(fitted):
    """A project whose newest fit refreshed the one before."""
    (first,) = list_runs(fitted, "fit")
    run = worlds.fit(fitted)
    files = {path.name: path.read_bytes() for path in (run / "result").iterdir()}
    with write_result(run) as result:
        for name, content in files.items():
            if name != "manifest.json":
                (result / name).write_bytes(content)
        moves = synthetic.refresh(first.run_id, run.name)
        (result / "refresh.json").write_text(json.dumps(moves))
    about = json.loads((run / "run.json").read_text())
    about |= {"options": {"before": first.run_id}}
    (run / "run.json").write_text(json.dumps(about))
    return fitted


def test_without_a_project_and_before_a_fit(screen, home):
    assert "No project is open" in texts(screen("history"))
    worlds.project()
    at = screen("history", worlds.MARKET)
    assert is_sound(at)
    assert "There is no fit yet" in texts(at)
    assert "last fit" not in texts(at) and "Choose a line" not in texts(at)
    assert at.button(key="history.start")
    at = beside(screen)
    assert is_sound(at)
    assert "Save a plan to see what came of it" in texts(at)


def test_new_rows_are_looked_at_and_fitted(screen, fitted, submitted):
    at = give(screen("history", worlds.MARKET), later())
    assert is_sound(at)
    assert "4 new periods" in texts(at)
    at.button(key="history.start").click().run()
    assert is_sound(at)
    (run,) = submitted
    before = json.loads((run / "run.json").read_text())["options"]["before"]
    assert before == list_runs(fitted, "fit")[1].run_id


def test_changed_rows_need_a_yes(screen, fitted, submitted):
    frame = pd.concat([worlds.table(156)[-1:], later()], ignore_index=True)
    frame.loc[0, "revenue"] = 5.0
    at = give(screen("history", worlds.MARKET), frame)
    assert "1 changed cell" in texts(at)
    changed = next(each.value for each in at.dataframe if "After" in each.value)
    assert changed["After"].tolist() == [5.0]
    assert "history.start" not in {button.key for button in at.button}
    at.checkbox(key="history.yes").check().run()
    at.button(key="history.start").click().run()
    assert is_sound(at)
    assert len(submitted) == 1


def test_spoilt_rows_are_refused_in_place(screen, fitted, submitted):
    at = give(screen("history", worlds.MARKET), later().drop(index=0))
    assert is_sound(at)
    assert "1 Jan 2024 is missing" in texts(at)
    assert not submitted


def test_what_moved_is_told_and_old_states_can_be_seen(screen, refreshed):
    at = screen("history", worlds.MARKET)
    assert is_sound(at)
    assert "TV's ROI moved most: 3.13 to 3.65, within its uncertainty." in texts(at)
    moves = next(each.value for each in at.dataframe if "Move" in each.value)
    assert moves["Move"].tolist()[0] == "+0.52"  # as 3.13 and 3.65 say
    assert moves["Beside its uncertainty"].tolist()[0] == "within its uncertainty"
    assert "By old rows that changed" in moves
    assert len(at.get("plotly_chart")) == 1
    assert not any("What" in each.value for each in at.dataframe)
    at.segmented_control(key="history.view").set_value("Timeline").run()
    assert at.query_params["history.view"] == "Timeline"
    events = next(each.value for each in at.dataframe if "What" in each.value)
    assert any(text.startswith("Fit: ") for text in events["What"])
    assert "About" not in events  # what happened begins with it
    columns = json.loads(at.dataframe[0].proto.columns)
    longest = max(len(each) for each in events["Time (UTC)"])
    assert columns["Time (UTC)"]["width"] >= 8 * longest  # no time is cut
    kinds = at.segmented_control(key="history.kind")
    assert "Approvals" not in kinds.options  # nobody signs in
    kinds.set_value("Tests").run()
    assert is_sound(at)
    assert "Nothing here yet" in texts(at)


@pytest.fixture
def turned(refreshed):
    """A saved plan of the first fit whose advice the newest fit changed."""
    newest, first = list_runs(refreshed, "fit")
    kept = save_plan(refreshed, record(name="Spring", run_id=first.run_id))
    number = {"mean": 2e5, "median": 2e5, "sd": 1e5, "lo": -1e4, "hi": 4e5}
    again = {
        "plan_id": kept.plan_id,
        "name": "Spring",
        "start": kept.horizon.start,
        "end": kept.horizon.end,
        "was": "change",
        "advice": "keep",
        "is_changed": True,
        "reasons": ["It gains nothing on average."],
        "cause": "data",
        "before": number,
        "after": number | {"mean": 17e4},
        "periods": 52,
        "gain": number | {"probability_positive": 0.42},
        "channels": [
            {"name": "TV", "before": 2e5, "after": 17e4, "response": -3e4, "spend": 0.0}
        ],
    }
    files = {p.name: p.read_bytes() for p in (newest.folder / "result").iterdir()}
    with write_result(newest.folder) as result:
        for name, content in files.items():
            if name != "manifest.json":
                (result / name).write_bytes(content)
        (result / "plans.json").write_text(json.dumps({"plans": [again]}))
    return refreshed


def test_a_plan_whose_advice_changed_is_marked_on_every_screen(screen, turned):
    at = screen("history", worlds.MARKET)
    assert is_sound(at)
    said = texts(at)
    assert "Spring: The advice changed: Recommended by the plan's own fit, Keep" in said
    assert "It gains nothing on average." in said
    assert "from other data, most of it TV's response" in said
    at = screen("compare", worlds.MARKET)
    at.segmented_control(key="compare.view").set_value("Plans").run()
    assert is_sound(at)
    sides = "".join(each.value.to_string() for each in at.table)
    assert "changed to Keep by the newest fit" in sides
    at = screen("plan", worlds.MARKET)
    assert is_sound(at)
    listed = "".join(each.value.to_string() for each in at.dataframe)
    assert "changed to Keep by the newest fit" in listed


def test_promises_are_listed_and_counted(screen, fitted):
    for place in range(24):
        keep_scored(fitted, place, 0.5 if place < 20 else 0.999)
    at = beside(screen)
    assert is_sound(at)
    said = texts(at).replace("\u00a0", " ")
    assert "Of 24 intervals of 90 %, 20 held (fewer than 18" in said
    listed, before = (each.value for each in at.table if "Promised" in each.value)
    assert listed["Held at 90\u00a0%"].tolist()[0] == "no"
    assert (len(listed), len(before)) == (6, 19)  # the fit's forecast is one, too
    assert "Other promises (19)" in [box.label for box in at.expander]


def test_promises_of_which_nothing_came_are_a_click_away(screen, fitted):
    keep(
        fitted,
        Promise(
            kind="plan",
            name="Spring",
            start="2040-01-01",
            end="2040-03-25",
            claims=(claim("total", np.linspace(90.0, 110.0, 101)),),
            unit="revenue",
            currency="EUR",
            subject="20240101-000000-00000000",
        ),
    )
    at = beside(screen)
    assert is_sound(at)
    assert "Nothing is scored yet" in texts(at)
    boxes = [box for box in at.expander if box.label.startswith("Promises (")]
    assert len(boxes) == 1 and "Spring" in boxes[0].table[0].value.to_string()
    assert len([each for each in at.table if "Promised" in each.value]) == 1


def keep_scored(project, place: int, below: float) -> None:
    """The promise of another plan with its score."""
    draws = np.linspace(90.0, 110.0, 101)
    promise = keep(
        project,
        Promise(
            kind="plan",
            name="Spring",
            start="2024-01-01",
            end="2024-03-25",
            claims=(claim("total", draws),),
            unit="revenue",
            currency="EUR",
            subject=f"20240101-000000-{place:08x}",
        ),
    )
    outcome = Outcome(about="total", actual=1.0, mean=1, lo=0, hi=2, below=below)
    chances = {str(each): (1 - each / 100, each / 100) for each in LEVELS}
    score = Score(state="scored", outcomes=(outcome,), counted=1, chances=chances)
    keep_score(project, promise.promise_id, score)
