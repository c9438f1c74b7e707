"""What a run would send where, told before anything is sent; and which hosts a person has allowed a project's text to go to."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

from r3con_core.egress import proxy_for
from r3con_core.jobs import EMBEDDED, ModelChoice
from r3con_core.models.endpoint import is_loopback, is_near
from r3con_core.store.decisions import Decision, add_decision, list_decisions
from r3con_core.store.documents import list_documents
from r3con_core.store.project import Project

ALLOWED = "allowed"
_SUBJECT = "text to "


class Where(StrEnum):
    """How far away a host is, as far as its name or number tells."""

    COMPUTER = "this computer"
    NETWORK = "this network"
    INTERNET = "the internet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """One host that text would go to."""

    host: str
    where: Where
    proxy: str = ""
    """The host on the way that the environment names; "" for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preflight:
    """What would be sent where."""

    destinations: tuple[Destination, ...]
    documents: int
    words: int
    tokens: int
    """Estimated."""
    held: int
    """Documents that are held back, of all of the project."""
    to_allow: tuple[str, ...]
    """Hosts on the internet that nobody has allowed this project's text to go to yet."""

    @property
    def stays(self) -> bool:
        """No text leaves this computer."""
        return all(each.where is Where.COMPUTER for each in self.destinations)


def preflight(
    project: Project,
    models: Sequence[ModelChoice | None],
    document_ids: Sequence[str] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Preflight:
    """What a run with these models would send, of these documents; None: of all that are not held back."""
    listed = list_documents(project)
    wanted = None if document_ids is None else frozenset(document_ids)
    going = [line for line in listed if not line.held and (wanted is None or line.id in wanted)]
    environ = os.environ if environ is None else environ
    found = {one.host: one for one in (_destination(choice, environ) for choice in models if choice is not None)}
    allowed = allowed_hosts(project)
    return Preflight(
        destinations=tuple(found.values()),
        documents=len(going),
        words=sum(line.words for line in going),
        tokens=sum(line.tokens for line in going),
        held=sum(bool(line.held) for line in listed),
        to_allow=tuple(one.host for one in found.values() if one.where is Where.INTERNET and one.host not in allowed),
    )


def _destination(choice: ModelChoice, environ: Mapping[str, str]) -> Destination:
    if choice.base_url == EMBEDDED or is_loopback(choice.base_url):
        return Destination(host=choice.host, where=Where.COMPUTER)
    if is_near(urlsplit(choice.base_url).hostname or ""):
        return Destination(host=choice.host, where=Where.NETWORK)
    proxy = urlsplit(proxy_for(choice.base_url, environ)).hostname or ""
    return Destination(host=choice.host, where=Where.INTERNET, proxy=proxy)


def allowed_hosts(project: Project) -> frozenset[str]:
    """The hosts that people allowed this project's text to go to."""
    told = (one for one in list_decisions(project) if one.decision == ALLOWED and one.subject.startswith(_SUBJECT))
    return frozenset(one.subject.removeprefix(_SUBJECT) for one in told)


def allow_hosts(project: Project, hosts: Sequence[str], *, author: str) -> None:
    """Write down that this project's text may go to these hosts."""
    for host in hosts:
        decision = Decision(document_id="", subject=f"{_SUBJECT}{host}", decision=ALLOWED, author=author, note="")
        add_decision(project, decision)


def sentences(told: Preflight) -> tuple[str, ...]:
    """What would be sent where, in plain sentences."""
    size = f"{told.documents:,} documents ({told.words:,} words, about {told.tokens:,} tokens)"
    held = f"{told.held:,} held back {'is' if told.held == 1 else 'are'} not sent." if told.held else ""
    if told.stays:
        return tuple(filter(None, (f"Nothing leaves this computer: a model on it reads {size}.", held)))
    places = " and ".join(f"{one.host} ({one.where.value})" for one in told.destinations)
    ways = (f"On the way to {one.host} it passes the proxy {one.proxy}." for one in told.destinations if one.proxy)
    along = "Your question, snippets and records made from the documents go along."
    return tuple(filter(None, (f"The text of {size} goes to {places}.", along, *ways, held)))
