"""The commands and their options. Each command loads only what it needs.

A terminal that knows only some letters gets plain signs: a minus that came out as a
question mark would be another number.
"""

import argparse
import codecs
import contextlib
import errno
import importlib
import os
import sys
import time
import traceback
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from core import PROGRAM, __version__
from core.cli.answer import (
    AT_FAULT,
    BUG,
    DONE,
    INTERRUPTED,
    NOT_SAMPLED,
    Answer,
    as_json,
    tell,
    tell_error,
)
from core.cli.app import add_app, add_mcp
from core.cli.fits import options as of_fits
from core.cli.parts import Parser, parts_of
from core.cli.plans import options as of_plans
from core.cli.tables.layout_options import add_data
from core.cli.team import options as of_teams
from core.cli.tests.lift_test_options import add_lift_tests
from core.errors import MMMError, SamplingError, WorkspaceError
from core.service.workspace import reading
from core.service.workspace.events import event
from core.text.languages.locale import set_locale

#: Name of the error handler.
PLAIN = "mixwright-plain-signs"
_SIGNS = str.maketrans(
    {
        **dict.fromkeys("−–—‐‑·", "-"),
        **dict.fromkeys("\u00a0\u202f\u2009", " "),
        **dict.fromkeys("’‘", "'"),
        **dict.fromkeys("“”„", '"'),
        **{"€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "ß": "ss"},
        **{"…": "...", "×": "x", "±": "+/-", "≤": "<=", "≥": ">=", "→": "->"},
        **{"▲": "^^", "▼": "vv", "△": "^", "▽": "v", "◇": "o"},
    }
)


def plain_signs(error: UnicodeError) -> tuple[str, int]:
    """The part of a text that an encoding lacks, in ASCII."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(_SIGNS)
    apart = unicodedata.normalize("NFKD", text)
    signs = [sign for sign in apart if not unicodedata.combining(sign)]
    return "".join(sign if sign.isascii() else "?" for sign in signs), error.end


codecs.register_error(PLAIN, plain_signs)


#: Errors of paths that no file can be read from or written to.
_IMPOSSIBLE = (errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.ELOOP)
_IMPOSSIBLE += (errno.EACCES, errno.EPERM, errno.EROFS, errno.EINVAL)
#: Commands that make one fit, and wait for it.
_FITTING = ("fit", "demo", "refresh")
_DESCRIPTION = "What media spend returned, and how to split the next budget."
_EPILOG = """\
PROJECT is a folder with project.toml, or the name of a project of the app.
RUN is a run's folder, its name, or a PROJECT, which means its newest finished fit.

Exit status: 0 done, 1 invalid input or an infeasible request, 2 wrong usage, 3 sampling
failed or was stopped, 4 a condition of refresh --if holds, 130 interrupted with Ctrl-C.
MIXWRIGHT_HOME is the workspace (default: ~/.mixwright)."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: Of the command line, without the program; None for this process's.

    Returns:
        The exit status.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(errors=PLAIN)
    options = parser().parse_args(arguments)
    began = time.monotonic()
    set_locale(None)  # until a command opens a project
    code, error = _run(options)
    event(
        "command",
        name=options.verb,
        code=code,
        seconds=time.monotonic() - began,
        error=error,
    )
    return code


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether Ctrl-C is what an error came from, however often it was raised again."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__
    return error is not None


def _run(options: argparse.Namespace) -> tuple[int, BaseException | None]:
    """Run the command; its exit status, and the error that it ended with."""
    try:
        _refuse_long_names(options)
        _open_workspace(options)
        _get_ready(options)
        # Libraries must not talk into the answer.
        with contextlib.redirect_stdout(sys.stderr):
            answer = _command(options)(options)
        return _print(answer, options.json), None
    except SamplingError as error:
        tell_error(error)
        return INTERRUPTED if _is_interrupt(error) else NOT_SAMPLED, error
    except MMMError as error:
        tell_error(error)
        return AT_FAULT, error
    except KeyboardInterrupt as error:
        tell("Stopped.")
        return INTERRUPTED, error
    except BrokenPipeError:  # whoever was reading has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE, None
    except OSError as error:
        if _is_path_of(options, error):
            tell(_unusable(error))
            return AT_FAULT, error
        return _bug(error)
    except Exception as error:
        return _bug(error)


def _open_workspace(options: argparse.Namespace) -> None:
    """Open the workspace, whichever version wrote it; the server for agents does so.

    Raises:
        WorkspaceError: A newer version did.
    """
    if options.verb == "mcp":
        return
    from core.service.projects.version import opened

    if notice := opened():
        tell(notice)


def _get_ready(options: argparse.Namespace) -> None:
    """Have another process start before this one loads anything: a worker or a reader.

    Not both: on two cores the reader would hold up the worker, which takes longer.
    """
    if options.verb not in _FITTING:
        if any(map(_is_table, getattr(options, "sources", None) or ())):
            reading.prepare()
        return
    from core.service.workspace.getting_ready import prepare

    choices = {name: getattr(options, name, None) for name in ("precision", "device")}
    settings = {name: value for name, value in choices.items() if value is not None}
    prepare(getattr(options, "project", None), settings)


def _is_table(name: str) -> bool:
    """Whether a source of the command line is a file that is read as a table."""
    path = os.path.expanduser(name)
    return os.path.isfile(path) and os.path.basename(path) != "project.toml"


def _refuse_long_names(options: argparse.Namespace) -> None:
    """Refuse names that no file can have before anything is computed for them.

    Raises:
        OSError: What is written beside such a name first has a longer one.
    """
    out = getattr(options, "out", None) or []
    for name in [out] if isinstance(out, str) else out:
        path = os.path.expanduser(name)
        folder, base = os.path.split(path)
        for each in (path, os.path.join(folder, f".{base}.1234567-12345678.tmp")):
            try:
                os.lstat(each)
            except OSError as error:
                if error.errno == errno.ENAMETOOLONG:
                    raise OSError(error.errno, error.strerror, path) from error
            except ValueError:  # a name with a zero byte is said by who opens it
                return


def _bug(error: Exception) -> tuple[int, Exception]:
    """A mistake of Mixwright's: said in full; or a disk that a library found full."""
    from core.disk import is_disk_full, temporary_folder

    if is_disk_full(error):
        hint = f"Free some space, also in {temporary_folder()}, and try again."
        tell_error(WorkspaceError("The disk is full.", hint=hint))
        return AT_FAULT, error
    traceback.print_exc()
    tell(f"Mixwright made a mistake: {type(error).__name__}: {error}")
    return BUG, error


def _is_path_of(options: argparse.Namespace, error: OSError) -> bool:
    """Whether an error is about a path that the command line names."""
    if error.filename is None or error.errno not in _IMPOSSIBLE:
        return False
    words = []
    for value in vars(options).values():
        words += value if isinstance(value, list) else [value]
    named = [word for word in words if isinstance(word, str) and word]
    paths = [os.path.abspath(os.path.expanduser(word)) for word in named]
    culprit = os.path.abspath(os.fsdecode(error.filename))
    return any(
        Path(culprit).is_relative_to(path) or Path(path).is_relative_to(culprit)
        for path in paths
    )


def _unusable(error: OSError) -> str:
    """What is wrong with a path, without all of one that is too long."""
    name = os.fsdecode(error.filename)
    path = name if len(name) <= 120 else f"{name[:60]} … {name[-20:]}"
    return f"{path} cannot be used: {error.strerror or error}. Name another path."


def _command(options: argparse.Namespace) -> Callable[..., Answer]:
    module, _, function = options.command.partition(":")
    return getattr(importlib.import_module(f"core.cli.{module}"), function)


def _print(answer: Answer, wants_json: bool) -> int:
    for remark in answer.remarks:
        tell(remark)
    print(as_json(answer.data) if wants_json else answer.text, flush=True)
    return answer.code


@cache  # parsing changes nothing of it
def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    top = Parser(
        prog=PROGRAM,
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"Mixwright {__version__}")
    top.set_defaults(json=False)
    adds = parts_of(top, "commands")

    def add(name: str, runs: str, about: str) -> argparse.ArgumentParser:
        command = adds(name, runs, about)
        command.set_defaults(verb=name)
        return command

    for add_commands in (
        add_app,
        add_mcp,
        add_data,
        of_teams.add_refresh,
        of_fits.add_fit,
        of_fits.add_results,
        of_plans.add_plan,
        of_fits.add_priors,
        of_plans.add_portfolio,
        of_plans.add_actuals,
        of_fits.add_prune,
        of_teams.add_people,
        of_fits.add_outlook,
        add_lift_tests,
        of_teams.add_operations,
    ):
        add_commands(add)
    return top
