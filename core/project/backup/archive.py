"""Archive: one file with everything that was staged, each part with its SHA-256.

A ZIP whose last part is manifest.json. What is read from it is not believed: names
stay inside, parts are those of the manifest, and what is unpacked has its hash.
"""

import hashlib
import json
import os
import shutil
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from struct import error as StructError
from typing import Any, BinaryIO

from core.errors import WorkspaceError
from core.project.backup.stage import Staged, is_odd
from core.project.fits.run_inputs import versions
from core.store.atomic import explain, json_text, make_folder
from core.store.places import may_name_project
from core.store.stored import sound

_MANIFEST, _FORMAT, _SCHEMA = "manifest.json", "mixwright backup", 1
_PART = 1 << 20
#: Bytes of a manifest: that of a million files.
_MOST = 256 * 1024**2
#: Parts that are compressed already.
_PACKED = (".nc", ".npz", ".parquet", ".xlsx", ".pptx")
_DAMAGE = (zipfile.BadZipFile, zlib.error, StructError, EOFError, KeyError)
_DAMAGE += (ValueError, NotImplementedError, RuntimeError, OverflowError)


@dataclass(frozen=True)
class Part:
    """A file of an archive: its hash, its bytes, and when it was written (ns)."""

    sha256: str
    bytes: int
    written: int


@dataclass(frozen=True)
class Manifest:
    """What an archive says that it holds.

    Attributes:
        created: When, ISO UTC.
        version: Of Mixwright.
        projects: Names of the projects in it.
        parts: Its files by name: `projects/<name>/…`, `workspace/…`.
        left_out: What was there and is not in it, with why.
    """

    created: str
    version: str
    projects: tuple[str, ...]
    parts: Mapping[str, Part]
    left_out: Mapping[str, str]

    @property
    def n_bytes(self) -> int:
        """Bytes of everything once it is unpacked."""
        return sum(part.bytes for part in self.parts.values())

    def of_project(self, name: str) -> dict[str, Part]:
        """The files of a project, by their path in it."""
        start = f"projects/{name}/"
        return {
            path.removeprefix(start): part
            for path, part in self.parts.items()
            if path.startswith(start)
        }


def write_archive(file: BinaryIO, staged: Staged) -> Manifest:
    """Write everything that was staged into an open file."""
    parts: dict[str, Part] = {}
    with zipfile.ZipFile(file, "w") as archive:
        for folder, _, names in sorted(os.walk(staged.folder)):
            for name in sorted(names):
                path = Path(folder, name)
                named = path.relative_to(staged.folder).as_posix()
                parts[named] = _write_part(archive, named, path)
        manifest = Manifest(
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            version=versions()["mixwright"],
            projects=tuple(sorted(staged.projects)),
            parts=parts,
            left_out=staged.left_out,
        )
        about = {"format": _FORMAT, "schema": _SCHEMA} | asdict(manifest)
        archive.writestr(_MANIFEST, json_text(about), zipfile.ZIP_DEFLATED)
    return manifest


def _write_part(archive: zipfile.ZipFile, name: str, path: Path) -> Part:
    about = path.stat()
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFREG | 0o644) << 16
    if path.suffix not in _PACKED:
        info.compress_type = zipfile.ZIP_DEFLATED
    info.file_size = about.st_size
    digest, size = hashlib.sha256(), 0
    with open(path, "rb") as source, archive.open(info, "w") as out:
        while content := source.read(_PART):
            digest.update(content)
            size += len(content)
            out.write(content)
    # Some programs date a file before 1970.
    return Part(digest.hexdigest(), size, max(0, about.st_mtime_ns))


