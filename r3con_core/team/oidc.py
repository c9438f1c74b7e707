"""Signing in by OpenID Connect: authorization code with PKCE, state and nonce (OpenID Connect Core 1.0, RFC 7636, 9700).

Pure but for `fetch`, which carries one HTTP request. The ID token's signature is checked against the issuer's keys, and
only kinds of signature that need a private key are taken.
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

from r3con_core.errors import TeamError
from r3con_core.team.settings import Oidc, Team, is_loopback

Fetch = Callable[[str, Mapping[str, str] | None], bytes]
"""The body at an address; with a form, as the reply to that form sent there. Raises OSError."""
SIGNATURES = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
LEEWAY = 60
"""Seconds that two clocks may differ."""
BACK = "/login/back"


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """One way to the issuer and back, kept on our side."""

    state: str
    nonce: str
    verifier: str
    after: str
    """Where to go then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Whom the issuer vouches for."""

    identity: str
    """Issuer and its own name for the person, which stays when the mail address changes."""
    name: str
    """The mail address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Issuer:
    """What the issuer tells of itself."""

    authorization: str
    token: str
    keys: str


def begin(after: str) -> Begun:
    """A fresh way, which nobody can guess."""
    return Begun(
        state=secrets.token_urlsafe(32),
        nonce=secrets.token_urlsafe(32),
        verifier=secrets.token_urlsafe(64),
        after=after,
    )


def find_issuer(oidc: Oidc, fetch: Fetch) -> Issuer:
    """Its addresses, as it states them. TeamError when they are not safe or it is another issuer."""
    told = _object(fetch(f"{oidc.issuer.rstrip('/')}/.well-known/openid-configuration", None))
    if told.get("issuer") != oidc.issuer:
        raise TeamError(f"The server at {oidc.issuer} says that it is the issuer {told.get('issuer')!r}.")
    names = ("authorization_endpoint", "token_endpoint", "jwks_uri")
    found = [str(told.get(name, "")) for name in names]
    for address in found:
        parts = urlsplit(address)
        if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname or "")):
            raise TeamError(f"The issuer {oidc.issuer} names an address that is not encrypted: {address!r}.")
    return Issuer(authorization=found[0], token=found[1], keys=found[2])


def way_there(team: Team, issuer: Issuer, begun: Begun) -> str:
    """The address to send the browser to."""
    assert team.oidc is not None
    challenge = base64.urlsafe_b64encode(hashlib.sha256(begun.verifier.encode()).digest()).rstrip(b"=").decode()
    asked = {
        "response_type": "code",
        "client_id": team.oidc.client_id,
        "redirect_uri": f"{team.url}{BACK}",
        "scope": "openid email",
        "state": begun.state,
        "nonce": begun.nonce,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    return f"{issuer.authorization}{'&' if '?' in issuer.authorization else '?'}{urlencode(asked)}"


def way_back(team: Team, begun: Begun, told: Mapping[str, str], secret: str, fetch: Fetch) -> Person:
    """Who came back with these query parameters. TeamError when it is not the one sent, or may not enter."""
    assert team.oidc is not None
    if not hmac.compare_digest(told.get("state", "").encode(), begun.state.encode()):
        raise TeamError("This is not the answer to a sign-in that was begun here. Begin again.")
    if told.get("iss", team.oidc.issuer) != team.oidc.issuer:
        raise TeamError("The answer comes from another issuer than the one asked.")
    if not told.get("code"):
        raise TeamError("The issuer did not sign you in. Begin again, or ask whoever runs this server.")
    issuer = find_issuer(team.oidc, fetch)
    form = {
        "grant_type": "authorization_code",
        "code": told["code"],
        "redirect_uri": f"{team.url}{BACK}",
        "client_id": team.oidc.client_id,
        "code_verifier": begun.verifier,
        **({"client_secret": secret} if secret else {}),
    }
    token = str(_object(fetch(issuer.token, form)).get("id_token", ""))
    return _person(team, read_token(team.oidc, token, fetch(issuer.keys, None), begun.nonce))


def read_token(oidc: Oidc, token: str, keys: bytes, nonce: str) -> dict[str, Any]:
    """What an ID token claims, once its signature, issuer, audience, times and nonce are as they must be; else TeamError."""
    from joserfc import jwt
    from joserfc.errors import JoseError
    from joserfc.jwk import KeySet

    rules = jwt.JWTClaimsRegistry(
        leeway=LEEWAY,
        iss={"essential": True, "value": oidc.issuer},
        aud={"essential": True, "value": oidc.client_id},
        sub={"essential": True},
        exp={"essential": True},
        iat={"essential": True},
        nonce={"essential": True, "value": nonce},
    )
    try:
        found = jwt.decode(token, KeySet.import_key_set(json.loads(keys)), algorithms=list(SIGNATURES))
        rules.validate(found.claims)
    except (JoseError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise TeamError("The issuer's answer could not be verified, so you are not signed in.") from error
    audience = found.claims["aud"]
    if isinstance(audience, list) and len(audience) > 1 and found.claims.get("azp") != oidc.client_id:
        raise TeamError("The issuer's answer is meant for another program.")
    return dict(found.claims)


def _person(team: Team, claims: Mapping[str, Any]) -> Person:
    assert team.oidc is not None
    mail = claims.get("email")
    if not isinstance(mail, str) or claims.get("email_verified") is not True:
        raise TeamError("The issuer does not vouch for a mail address of yours, which is needed to enter.")
    if not mail.isascii() or not mail.isprintable() or not team.may_enter(mail):
        raise TeamError("Your mail address is not among those that may enter. Ask whoever runs this server.")
    return Person(identity=f"{team.oidc.issuer} {claims['sub']}", name=mail.casefold())


def _object(body: bytes) -> dict[str, Any]:
    try:
        told = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise TeamError("The issuer's answer cannot be read.") from error
    if not isinstance(told, dict):
        raise TeamError("The issuer's answer cannot be read.")
    return told
