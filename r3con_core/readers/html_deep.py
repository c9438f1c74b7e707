"""A page that is nested too deeply for libxml2, tag by tag, in time that grows with its length only."""

import html
import re
from collections import Counter
from collections.abc import Generator, Iterator

from r3con_core.readers.html_walk import Event, Tag

_TAG = re.compile(r"<(/?)([A-Za-z][^\s/<>]*)([^<>]*)>")
_ATTRIBUTE = re.compile(r"([^\s=/\"'<>]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+)))?")
_RAW = frozenset(("script", "style", "title", "textarea", "xmp"))
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_LONGEST_ATTRIBUTES = 20_000
_LONGEST_DECLARATION = 10_000


def deep_events(markup: str) -> Iterator[Event]:
    """Starts, ends, words and comments as they stand; an end without a start is passed over, all is closed at last."""
    tags = _Tags(markup)
    at = 0
    while at < len(markup):
        sign = markup.find("<", at)
        if sign != at:
            end = sign if sign >= 0 else len(markup)
            yield "text", html.unescape(markup[at:end])
            at = end
        elif markup.startswith("<!--", at):
            end = _find(markup, "-->", at + 4)
            yield "comment", markup[at + 4 : end]
            at = end + 3
        elif found := _TAG.match(markup, at):
            at = yield from tags.events(found)
        else:
            end = markup.find(">", at, at + _LONGEST_DECLARATION) if markup[at + 1 : at + 2] in ("!", "?") else -1
            yield "text", "" if end >= 0 else "<"
            at = max(end, at) + 1
    yield from tags.rest()


def _find(markup: str, what: str, at: int) -> int:
    """Where something is next, or the end of the page."""
    place = markup.find(what, at)
    return place if place >= 0 else len(markup)


class _Tags:
    """Knows which elements are open."""

    def __init__(self, markup: str) -> None:
        folded = markup.lower()
        self._markup = markup
        self._folded = folded if len(folded) == len(markup) else markup
        self._open: list[Tag] = []
        self._counts: Counter[str] = Counter()

    def events(self, found: re.Match[str]) -> Generator[Event, None, int]:
        """What a tag brings about; returns where to go on."""
        name = found[2].lower()
        if found[1]:
            yield from self._ends(name)
            return found.end()
        tag = Tag(name, _attributes(found[3]) if found[3] else {})
        yield "start", tag
        if name in _VOID:
            yield "end", tag
            return found.end()
        self._open.append(tag)
        self._counts[name] += 1
        if name not in _RAW:
            return found.end()
        end = _find(self._folded, f"</{name}", found.end())
        yield "text", html.unescape(self._markup[found.end() : end])
        return end

    def _ends(self, name: str) -> Iterator[Event]:
        while self._counts[name]:
            tag = self._open.pop()
            self._counts[tag.tag] -= 1
            yield "end", tag
            if tag.tag == name:
                return

    def rest(self) -> Iterator[Event]:
        """The ends of what is still open."""
        return (("end", tag) for tag in reversed(self._open))


def _attributes(stated: str) -> dict[str, str]:
    found = _ATTRIBUTE.findall(stated[:_LONGEST_ATTRIBUTES])
    return {name.lower(): html.unescape(quoted or single or bare) for name, quoted, single, bare in reversed(found)}