class Archive:
    """An archive that is open for reading, its manifest checked.

    Raises:
        WorkspaceError: It is no backup, is damaged, or holds what no backup does.
    """

    def __init__(self, path: Path):
        self.path = path
        try:
            self._zip = zipfile.ZipFile(path)
        except OSError as error:
            reason = f"{path.name} could not be read: {error.strerror}."
            raise WorkspaceError(reason, where=str(path)) from error
        except _DAMAGE as error:
            raise _damaged(path, "it is not a ZIP file, or is cut short") from error
        try:
            self.manifest = self._read_manifest()
            self._check_parts()
        except BaseException:
            self._zip.close()
            raise

    def __enter__(self) -> "Archive":
        """The archive itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._zip.close()

    def _read_manifest(self) -> Manifest:
        try:
            if self._zip.getinfo(_MANIFEST).file_size > _MOST:
                raise _damaged(self.path, "its list of contents is too large")
            about = sound(json.loads(self._zip.read(_MANIFEST)))
        except (*_DAMAGE, OSError, RecursionError) as error:
            raise _damaged(self.path, "its list of contents cannot be read") from error
        if not isinstance(about, dict) or about.get("format") != _FORMAT:
            raise _damaged(self.path, "Mixwright did not write it")
        if about.get("schema") != _SCHEMA:
            raise WorkspaceError(
                f"{self.path.name} was written by another version of Mixwright "
                f"({about.get('version')}).",
                hint="Restore it with that version.",
                where=str(self.path),
            )
        try:
            return _manifest(about)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _damaged(self.path, "its list of contents is wrong") from error

    def _check_parts(self) -> None:
        """Refuse names that lead out, and parts that are not in the manifest."""
        names = [info.filename for info in self._zip.infolist()]
        for info in self._zip.infolist():
            kind = stat.S_IFMT(info.external_attr >> 16)
            is_file = kind in (0, stat.S_IFREG) and not info.is_dir()
            if info.filename != _MANIFEST and not (is_file and is_safe(info.filename)):
                raise WorkspaceError(
                    f"{self.path.name} is not restored: {info.filename!r} in it is "
                    "not a project file.",
                    hint="Mixwright writes no such backup; do not trust this file.",
                    where=str(self.path),
                )
        listed = sorted([*self.manifest.parts, _MANIFEST])
        sizes = {info.filename: info.file_size for info in self._zip.infolist()}
        if sorted(names) != listed:
            raise _damaged(self.path, "its contents are not those of its list")
        for name, part in self.manifest.parts.items():
            if sizes[name] != part.bytes:
                raise _damaged(self.path, f"{name} in it has another size")

    def unpack(self, start: str, folder: Path) -> None:
        """Write the parts whose names begin with `start` into a folder, checked.

        Raises:
            WorkspaceError: A part is not what was written, or the disk is full.
        """
        for name, part in self.manifest.parts.items():
            if name.startswith(start):
                target = folder / name.removeprefix(start)
                try:
                    make_folder(target.parent)
                    with open(target, "xb") as out:
                        for content in self._checked(name, part):
                            out.write(content)
                    os.utime(target, ns=(part.written, part.written))
                except OSError as error:
                    raise explain(error, target) from error

    def check(self) -> None:
        """Read every part and compare it with its hash.

        Raises:
            WorkspaceError: A part is not what was written.
        """
        for name, part in self.manifest.parts.items():
            for _ in self._checked(name, part):
                pass

    def _checked(self, name: str, part: Part) -> Iterator[bytes]:
        digest, remaining = hashlib.sha256(), part.bytes
        try:
            with self._zip.open(name) as source:
                while remaining > 0 and (content := source.read(min(_PART, remaining))):
                    remaining -= len(content)
                    digest.update(content)
                    yield content
                is_longer = bool(source.read(1))
        except (*_DAMAGE, OSError) as error:
            raise _damaged(self.path, f"{name} in it cannot be read") from error
        if remaining or is_longer or digest.hexdigest() != part.sha256:
            raise _damaged(self.path, f"{name} in it is not what was written")


def _manifest(about: Mapping[str, Any]) -> Manifest:
    parts = {str(name): Part(**part) for name, part in about["parts"].items()}
    for part in parts.values():
        numbers = (part.bytes, part.written)
        if not all(isinstance(number, int) and number >= 0 for number in numbers):
            raise ValueError
    projects = tuple(map(str, about["projects"]))
    in_parts = {name.split("/")[1] for name in parts if name.startswith("projects/")}
    if in_parts != set(projects):
        raise ValueError
    return Manifest(
        created=str(about["created"]),
        version=str(about["version"]),
        projects=projects,
        parts=parts,
        left_out=dict(about["left_out"]),
    )


def is_safe(name: str) -> bool:
    """Whether a name in an archive is that of a file which a backup may hold."""
    parts = name.split("/")
    if any(is_odd(part) for part in parts):
        return False
    if parts[0] == "workspace":
        return len(parts) == 2
    return parts[0] == "projects" and len(parts) > 2 and may_name_project(parts[1])


def free_bytes(folder: Path) -> int:
    """Bytes that the disk of a folder has left."""
    return shutil.disk_usage(folder).free


def _damaged(path: Path, why: str) -> WorkspaceError:
    return WorkspaceError(
        f"{path.name} is not restored: {why}.",
        hint="Take another backup; nothing was changed.",
        where=str(path),
    )
