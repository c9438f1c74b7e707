"""Keys of model endpoints: typed for a session, in the environment, or in the system's keyring; in no file.

A key belongs to a place, which is the host of an address with its port. It is sent there and nowhere else.
"""

import json
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit

from r3con_core.errors import EndpointError
from r3con_core.home import is_shared
from r3con_core.models.endpoint import is_near
from r3con_core.models.keyrings import Keyring, NoKeyring, find_keyring
from r3con_core.scrubbing import hold

ANY_KEY = "R3CON_API_KEY"
"""For the one address that a run has, or for the one that ANY_KEY_HOST names.

In the app of a team only for the named one: whoever may enter an address could have it sent to a server of their own.
"""
ANY_KEY_HOST = "R3CON_API_KEY_HOST"
_OF_PLACE = {
    "api.anthropic.com": "ANTHROPIC_API_KEY",
    "api.cerebras.ai": "CEREBRAS_API_KEY",
    "api.deepseek.com": "DEEPSEEK_API_KEY",
    "api.fireworks.ai": "FIREWORKS_API_KEY",
    "api.groq.com": "GROQ_API_KEY",
    "api.mistral.ai": "MISTRAL_API_KEY",
    "api.openai.com": "OPENAI_API_KEY",
    "api.together.ai": "TOGETHER_API_KEY",
    "api.together.xyz": "TOGETHER_API_KEY",
    "api.x.ai": "XAI_API_KEY",
    "eu.api.openai.com": "OPENAI_API_KEY",
    "generativelanguage.googleapis.com": "GEMINI_API_KEY",
    "openrouter.ai": "OPENROUTER_API_KEY",
    "us.api.openai.com": "OPENAI_API_KEY",
}
"""Other programs' variables go, over https, to the hosts that they are meant for and to no other."""
_AZURE, _AZURE_PLACE = "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT"
"""Azure has a host for each customer: the second variable names it."""
PROVIDER_VARIABLES = tuple(sorted({*_OF_PLACE.values(), _AZURE}))
OLD_FILE = "keys.json"
"""Where keys were kept before, in the home."""


