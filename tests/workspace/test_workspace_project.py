from dataclasses import replace

import pytest
from workspace_market import FULL, simple

from core.data.mapping import ChannelColumns
from core.errors import SpecError, WorkspaceError
from core.project.settings.defaults import aligned
from core.project.settings.project import (
    data_file,
    load_project,
    project_sha256,
    save_project,
)


def test_save_and_load(tmp_path):
    save_project(tmp_path, FULL)
    assert load_project(tmp_path) == FULL
    assert [path.name for path in tmp_path.iterdir()] == ["project.toml"]


def test_project_without_a_name_is_called_like_its_folder(tmp_path):
    (tmp_path / "project.toml").write_text('[data]\ntime = "t"\nkpi = "k"\n')
    assert load_project(tmp_path).name == tmp_path.name


def test_no_project(tmp_path):
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(WorkspaceError, match="is not a project") as caught:
            load_project(folder)
        assert "python -m core init" in caught.value.hint


def test_file_that_is_no_text(tmp_path):
    (tmp_path / "project.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(WorkspaceError, match="byte 8 is not UTF-8"):
        load_project(tmp_path)


def test_link_out_of_the_folder_is_refused(tmp_path):
    folder, outside = tmp_path / "project", tmp_path / "outside.toml"
    folder.mkdir()
    save_project(tmp_path, FULL)
    (tmp_path / "project.toml").rename(outside)
    (folder / "project.toml").symlink_to(outside)
    with pytest.raises(WorkspaceError, match="leads out of"):
        load_project(folder)
    (folder / "data.parquet").symlink_to(outside)
    with pytest.raises(WorkspaceError, match="leads out of"):
        data_file(folder, simple())


def test_missing_data_says_so(tmp_path):
    with pytest.raises(WorkspaceError, match="data.parquet is missing"):
        data_file(tmp_path, simple())


def test_later_of_two_writers_is_told(tmp_path):
    save_project(tmp_path, simple())
    base = project_sha256(tmp_path)
    first = replace(simple(), currency="CHF")
    now = save_project(tmp_path, first, base_sha=base)
    assert now == project_sha256(tmp_path)
    with pytest.raises(WorkspaceError, match="was changed meanwhile") as caught:
        save_project(tmp_path, replace(simple(), currency="USD"), base_sha=base)
    assert "Load the project again" in caught.value.hint
    assert load_project(tmp_path) == first
    save_project(tmp_path, replace(first, currency="USD"), base_sha=now)


def test_channels_of_the_mapping_alone_are_not_dropped(tmp_path):
    save_project(tmp_path, simple())
    before = (tmp_path / "project.toml").read_text()
    mapping = simple().mapping
    more = (*mapping.channels, ChannelColumns("Radio", "media", "radio", spend="radio"))
    for channels in (more, mapping.channels[1:]):
        changed = replace(simple(), mapping=replace(mapping, channels=channels))
        with pytest.raises(SpecError, match="differ in") as caught:
            save_project(tmp_path, changed)
        assert "aligned" in caught.value.hint
        assert (tmp_path / "project.toml").read_text() == before
        spec = aligned(changed.spec, changed.mapping)
        save_project(tmp_path, replace(changed, spec=spec))
        names = [channel.name for channel in load_project(tmp_path).mapping.channels]
        assert names == [channel.name for channel in channels]
        save_project(tmp_path, simple())


def test_damaged_file_is_not_overwritten(tmp_path):
    path = tmp_path / "project.toml"
    path.write_text('[data]\ntime = "t')
    with pytest.raises(WorkspaceError, match="cannot be read"):
        save_project(tmp_path, simple())
    assert path.read_text() == '[data]\ntime = "t'


def test_impossible_value_can_be_mended_by_saving(tmp_path):
    path = tmp_path / "project.toml"
    save_project(tmp_path, simple())
    path.write_text("# mine\n" + path.read_text().replace("knots = 4", "knots = 0"))
    with pytest.raises(SpecError):
        load_project(tmp_path)
    save_project(tmp_path, simple())
    assert load_project(tmp_path) == simple()
    assert path.read_text().startswith("# mine\n")


def test_unchanged_project_is_not_written(tmp_path):
    save_project(tmp_path, FULL)
    before = (tmp_path / "project.toml").stat()
    save_project(tmp_path, FULL)
    assert (tmp_path / "project.toml").stat().st_ino == before.st_ino
