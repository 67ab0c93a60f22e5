"""docs/model.md and docs/decisions.md say everything, and what they say is so."""

import re
import shlex
from dataclasses import MISSING, fields
from pathlib import Path

import pytest

from core.cli.main import parser
from core.fit.settings import SamplerSettings
from core.model.priors.prior import describe
from core.model.spec import DEFAULT_PRIORS, ChannelSpec, ModelSpec

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENTS = ["requirements.txt", "requirements-dask.txt", "requirements-dev.txt"]
REQUIREMENTS += [
    f"requirements-{extra}.txt" for extra in ("duckdb", "auth", "mcp", "pdf")
]


def rows(heading: str) -> list[list[str]]:
    """Cells of the table under a heading of docs/model.md."""
    text = (ROOT / "docs/model.md").read_text()
    section = text.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_every_parameter_is_in_the_model_page_with_its_prior():
    written = {
        name: row[4] for row in rows("Parameters") for name in row[1].split("`")[1::2]
    }
    assert written == {name: describe(given) for name, given in DEFAULT_PRIORS.items()}


def test_parameters_have_unit_shape_and_source():
    assert all(all(row) and len(row) == 6 for row in rows("Parameters"))


@pytest.mark.parametrize(
    ("options", "heading", "column"),
    [
        (ChannelSpec, "Options of a channel", 2),
        (ModelSpec, "Options of the model", 2),
        (SamplerSettings, "Options of the sampler", 1),
    ],
)
def test_every_option_is_in_the_model_page_with_its_default(options, heading, column):
    written = {row[0].strip("`"): row[column].strip("`") for row in rows(heading)}
    assert written == {
        field.name: "required" if field.default is MISSING else str(field.default)
        for field in fields(options)
    }


def pinned(name: str) -> list[str]:
    """Packages of the first blocks of a requirements file: what the project chose."""
    text = (ROOT / name).read_text()
    chosen = re.split(r"# What .* need", text)[0]
    return re.findall(r"^([\w-]+)==", chosen, flags=re.MULTILINE)


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_every_dependency_is_justified(name):
    text = (ROOT / "docs/decisions.md").read_text()
    assert [package for package in pinned(name) if f"`{package}`" not in text] == []


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_requirements_are_exact(name):
    lines = (ROOT / name).read_text().splitlines()
    loose = [line for line in lines if not re.match(r"#|-r |$|[\w-]+==[^*<>~]+$", line)]
    assert loose == []


@pytest.mark.parametrize("name", ["README.md", "ARCHITECTURE.md"])
def test_paths_in_the_pages_exist(name):
    text = (ROOT / name).read_text()
    paths = re.findall(r"(?:\]\(|`)((?:core|pages|docs|tests|tools)/[\w./-]*)", text)
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_readme_fits_two_screens():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 80


def test_commands_of_the_readme_are_understood():
    lines = (ROOT / "README.md").read_text().splitlines()
    commands = [line.split(" -m core ")[1] for line in lines if " -m core " in line]
    assert len(commands) >= 7
    for command in commands:
        parser().parse_args(shlex.split(command, comments=True))