class Origin(StrEnum):
    """Where a key was found."""

    TYPED = "typed"
    ENVIRONMENT = "environment"
    KEYRING = "keyring"


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key for one place."""

    letters: str = field(repr=False)
    origin: Origin
    variable: str = ""
    """Of the environment, where it is from there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where keys are looked for."""

    home: Path
    typed: Mapping[str, str] = field(default_factory=dict, repr=False)
    """What a person has typed in this session, by place."""
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    keyring: Callable[[], Keyring | NoKeyring] = find_keyring
    """Looked for when it is needed, since that may take a while."""


def host_and_port(base_url: str) -> str:
    """The host of an address, in small letters, with the port where it is not the usual one."""
    parts = urlsplit(base_url if "://" in base_url else f"//{base_url}")
    place = parts.netloc.rpartition("@")[2].lower()
    usual = {"https": ":443", "http": ":80"}.get(parts.scheme.lower(), "")
    return place.removesuffix(usual) if usual else place


def may_have_key(base_url: str) -> bool:
    """Whether a key may go there: not unencrypted over networks of others, where it could be read on its way."""
    parts = urlsplit(base_url)
    return parts.scheme == "https" or is_near(parts.hostname or "")


UNENCRYPTED = (
    "No key is sent to an address that begins with http://, except on this computer or its own network: it could be "
    "read on its way. Write https:// if the server speaks it."
)


def key_among(keys: Mapping[str, str], base_url: str) -> str:
    """The key for the endpoint at `base_url` of those given by host and port; "" where none may be sent there.

    Two addresses of one host and port may differ in that: http and https, each on its usual port.
    """
    return keys.get(host_and_port(base_url), "") if may_have_key(base_url) else ""


def fault_of(letters: str) -> str:
    """Why this cannot be a key, in a sentence; "" when it can."""
    if letters.isascii() and letters.isprintable() and not any(letter.isspace() for letter in letters):
        return ""
    return "The key holds blanks or letters that no key has. Copy it again, whole."


def find_keys(base_urls: Collection[str], sources: Sources) -> dict[str, Key]:
    """The keys of a run whose models are at `base_urls`, by place; places without a key are left out.

    What was typed comes first, then the environment, then the keyring.
    """
    places = {host_and_port(url): url for url in base_urls if may_have_key(url)}
    alone = len({host_and_port(url) for url in base_urls}) == 1
    found = {place: _find(place, url, sources, alone=alone) for place, url in places.items()}
    keys = {place: key for place, key in found.items() if key is not None}
    for key in keys.values():
        hold(key.letters)
    return keys


def find_key(base_url: str, home: Path, environ: Mapping[str, str]) -> str:
    """The key for the only address of a run, "" where none is known."""
    keys = find_keys((base_url,), Sources(home=home, environ=environ))
    return next((key.letters for key in keys.values()), "")


def _find(place: str, base_url: str, sources: Sources, *, alone: bool) -> Key | None:
    if typed := sources.typed.get(place, "").strip():
        return Key(letters=typed, origin=Origin.TYPED)
    for variable in _variables(place, base_url, sources.environ, alone=alone):
        if set_ := sources.environ.get(variable, "").strip():
            return Key(letters=set_, origin=Origin.ENVIRONMENT, variable=variable)
    keyring = sources.keyring()
    kept = keyring.get(sources.home, place) if isinstance(keyring, Keyring) else ""
    return Key(letters=kept, origin=Origin.KEYRING) if kept else None


def _variables(place: str, base_url: str, environ: Mapping[str, str], *, alone: bool) -> list[str]:
    """The variables whose keys may go to `place`, the first one first."""
    named = environ.get(ANY_KEY_HOST, "").strip()
    ours = [ANY_KEY] if (host_and_port(named) == place if named else alone and not is_shared(environ)) else []
    if urlsplit(base_url).scheme != "https":
        return ours
    azure = environ.get(_AZURE_PLACE, "").strip()
    theirs = [_AZURE] if azure and host_and_port(azure) == place else []
    return [*ours, *([_OF_PLACE[place]] if place in _OF_PLACE else []), *theirs]


AMBIGUOUS = (
    "Set R3CON_API_KEY_HOST to the host it is for; a key for the other is typed, remembered, or in its variable."
)


def is_ambiguous(base_urls: Collection[str], environ: Mapping[str, str]) -> bool:
    """Whether R3CON_API_KEY is set and goes nowhere, because nothing says for which of the addresses it is."""
    several = len({host_and_port(url) for url in base_urls}) > 1
    return several and bool(environ.get(ANY_KEY, "").strip()) and not environ.get(ANY_KEY_HOST, "").strip()


def keep_key(base_url: str, key: str, sources: Sources) -> None:
    """Keep `key` for the place of `base_url` in the keyring; EndpointError where that cannot be."""
    keyring = sources.keyring()
    if isinstance(keyring, NoKeyring):
        raise EndpointError(f"The key cannot be remembered. {keyring.why}")
    keyring.keep(sources.home, host_and_port(base_url), key.strip())


def forget_key(base_url: str, sources: Sources) -> None:
    """Have the keyring forget the key for the place of `base_url`, if any; EndpointError when it will not."""
    keyring = sources.keyring()
    if isinstance(keyring, Keyring):
        keyring.forget(sources.home, host_and_port(base_url))


def retire_old_file(sources: Sources) -> str:
    """Move the keys of the file where they were kept before to the keyring, and delete it; what to tell of it, or "".

    Without a keyring the file stays, and nothing in it is used.
    """
    file = sources.home / OLD_FILE
    if not file.exists():
        return ""
    keyring = sources.keyring()
    if isinstance(keyring, NoKeyring):
        return (
            f"Keys are no longer kept in files, so those in {file} are not used. Set R3CON_API_KEY, or type the key when "
            f"you need it, and delete that file. They cannot be moved to a keyring: {keyring.why}"
        )
    try:
        told = json.loads(file.read_text("utf-8"))
        kept = {str(place): str(key) for place, key in told.items()} if isinstance(told, dict) else {}
        for place, key in kept.items():
            hold(key)
            keyring.keep(sources.home, place, key)
        file.unlink()
    except (OSError, ValueError, EndpointError):
        return (
            f"Keys are no longer kept in files, and those in {file} could not be moved to {keyring.name}. "
            "Type them again where you need them, and delete that file."
        )
    return f"The keys in {file} were moved to {keyring.name}, and the file was deleted."
