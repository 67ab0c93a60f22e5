"""The Dockerfile keeps its promises; `make image-steps` runs its steps."""

import json
import re

import pytest

from tools.image_steps import REPOSITORY, instructions

STEPS = instructions((REPOSITORY / "Dockerfile").read_text())


def values(keyword: str) -> list[str]:
    return [rest for name, rest in STEPS if name == keyword]


def final_stage() -> list[tuple[str, str]]:
    last = max(index for index, (name, _) in enumerate(STEPS) if name == "FROM")
    return STEPS[last:]


def test_two_stages_on_one_public_base():
    bases = [value.split()[0] for value in values("FROM")]
    assert len(bases) == 2
    assert set(bases) == {"python:3.11-slim"}


def test_does_not_run_as_root():
    users = [rest for name, rest in final_stage() if name == "USER"]
    assert users
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", users[-1])


def test_workspace_is_a_volume_that_the_user_owns():
    environment = " ".join(rest for name, rest in final_stage() if name == "ENV")
    assert values("VOLUME") == ["/data"]
    assert "MIXWRIGHT_HOME=/data" in environment
    user = values("USER")[-1].split(":")[0]
    assert any(f"-o {user}" in run and "/data" in run for run in values("RUN"))


def test_has_a_health_check_and_starts_the_app():
    assert "/_stcore/health" in values("HEALTHCHECK")[0]
    assert json.loads(values("CMD")[0])[-1] == "app.py"


def test_copies_only_what_the_context_holds():
    allowed = (REPOSITORY / ".dockerignore").read_text().splitlines()
    for copied in values("COPY"):
        *names, _ = copied.split()
        if names[0].startswith("--from="):
            continue
        assert {f"!{name}" for name in names} <= set(allowed)
        assert all((REPOSITORY / name).exists() for name in names)


FILES = [
    "Dockerfile",
    "Makefile",
    ".ci/run",
    "requirements.txt",
    "requirements-dask.txt",
    "requirements-duckdb.txt",
    "requirements-auth.txt",
    "requirements-mcp.txt",
    "requirements-pdf.txt",
    "requirements-dev.txt",
]
FILES += [
    str(path.relative_to(REPOSITORY)) for path in (REPOSITORY / "tools").glob("*")
]


@pytest.mark.parametrize(
    "name", [name for name in FILES if (REPOSITORY / name).is_file()]
)
def test_set_up_names_no_host(name):
    text = (REPOSITORY / name).read_text()
    hosts = re.findall(r"https?://([\w.-]+)", text)
    assert set(hosts) <= {"127.0.0.1", "localhost"}
