"""Practice: a finished fit done again in little, for the functions that it compiles.

The next fit of that structure finds them in the memory of its process: traced, compiled
and loaded. What comes out is thrown away.
"""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.fit.draws import SamplingStopped
from core.jobs.tasks.fit_run import CHANNEL_DRAWS, execute
from core.jobs.tasks.preview import rehearse
from core.project.settings.project import FILE, data_file, load_project, render_project
from core.store.atomic import make_folder, write_json, write_text
from core.store.fit_results import read_report
from core.store.places import queue_folder
from core.store.results import has_result
from core.store.stored import read_object

#: Seconds of a fit beyond which practice would take longer than it is worth.
_MOST = 120.0
_WARMUP = 50
#: What makes a fit the continuation or the refresh of another.
_OF_OTHERS = ("options", "continues")


class _Enough(Exception):
    """Somebody waits for the worker."""


def practise(run: Path, is_wanted: Callable[[], bool]) -> None:
    """Do a fit again, with as few draws as compile what all of its draws did.

    Args:
        run: A run directory; nothing is done where it is no finished fit, or took long.
        is_wanted: Whether somebody waits; looked at whenever the fit reports.
    """
    if not has_result(run) or (read_report(run).total_seconds or 0.0) > _MOST:
        return
    folder = queue_folder() / "standby"

    def report(progress: dict[str, Any]) -> None:
        if is_wanted():
            raise _Enough

    try:
        rehearse(run)
        if is_wanted():
            return
        execute(_in_little(run, folder), report, is_wanted)
    except (_Enough, SamplingStopped):
        pass
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _in_little(run: Path, folder: Path) -> Path:
    """A copy of a run with few draws."""
    project = load_project(run)
    copy = make_folder(folder / "runs" / run.name)
    shutil.copyfile(data_file(run, project), copy / project.file)
    few = min(project.sampler.draws, -(-CHANNEL_DRAWS // project.sampler.chains))
    sampler = replace(project.sampler, warmup=_WARMUP, draws=few)
    write_text(copy / FILE, render_project(replace(project, sampler=sampler)))
    about = read_object(run / "run.json")
    write_json(copy / "run.json", {k: about[k] for k in about if k not in _OF_OTHERS})
    return copy
