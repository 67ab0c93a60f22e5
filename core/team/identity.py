"""Identity: who acts, so that every write has a name.

On the command line that is the operating-system user, or MIXWRIGHT_USER. A web process
registers where its signed-in person comes from, because one process serves many. The
name is read each time: nothing here outlives the request that it belongs to.
"""

import os
import pwd
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal

from core.within import Within

Source = Literal["system", "variable", "sign-in", "proxy", "nobody", "mixwright"]

#: Names MIXWRIGHT_USER where the account of the process is not the person.
VARIABLE = "MIXWRIGHT_USER"
#: Characters of a name; e-mail addresses have at most 254.
_LONGEST = 254


@dataclass(frozen=True)
class Person:
    """Somebody who acts.

    Attributes:
        name: As the log and the members file write it; empty for nobody.
        source: Who says so: the operating system, MIXWRIGHT_USER, a sign-in, a proxy;
            `mixwright` for what the server does by itself, such as the demo.
    """

    name: str
    source: Source


NOBODY = Person("", "nobody")
MIXWRIGHT = Person("mixwright", "mixwright")

_acting: Within[Person | None] = Within("acting", None)
_sign_in: Callable[[], Person | None] | None = None


def who() -> Person:
    """Who acts now."""
    acting = _acting.get()
    if acting is not None:
        return acting
    signed_in = _sign_in() if _sign_in is not None else None
    return signed_in if signed_in is not None else local_person()


def set_sign_in(source: Callable[[], Person | None] | None) -> None:
    """Say where the person of a request comes from, in a process that serves many.

    Args:
        source: Returns the person, `NOBODY` where nobody is signed in, and None where
            sign-in is off; None to serve one local user again.
    """
    global _sign_in
    _sign_in = source


def acting_as(person: Person) -> AbstractContextManager[None]:
    """Have the body act as somebody else: `MIXWRIGHT`, for what nobody asked for."""
    return _acting.during(person)


def local_person() -> Person:
    """The person at the command line: MIXWRIGHT_USER, else the account."""
    named = tidy_name(os.environ.get(VARIABLE, ""))
    return Person(named, "variable") if named else system_person()


def system_person() -> Person:
    """The account that the process runs under; no variable has a say in it."""
    number = os.geteuid()
    try:
        return Person(pwd.getpwuid(number).pw_name, "system")
    except KeyError:  # a container may run under a number without a name
        return Person(f"uid {number}", "system")


def tidy_name(name: str) -> str:
    """A name without what could steer a terminal or break a line."""
    printable = "".join(sign for sign in name if sign.isprintable())
    return printable.strip()[:_LONGEST]


def same_name(name: str) -> str:
    """A name as names are compared: addresses in ASCII have no capitals.

    Others do: small letters of some scripts are letters of an ASCII name.
    """
    name = tidy_name(name)
    return name.lower() if "@" in name and name.isascii() else name
