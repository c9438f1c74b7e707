"""Every test: a home of its own, no keys, and no connection to anywhere but this computer."""

import ipaddress
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import settings

from r3con_core.models.keys import ANY_KEY, ANY_KEY_HOST, PROVIDER_VARIABLES

settings.register_profile("patient", deadline=None)  # a busy computer is no fault of the code
settings.load_profile("patient")

KEYS = (*PROVIDER_VARIABLES, ANY_KEY, ANY_KEY_HOST, "OPENAI_BASE_URL", "OPENAI_ORG_ID")
_LOOK_UPS = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")
_NAMES = ("localhost", "127.0.0.1", "::1", "", None)


class BlockedError(RuntimeError):
    """A test tried to reach another computer."""


def _block(event: str, arguments: tuple[object, ...]) -> None:
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
        if isinstance(address, tuple) and not _is_here(str(address[0])):
            raise BlockedError(f"a test may not connect to {address[0]}")
    elif event in _LOOK_UPS and arguments[0] not in _NAMES and not _is_here(str(arguments[0])):
        raise BlockedError(f"a test may not look up {arguments[0]}")


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".invalid"))


sys.addaudithook(_block)


@pytest.fixture(autouse=True)
def _own_home(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that ask a real model find it in the user's own home; all others see an empty one."""
    if request.node.get_closest_marker("model") is None:
        monkeypatch.setenv("R3CON_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def steps_remembered() -> Iterator[None]:
    """Runs that are carried again to be verified find what their steps came to, where those were run before."""
    from r3con_core.run import carry
    from r3con_core.run_method import Equipment
    from r3con_core.verify import replay
    from tests.remembered import open_remembered

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay, "carry", partial(carry, equipment=Equipment(sandbox=open_remembered)))
        yield
