"""OpenMetrics: an overview as text that Prometheus and alike read.

Gauges only: they are counted from what is on disk, and pruning takes from it.
"""

from collections.abc import Iterator

from core.jobs.operation.overview import FAILURES, Overview

Sample = tuple[dict[str, str], float]


def openmetrics(server: Overview) -> str:
    """The overview as OpenMetrics 1.0 text.

    Labels are Mixwright's own words (lane, kind, state), never a project's name.
    """
    lines = []
    for name, about, samples in _families(server):
        lines += [f"# TYPE mixwright_{name} gauge", f"# HELP mixwright_{name} {about}"]
        for labels, value in samples:
            inside = ",".join(f'{label}="{text}"' for label, text in labels.items())
            braces = f"{{{inside}}}" if inside else ""
            lines.append(f"mixwright_{name}{braces} {value:.17g}")
    return "\n".join([*lines, "# EOF", ""])


def _families(server: Overview) -> Iterator[tuple[str, str, list[Sample]]]:
    yield "ready", "1 if a fit could start.", [({}, server.is_ready)]
    yield "projects", "Projects of the workspace.", [({}, server.projects)]
    loads = server.queue.items()
    for name, about in (
        ("waiting", "Runs that wait for a place."),
        ("working", "Runs in progress."),
        ("places", "Runs that may work at once."),
    ):
        samples = [({"lane": lane}, getattr(load, name)) for lane, load in loads]
        yield f"queue_{name}", about, samples
    yield (
        "warm_worker_bytes",
        "Memory of the worker that waits for the next run; 0 where none does.",
        [({}, 0 if server.standby is None else server.standby.bytes)],
    )
    counted = [
        (state, ({"kind": kind, "state": state}, number))
        for kind, states in sorted(server.runs.items())
        for state, number in sorted(states.items())
    ]
    samples = [sample for _, sample in counted]
    yield "runs", "Runs on disk by kind and state.", samples
    failed = [sample for state, sample in counted if state in FAILURES]
    yield "failures", "Runs on disk that failed, were killed or lost.", failed
    yield (
        "run_seconds",
        "Seconds that finished runs on disk worked, in all.",
        [({"kind": kind}, took.total) for kind, took in server.seconds.items()],
    )
    yield (
        "disk_free_bytes",
        "Room on the disk of the workspace.",
        [({}, server.disk.free)],
    )
    yield (
        "disk_total_bytes",
        "Size of the disk of the workspace.",
        [({}, server.disk.total)],
    )
    age = server.backup_age
    yield (
        "backup_age_seconds",
        "Seconds since the last backup; missing where there never was one.",
        [] if age is None else [({}, age)],
    )
    version = {"version": server.versions.get("mixwright", "")}
    yield "build", "Version of Mixwright.", [(version, 1)]
