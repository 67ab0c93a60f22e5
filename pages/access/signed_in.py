"""Signed in: who the person of this browser is, as provider or proxy says.

Asked for at every write and every screen, and decided on each time from the workspace's
access.toml: a person who is removed, or whose sign-in is too old, is nobody at once.
"""

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.service.projects.access import (
    NOBODY,
    Person,
    Settings,
    settings_of,
    tidy_name,
)
from core.text.languages.language import say

#: Header in which `pages.access.proxy` hands on whom a trusted proxy named.
HEADER = "X-Mixwright-Person"


class Standing(NamedTuple):
    """Who somebody is, or why they are nobody.

    Attributes:
        person: The person; `NOBODY` where nobody is signed in.
        why: Why a sign-in does not count; empty where there is none.
    """

    person: Person
    why: str = ""


def person() -> Person | None:
    """The person of this browser; None where sign-in is off."""
    settings = settings_of()
    return None if settings.sign_in == "off" else standing(settings).person


def standing(settings: Settings) -> Standing:
    """Who the person of this browser is, where sign-in is on."""
    if get_script_run_ctx() is None:
        return Standing(NOBODY)
    if settings.sign_in == "oidc":
        return of_provider(st.user.to_dict(), settings, now=time.time())
    if settings.sign_in == "proxy":
        return _named(st.context.headers.get(HEADER) or "", "proxy")
    return Standing(NOBODY)


def of_provider(
    claims: Mapping[str, Any], settings: Settings, *, now: float
) -> Standing:
    """The person that an OpenID provider's claims name.

    Args:
        claims: What the cookie holds, whose signature is checked.
        settings: Which claim names the person, and how long it counts.
        now: Seconds since 1970.
    """
    if claims.get("is_logged_in") is not True:
        return Standing(NOBODY)
    signed_in = claims.get("iat")
    if type(signed_in) not in (int, float) or now - signed_in > settings.hours * 3600:
        return Standing(NOBODY, say("Your sign-in has expired. Sign in again."))
    name = claims.get(settings.claim)
    if settings.claim == "email":
        if not isinstance(name, str) or "@" not in name:
            return Standing(
                NOBODY, say("The provider did not give your e-mail address.")
            )
        if claims.get("email_verified") is not True and not settings.accept_unverified:
            return Standing(NOBODY, say("The provider has not verified your address."))
    return _named(name, "sign-in")


def _named(name: object, source: Any) -> Standing:
    """A person by a name that is one, letter for letter."""
    if not isinstance(name, str) or not name:
        return Standing(NOBODY)
    if tidy_name(name) != name:
        return Standing(
            NOBODY, say("Your name contains characters that a name cannot have.")
        )
    return Standing(Person(name, source))
