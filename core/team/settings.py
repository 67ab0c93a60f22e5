"""Settings of a workspace: access.toml, which its keeper edits by hand.

    sign_in = "oidc"                      # "off" (everything is open), "oidc", "proxy"
    admins = ["boss@example.com"]         # of the workspace and of every project
    default = "none"                      # role of whoever else can sign in

    [oidc]
    claim = "email"                       # names the person
    hours = 12                            # then they sign in again
    accept_unverified = false             # an address that the provider did not verify

    [proxy]
    header = "X-Forwarded-Email"
    addresses = ["10.0.0.4", "10.1.0.0/16"]

    [quota]                               # of each project
    runs = 2                              # that wait or work
    disk_gb = 20

Without the file nobody signs in and everything is open. A mistake in it opens nothing:
whoever is not named correctly has no role, and where it cannot be seen how people sign
in, nobody can. The account that owns the file is admin at the command line whatever it
says, so that a mistake can be mended.
"""

import functools
import ipaddress
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from core.store.stored import read_regular
from core.team.audit import SETTINGS, workspace_of
from core.team.identity import Person, same_name, system_person, who
from core.team.roles import Role
from core.text.languages.language import marked
from core.toml.table import TableReader, is_number, only

#: `closed` is no choice: it is what a file that cannot be understood means.
SignIn = Literal["off", "oidc", "proxy"]
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_MOST = 1024**2


@dataclass(frozen=True)
class Settings:
    """What access.toml says.

    Attributes:
        sign_in: How people sign in; `closed` where that cannot be understood.
        admins: Names of the workspace's admins.
        default: The role of whoever else can sign in.
        claim: The claim of an OpenID provider that names the person.
        accept_unverified: Whether an address may be one that the provider did not
            verify.
        hours: So long a sign-in with a provider counts.
        header: The header in which a proxy names the person.
        addresses: Of the proxies that are trusted.
        runs: So many runs of a project may wait or work; None for any number.
        disk_bytes: So much disk a project may take; None for any.
        problems: What is wrong with the file.
    """

    sign_in: Literal["off", "oidc", "proxy", "closed"] = "off"
    admins: frozenset[str] = frozenset()
    default: Role = Role.NONE
    claim: str = "email"
    accept_unverified: bool = False
    hours: float = 12.0
    header: str = ""
    addresses: tuple[Network, ...] = ()
    runs: float | None = None
    disk_bytes: float | None = None
    problems: tuple[str, ...] = ()


#: Bits of an IPv6 address before the IPv4 one that it stands for.
_MAPPED = 96


def settings_of(project: Path | None = None) -> Settings:
    """The settings of the workspace of a project; None for MIXWRIGHT_HOME."""
    path = workspace_of(project) / SETTINGS
    try:
        stat = os.stat(path)
    except FileNotFoundError:
        return _closed("It is a link to nothing.") if path.is_symlink() else Settings()
    except OSError as error:
        return _closed(f"It cannot be read: {error.strerror}.")
    return _read(path, stat.st_mtime_ns, stat.st_size, stat.st_ino)


@functools.lru_cache(maxsize=16)
def _read(path: Path, *_looks: int) -> Settings:
    try:
        return parse_settings(read_regular(path, most=_MOST).decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        return _closed(f"It cannot be read: {error}.")


def parse_settings(text: str) -> Settings:
    """The settings that a text says; mistakes are in `problems`."""
    try:
        root = TableReader(tomllib.loads(text), (), [])
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return _closed(f"It is not TOML: {error}.")
    sign_in = root.text("sign_in", "")
    default = role_at(root, "default")
    admins = _admins(root)
    oidc, proxy, quota = map(root.child, ("oidc", "proxy", "quota"))
    values: dict[str, Any] = {
        "claim": oidc.text("claim", "email"),
        "accept_unverified": oidc.boolean("accept_unverified"),
        "hours": _amount(oidc, "hours", 1) or 12.0,
        "header": proxy.text("header", ""),
        "addresses": _addresses(proxy),
        "runs": _amount(quota, "runs", 1),
        "disk_bytes": _amount(quota, "disk_gb", 1024**3),
    }
    for part in (root, oidc, proxy, quota):
        part.finish()
    if sign_in == "proxy" and not (values["header"] and values["addresses"]):
        root.problem(
            "[proxy] needs header and addresses: nobody can sign in without them."
        )
    if sign_in not in get_args(SignIn) and (sign_in or root.problems):
        said = (
            f"{sign_in!r} is not a way to sign in"
            if sign_in
            else marked("sign_in is missing")
        )
        root.problem(f'{said}; use "off", "oidc" or "proxy".')
        sign_in = "closed"
    return Settings(
        sign_in=sign_in or "off",  # type: ignore[arg-type]
        admins=frozenset(map(same_name, admins)),
        default=Role.NONE if root.problems else default or Role.NONE,
        problems=root.in_words(),
        **values,
    )


def is_keeper(project: Path | None = None) -> bool:
    """Whether this process's account owns access.toml, or is root."""
    number = os.geteuid()
    try:
        return number in (0, os.lstat(workspace_of(project) / SETTINGS).st_uid)
    except OSError:
        return False


def is_enforced(project: Path | None = None) -> bool:
    """Whether roles hold here: only where sign-in is on."""
    return settings_of(project).sign_in != "off"


def acting(project: Path | None = None) -> Person:
    """Who acts here: MIXWRIGHT_USER is believed from the keeper's account only."""
    person = who()
    if person.source != "variable" or not is_enforced(project) or is_keeper(project):
        return person
    return system_person()


def _closed(problem: str) -> Settings:
    return Settings(sign_in="closed", problems=(problem,))


def role_at(table: TableReader, key: str) -> Role | None:
    """A role by its name; None where there is none, or no such role."""
    word = table.any(key)
    role = Role.named(word)
    if role is None and word is not None:
        text = f"{key}: there is no role {word!r}; {Role.choices()}"
        table.problem(text, key=key)
    return role


def _admins(table: TableReader) -> list[str]:
    """Names of people, those that are ones."""
    listed = table.accepted("admins", only(list), marked("a list"), [])
    names = [name for name in listed if isinstance(name, str) and name.strip()]
    if len(names) < len(listed):
        table.problem("admins: write every name in quotes.", key="admins")
    return names


def _addresses(table: TableReader) -> tuple[Network, ...]:
    """Addresses and networks, those that are ones."""
    networks = []
    for text in table.accepted("addresses", only(list), marked("a list"), []):
        try:
            network = _plain(ipaddress.ip_network(str(text)))
            if not network.prefixlen:
                raise ValueError(f"{text} is every address, and not a proxy's")
            networks.append(network)
        except ValueError as error:
            message = f"addresses in {table.place}: {error}."
            table.problem(message, key="addresses")
    return tuple(networks)


def _amount(table: TableReader, key: str, unit: int) -> float | None:
    """A positive number; None where there is none."""

    def read(value: Any) -> float | None:
        return value * unit if is_number(value) and 0 < value < 1e9 else None

    return table.accepted(key, read, marked("a number above 0"))


def _plain(network: Network) -> Network:
    """An IPv4 network that is written as a part of IPv6, as IPv4."""
    mapped = getattr(network.network_address, "ipv4_mapped", None)
    if mapped is None or network.prefixlen < _MAPPED:
        return network
    return ipaddress.ip_network((mapped, network.prefixlen - _MAPPED))
