"""Tests of where compiled functions are kept between runs."""

from pathlib import Path

import pytest

from tests import kept


@pytest.fixture
def no_name(monkeypatch):
    monkeypatch.delenv("JAX_COMPILATION_CACHE_DIR", raising=False)


@pytest.mark.usefixtures("no_name")
def test_they_are_kept_in_the_users_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = kept.folder(tmp_path / "run")
    assert folder.is_dir()
    assert folder.is_relative_to(tmp_path / "cache")
    assert not (tmp_path / "run").exists()


@pytest.mark.usefixtures("no_name")
def test_a_cache_that_cannot_be_made_is_no_fault(tmp_path, monkeypatch):
    (tmp_path / "cache").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert kept.folder(tmp_path / "run") == tmp_path / "run/compiled/jax"
    kept.tidy()


@pytest.mark.usefixtures("no_name")
def test_a_cache_that_cannot_be_written_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(kept.os, "access", lambda *asked: False)  # root may always
    assert kept.folder(tmp_path / "run").is_relative_to(tmp_path / "run")


@pytest.mark.usefixtures("no_name")
def test_a_user_without_a_home_runs_tests(tmp_path, monkeypatch):
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(kept.Path, "home", homeless)
    assert kept.folder(tmp_path / "run").is_relative_to(tmp_path / "run")
    kept.tidy()
