"""How the gate tells pages and routes who is asking: headers that it sets itself, and takes from everybody else.

Streamlit binds a browser's session to them (server.trustedUserHeaders), so that its number alone opens nothing.
"""

from starlette.types import Scope

from pages.entry.logins import Login

NAME, HOME, LOGIN = "X-R3Con-User", "X-R3Con-Home", "X-R3Con-Login"
"""The person's name, the name of their folder, the login's number."""
_OURS = frozenset(name.lower().encode() for name in (NAME, HOME, LOGIN))
TRUSTED_HEADERS = {NAME: "name", HOME: "home", LOGIN: "login"}
"""What server.trustedUserHeaders must be."""


def stripped(scope: Scope) -> Scope:
    """The request without anything that only the gate may say."""
    kept = [(name, value) for name, value in scope["headers"] if name.lower() not in _OURS]
    return {**scope, "headers": kept}


def stamped(scope: Scope, login: Login) -> Scope:
    """The request as it goes on to pages and routes: with who asks."""
    person = login.person
    said = ((NAME, person.name), (HOME, person.folder), (LOGIN, login.number))
    headers = [(name.lower().encode(), value.encode("latin-1", "replace")) for name, value in said]
    return {**stripped(scope), "headers": [*stripped(scope)["headers"], *headers]}
