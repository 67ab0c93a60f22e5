"""backup, restore: the workspace or a project in one file, and back."""

import argparse
from pathlib import Path

from core import text as fmt
from core.cli.answer import Answer
from core.service.places import project_folder, typed_path
from core.service.workspace.backups import (
    Archive,
    Manifest,
    Restored,
    restore,
    take_backup,
)


def backup(options: argparse.Namespace) -> Answer:
    """Write the workspace or a project into a file."""
    file = typed_path(options.file)
    project = project_folder(options.project) if options.project else None
    manifest = take_backup(file, project)
    data = {"file": str(file.resolve()), "bytes": file.stat().st_size}
    remarks = tuple(f"Left out: {p}: {why}." for p, why in manifest.left_out.items())
    return Answer(data | _about(manifest), _in_words(file, manifest), remarks=remarks)


def restore_command(options: argparse.Namespace) -> Answer:
    """Put the projects of a backup back, or only check it."""
    file = typed_path(options.file)
    with Archive(file) as archive:
        data = {"file": str(file.resolve())} | _about(archive.manifest)
        if options.check:
            archive.check()
            text = f"{_in_words(file, archive.manifest)}\nEvery file is as written."
            return Answer(data, text)
        restored = restore(
            archive,
            project=options.project,
            name=options.name,
            may_replace=options.yes,
        )
    data |= {
        "restored": [str(folder) for folder in restored.projects],
        "aside": {name: str(folder) for name, folder in restored.aside.items()},
        "workspace_files": [str(path) for path in restored.files],
    }
    return Answer(data, _outcome(restored))


def _about(manifest: Manifest) -> dict:
    return {
        "created": manifest.created,
        "version": manifest.version,
        "projects": list(manifest.projects),
        "files": len(manifest.parts),
        "left_out": dict(manifest.left_out),
    }


def _in_words(file: Path, manifest: Manifest) -> str:
    size = f"{file.stat().st_size / 1024**2:,.1f} MB"
    projects = fmt.count(len(manifest.projects), "project")
    files = fmt.count(len(manifest.parts), "file")
    return f"{file}: {projects}, {files}, {size}, of {manifest.created}."


def _outcome(restored: Restored) -> str:
    lines = [f"Restored: {folder}" for folder in restored.projects]
    lines += [
        f"The previous {name} is in {folder}" for name, folder in restored.aside.items()
    ]
    lines += [f"Restored: {path}" for path in restored.files]
    return "\n".join(lines)
