"""A checkpoint whose process is killed while it saves: the last one or the new one."""

import os
from pathlib import Path

import numpy as np
import pytest

from core.fit.sampling.checkpoint import Checkpoint, Standing

PLAN = (("warm-up", 10, True, False, False), ("draws", 20, False, False, False))
#: What is saved, in order: the stage, iterations done, and rows since the last time.
SAVES = ((0, 5, 5), (0, 10, 5), (1, 4, 4), (1, 8, 4))


class Killed(BaseException):
    """Stands for the end of the process: nothing here tidies after it."""


def save(checkpoint, stage, done, n):
    about = {"n_modes": 1, "restarts": 0, "notes": (), "seconds": {}}
    standing = Standing(stage=stage, done=done, plan=PLAN, **about)
    rows = {"draws": np.full((2, n), float(done))}
    checkpoint.save(standing, {"position": np.full(3, float(done))}, rows)


def kept(folder):
    """What another process finds: stage, iterations, position, number of rows."""
    saved, why = Checkpoint(folder, "mark").load()
    assert why == ""
    if saved is None:
        return None
    n_rows = saved.rows["draws"].shape[1]
    return saved.about.stage, saved.about.done, saved.arrays["position"][0], n_rows


@pytest.fixture
def killed_at(monkeypatch):
    """Ends what is going on at the n-th write from now on."""
    state = {"left": 0}

    def counted(function):
        def inside(*arguments, **options):
            state["left"] -= 1
            if state["left"] == 0:
                raise Killed
            return function(*arguments, **options)

        return inside

    monkeypatch.setattr(os, "replace", counted(os.replace))
    monkeypatch.setattr(os, "fsync", counted(os.fsync))
    monkeypatch.setattr(Path, "unlink", counted(Path.unlink))
    return lambda n: state.update(left=n)


@pytest.mark.parametrize("last", range(len(SAVES)))
def test_a_checkpoint_is_the_last_or_the_new_one(tmp_path, killed_at, last):
    for at in range(1, 8):
        folder = tmp_path / str(at)
        checkpoint = Checkpoint(folder, "mark")
        for each in SAVES[:last]:
            save(checkpoint, *each)
        before = kept(folder)
        killed_at(at)
        is_killed = False
        try:
            save(checkpoint, *SAVES[last])
        except Killed:
            is_killed = True
        killed_at(0)
        stage, done, _ = SAVES[last]
        rows = sum(n for other, _, n in SAVES[: last + 1] if other == stage)
        after = (stage, done, float(done), rows)
        assert kept(folder) in ((before, after) if is_killed else (after,)), at
        again = Checkpoint(folder, "mark")
        again.load()
        save(again, *SAVES[last])
        again.clear()
        assert list(folder.glob("*.tmp")) == list(folder.glob("rows-*")) == []
