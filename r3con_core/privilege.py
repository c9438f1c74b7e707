"""Which documents look like communication with counsel, and are held back from every model until released.

Three signs hold a document: a banner that stands by itself ("PRIVILEGED & CONFIDENTIAL"), a mail from or to a
domain that is counsel's, and what the analyst listed. Words about privilege inside a sentence are none, nor are the
disclaimers that mail servers put below every mail. Holding wrongly costs one release; that is why the name of a
domain is enough, and why the rules for banners, which any office mail may carry, are strict.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import normalize

from r3con_core.documents import Document
from r3con_core.privilege_words import BANNER_WORDS, BANNERS, DISCLAIMING, NO_COUNSEL, SLAVIC_ENDINGS

HOLDING_KINDS = ("domains", "people", "phrases", "folders")
"""The analyst's lists, as `Holding` names them."""
MAILS = frozenset(("message/rfc822", "application/vnd.ms-outlook", "application/ms-tnef"))
"""Media types of documents that begin with the headers of a mail."""

MARKED_PRIVILEGED = "The production marks it as privileged"
"""How the warning begins that a production's load file says so of a document."""

_TOP = 12
"""Paragraphs of a text in which a banner at its beginning is looked for."""
_FOOT = 4
"""Paragraphs of a text in which a banner at its end is looked for."""
_LONGEST = 200
"""Characters of a line that can be a banner."""
_HISTORY = "quoted history"
_BETWEEN_PARAGRAPHS = re.compile(r"\n\s*\n")
_BETWEEN_SEGMENTS = re.compile(r"\s[-–—]+\s|[:;|/\\\[\](){}*_#=<>~!•·]+|-{2,}|[–—]")
_WORD = re.compile(r"[^\W_]+")
_TAGGED = re.compile(r"(?i)[\[(]\s*(?:privileged?|privilegiert|privilégiée?)\s*[\])]")
"""The sign that mail programs and firms put into a subject."""
_DASHES = re.compile("[\u2010-\u2015\u2212]")
_ZERO_WIDTH = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_REPLY = re.compile(r"(?i)^(?:(?:re|fwd?|aw|wg|tr|rv|i|r|sv|vs|odp|antw)\s*:\s*)+")
_ADDRESS = re.compile(r"[\w.+%'=-]{1,64}@((?:[\w-]{1,63}\.){1,8}[^\W\d_][\w-]{1,62})")
_ADDRESSING = re.compile(
    r"(?i)^[>\s*]*(?:from|to|cc|bcc|sender|reply-to|von|an|de|à|a|para|da|van|aan|kopie|från|till|fra|til|do|od|dw)\*?\s?:"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """What the analyst listed as signs of counsel, beside the usual ones."""

    domains: tuple[str, ...] = ()
    """Such as "lawfirm.example"; their subdomains are meant too."""
    people: tuple[str, ...] = ()
    """Mail addresses, or names as they stand in the headers of mails, in any order of first and last name."""
    phrases: tuple[str, ...] = ()
    """Words that make a heading or a subject a banner, such as "Project Nightjar legal advice"."""
    folders: tuple[str, ...] = ()
    """Folders and files that are never sent, as `folders` names them."""


NOTHING_LISTED = Holding()


def why_held(document: Document, holding: Holding = NOTHING_LISTED) -> str:
    """Why no model may read this document until it is released, as a plain phrase; empty when it may.

    Looks at the subject, the addresses in the headers and in quoted mails, and the first and last paragraphs.
    """
    return _by_production(document) or _by_address(document, holding) or _by_banner(document, holding)


def held_family(documents: Iterable[Document], holding: Holding = NOTHING_LISTED) -> dict[str, str]:
    """Document id -> why it is held, with all that came attached to a held mail, however deep.

    Documents are in reading order, so that a mail comes before what is attached to it.
    """
    held: dict[str, str] = {}
    paths: set[str] = set()
    for document in documents:
        reason = why_held(document, holding)
        if not reason and not paths.isdisjoint(ancestors(document)):
            reason = "attached to a held mail"
        if reason:
            held[document.id] = reason
            paths.add(document.source.path)
    return held


def ancestors(document: Document) -> Iterator[str]:
    """The paths of what a document came attached to or packed in."""
    if document.parent:
        yield document.parent
    steps = document.source.path.split(" > ")
    yield from (" > ".join(steps[:depth]) for depth in range(1, len(steps)))


def _by_production(document: Document) -> str:
    marked = next((warning for warning in document.warnings if warning.startswith(MARKED_PRIVILEGED)), "")
    return f"{marked[:1].lower()}{marked[1:]}".removesuffix(".")


def _by_address(document: Document, holding: Holding) -> str:
    lines = tuple(_address_lines(document))
    if listed := _listed_person(lines, holding.people):
        return f"{listed} is on your list of counsel"
    for found in (match for line in lines for match in _ADDRESS.finditer(line)):
        domain = found[1].casefold()
        if any(domain == own or domain.endswith(f".{own}") for own in _domains(holding.domains)):
            return f"from or to {found[0]}, whose domain is on your list of counsel"
        if looks_like_counsel(domain):
            return f"from or to {found[0]}, a domain that looks like a law firm's"
    return ""


def _domains(listed: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(bare for domain in listed if (bare := domain.casefold().strip().removeprefix("@").strip(".")))


def _listed_person(lines: Sequence[str], people: Sequence[str]) -> str:
    folded = [line.casefold() for line in lines]
    for person in people:
        wanted = person.casefold().strip()
        for line in folded:
            if "@" in wanted:
                found = wanted in (address[0] for address in _ADDRESS.finditer(line))
            else:
                found = any(_words_of(wanted) <= _words_of(one) for one in _entries(line)) and bool(_words_of(wanted))
            if found:
                return person
    return ""


def _words_of(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text))


def _entries(line: str) -> list[str]:
    """Each name with its address; a comma inside a name, as in "Vane, Lucius", parts no entries."""
    return re.split(r"(?<=>)\s*,|;", line.split(":", 1)[-1])


def _address_lines(document: Document) -> Iterator[str]:
    """The lines of a mail's headers that name people, and those of the mails it quotes."""
    if document.source.media_type not in MAILS:
        return
    for unit in document.units:
        if unit.kind in ("header", _HISTORY):
            text = document.text[unit.span.start : unit.span.end]
            lines = text.split("\n") if unit.kind == "header" else text[:2000].split("\n")
            yield from (line for line in lines if _ADDRESSING.match(line))


def _by_banner(document: Document, holding: Holding) -> str:
    phrases = _phrases(holding.phrases)
    is_mail = document.source.media_type in MAILS
    if is_mail and (banner := _subject_banner(document.title, phrases)):
        return f"its subject says “{banner}”"
    for start, end in _stretches(document, is_mail=is_mail):
        if banner := _standing_banner(document.text[start:end], phrases):
            return f"marked “{banner}”"
    return ""


def _stretches(document: Document, *, is_mail: bool) -> Iterator[tuple[int, int]]:
    """The texts that may begin or end with a banner: a mail's own and those it quotes, or the whole of another file."""
    if not is_mail:
        yield 0, len(document.text)
        return
    for unit in document.units:
        if unit.kind in ("body", _HISTORY):
            yield unit.span.start, unit.span.end


@dataclass(frozen=True, slots=True)
class _Phrases:
    banner: re.Pattern[str]
    words: frozenset[str]


@lru_cache(maxsize=8)
def _phrases(listed: tuple[str, ...]) -> _Phrases:
    own = [r"\W+".join(map(re.escape, words)) for phrase in listed if (words := _WORD.findall(phrase.casefold()))]
    return _Phrases(
        re.compile(rf"\b(?:{'|'.join((*own, *BANNERS))})\b"),
        BANNER_WORDS | {word for phrase in listed for word in _WORD.findall(phrase.casefold())},
    )


def _subject_banner(subject: str, phrases: _Phrases) -> str:
    bare = _REPLY.sub("", subject[:1000].strip())
    if tag := _TAGGED.search(bare):
        return tag[0]
    return next((part for part in _segments(bare) if _is_banner(part, phrases)), "") or (
        _shown(bare) if _is_banner(bare, phrases) else ""
    )


def _standing_banner(text: str, phrases: _Phrases) -> str:
    """A banner among the first or last paragraphs that is neither part of a sentence nor the head of a disclaimer."""
    for paragraph, following in _edges(text):
        banner = next((line for line in _first_lines(paragraph) if _is_banner_line(line, phrases)), "")
        if banner and not DISCLAIMING.search(f"{paragraph}\n\n{following[:600]}".casefold()):
            return _shown(banner)
    return ""


def _first_lines(paragraph: str) -> Iterator[str]:
    bare = (line.strip(" \t>*_-–—=#|•·.").strip() for line in paragraph.split("\n", 8)[:8])
    yield from (line for line in bare if len(line) <= _LONGEST)


def _edges(text: str) -> Iterator[tuple[str, str]]:
    """The first and the last paragraphs, each with the one after it."""
    top = _BETWEEN_PARAGRAPHS.split(text[:20_000].strip(), maxsplit=_TOP + 1)[: _TOP + 1]
    yield from zip(top[:_TOP], [*top[1:], ""], strict=False)
    foot = _BETWEEN_PARAGRAPHS.split(text[-4_000:].strip())[-_FOOT:]
    yield from zip(foot, [*foot[1:], ""], strict=True)


def _is_banner_line(line: str, phrases: _Phrases) -> bool:
    return _is_banner(line, phrases) or any(_is_banner(part, phrases) for part in _segments(line) if line.isupper())


def _segments(line: str) -> list[str]:
    return [part.strip(" .,'\"“”-") for part in _BETWEEN_SEGMENTS.split(line) if part.strip()]


def _is_banner(line: str, phrases: _Phrases) -> bool:
    """Whether a line or a piece of it says that it is privileged and nothing else, or says so in capitals."""
    folded = _DASHES.sub("-", _ZERO_WIDTH.sub("", normalize("NFKC", line[: _LONGEST + 1]))).casefold()
    if not line or len(line) > _LONGEST or not phrases.banner.search(folded):
        return False
    words = _WORD.findall(folded)
    return all(word in phrases.words for word in words) or (line.isupper() and len(words) <= 20)


def _shown(banner: str) -> str:
    return banner if len(banner) <= 80 else f"{banner[:79]}…"


_TELLING = frozenset(
    "law laws lawyer lawyers lawfirm attorney attorneys legal llp solicitor solicitors barrister barristers advocates "
    "avocat avocats avocate rechtsanwalt rechtsanwaelte rechtsanwälte anwalt anwaelte anwälte anwaltskanzlei kanzlei "
    "abogado abogados abogada abogadas avvocato avvocati studiolegale advocaat advocaten advocatuur advokat advokater "
    "advokatfirma advokatfirman adwokat adwokaci kancelaria advogado advogados advocacia advokatni asianajajat".split()
)
_TELLING_ENDINGS = tuple(
    "law lawyers lawfirm lawgroup lawoffice lawoffices attorneys legal llp solicitors barristers avocats rechtsanwaelte "
    "anwaelte kanzlei abogados avvocati advocaten advokater advogados".split()
)
_TELLING_STARTS = tuple(
    "kanzlei avocats abogados kancelaria rechtsanwalt rechtsanwael anwaltskanzlei studiolegale lawoffice".split()
)
_TELLING_TLDS = frozenset(("law", "lawyer", "attorney", "legal", "abogado"))
_PUBLIC = re.compile(r"(?:^|\.)(?:edu|ac|gov|gob|gouv|mil|int)(?:\.[a-z]{2})?$")


@lru_cache(maxsize=4096)
def looks_like_counsel(domain: str) -> bool:
    """Whether the name of a mail domain is that of a law firm, as in smithlaw.com, kanzlei-weber.de or dupont-avocats.fr.

    Universities, authorities, publishers of law and names such as wroclaw.pl are not taken for law firms.
    """
    labels = domain.casefold().strip(".").split(".")
    if _PUBLIC.search(domain.casefold()) or ".".join(labels[-2:]) in NO_COUNSEL or labels[0] in NO_COUNSEL:
        return False
    if labels[-1] in _TELLING_TLDS:
        return True
    # The subdomain of a company may be its newsletter's; only the name that was registered tells.
    registered = labels[-3] if len(labels) > 2 and labels[-2] in ("co", "com", "org", "net", "or", "ne") else labels[-2]
    return _is_telling(registered, labels[-1]) if len(labels) > 1 else False


def _is_telling(label: str, tld: str) -> bool:
    words = label.split("-")
    if not _TELLING.isdisjoint(words):
        return True
    if any(word.endswith(SLAVIC_ENDINGS) for word in words) or (tld == "pl" and label.endswith("law")):
        return False
    return any(word.endswith(_TELLING_ENDINGS) or word.startswith(_TELLING_STARTS) for word in words)
