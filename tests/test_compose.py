"""compose.yaml and docs/server.md keep their promises; see `make server-steps`, too."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

from core.cli.main import parser

ROOT = Path(__file__).resolve().parents[1]
COMPOSE = (ROOT / "compose.yaml").read_text()
SERVICES = yaml.safe_load(COMPOSE)["services"]
PAGE = (ROOT / "docs/server.md").read_text()
OURS = [name for name in SERVICES if name != "proxy"]


def test_only_the_proxy_is_open():
    assert [name for name in SERVICES if "ports" in SERVICES[name]] == ["proxy"]


@pytest.mark.parametrize("name", SERVICES)
def test_containers_have_limits_and_no_rights(name):
    service = SERVICES[name]
    assert service["mem_limit"]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


@pytest.mark.parametrize("name", OURS)
def test_the_image_is_read_only_and_the_workspace_a_volume(name):
    service = SERVICES[name]
    assert service["image"] == "mixwright"
    assert service["read_only"]
    assert "workspace:/data" in service["volumes"]
    assert any(place.startswith("/tmp") for place in service["tmpfs"])


def test_the_backup_is_started_from_outside():
    """No scheduler of our own: it is not among what `up` starts."""
    assert SERVICES["backup"]["profiles"] == ["jobs"]
    words = shlex.split(SERVICES["backup"]["command"][-1].replace("$$", "$"))
    assert words[:3] == ["python", "-m", "core"]
    assert parser().parse_args(words[3:]).command == "team.backups:backup"


def test_a_fit_may_take_less_than_the_container_has():
    fit = re.search(r"MIXWRIGHT_FIT_MEMORY:-(\d+)M", COMPOSE)
    whole = re.search(r"MIXWRIGHT_MEMORY:-(\d+)g", COMPOSE)
    assert int(fit[1]) <= 0.8 * int(whole[1]) * 1024


def test_the_proxy_keeps_what_is_inside():
    caddy = (ROOT / "Caddyfile").read_text()
    assert "path /ready /metrics /_stcore/metrics" in caddy
    assert "{$MIXWRIGHT_DOMAIN} {" in caddy


def test_every_variable_is_on_the_page_with_its_default():
    found = dict(re.findall(r"\$\{(MIXWRIGHT_\w+)(?::-([^}]*))?", COMPOSE))
    rows = dict(re.findall(r"^\| `(MIXWRIGHT_\w+)` \| (\S+) \|", PAGE, re.MULTILINE))
    assert rows == {name: default or "none" for name, default in found.items()}


def commands() -> list[str]:
    """Commands of `python -m core` in the pages for administrators."""
    pages = [(ROOT / "docs" / name).read_text() for name in ("server.md", "privacy.md")]
    found = re.findall(r"python -m core ([^`\n]*)", "\n".join(pages))
    return [line.split("  ")[0].split(" #")[0].strip() for line in found]


@pytest.mark.parametrize("line", commands())
def test_commands_on_the_pages_exist(line):
    words = [word for word in shlex.split(line) if word != "…"]
    if words in (["prune"], []):  # named, not written out
        words = ["prune", "Shop"]
    assert parser().parse_args(words).command


def test_units_and_containers_name_what_there_is():
    assert "docker compose run --rm backup" in PAGE
    for name in re.findall(r"docker compose (?:exec|run --rm) (\w+)", PAGE):
        assert name in SERVICES
