"""How snippets change from round to round: how many still do, and which other snippets a change leans on. Pure.

What a snippet leans on is told by words alone: it says something now that it did not say before and that other
documents' snippets of the round before do say. That is a hint to look, not a proof.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from r3con_core.folding import UNSPACED, UNSPACED_LETTER, fold
from r3con_core.method.grounding import figures
from r3con_core.snippets import Author, RelevanceSnippet, RelevantContext, Round

_TOKEN = re.compile(rf"\d+(?:[.,]\d+)*|[^\W\d{UNSPACED}][^\W{UNSPACED}]*(?:['’-][^\W{UNSPACED}]+)*|[{UNSPACED}]+")
_EXPLICIT = re.compile(r"\bDocuments? (\d{1,6}(?:(?:, | and |, and |–|-)\d{1,6})*)", re.IGNORECASE)
_GAP = re.compile(r"\W*")
_POSSESSIVE = re.compile("'s?$")
_GRAM = 3
"""Letters of scripts without blanks that are compared at once: about a name."""
_SHORTEST_WORD = 5
"""Letters of a word in small letters that can be telling."""
_LONGEST_GAP = 3
"""Letters between two words that are told as one."""
NAMED_BY, WORDED_BY = 6, 2
"""How many others may hold a name or figure, or another word, at most, if it is to tell whose it is."""
MOST_LEANS, MOST_WORDS = 4, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Lean:
    """A document whose snippet a change leans on."""

    document_id: str
    words: tuple[str, ...]
    """By which it can be told, in the order of the text that changed, as written there."""
    explicit: bool = False
    """The text names the document by its number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Convergence:
    """How much one round changed."""

    number: int
    changed: int
    """Documents whose snippet differs from the one before in more than blanks."""
    read: int
    """Documents that were read in it and have a snippet in the round before."""


def is_changed(before: str, after: str) -> bool:
    """Whether two texts differ in more than blanks and line breaks."""
    return before.split() != after.split()


def convergence(context: RelevantContext) -> tuple[Convergence, ...]:
    """One for each round after the first; what was carried over, or written by a person, was not read."""
    told = []
    for number, of in enumerate(context.rounds[1:], start=1):
        before = {each.document_id: each.text for each in context.rounds[number - 1].snippets}
        read = [s for s in of.snippets if not s.carried and s.author is Author.MODEL and s.document_id in before]
        changed = sum(is_changed(before[each.document_id], each.text) for each in read)
        told.append(Convergence(number=of.number, changed=changed, read=len(read)))
    return tuple(told)


@dataclass(frozen=True, slots=True)
class _Term:
    """A word of a text that may tell where it comes from."""

    key: str
    start: int
    end: int
    named: bool
    """A name or a figure, which few others share by chance."""


def _terms(text: str) -> list[_Term]:
    terms: list[_Term] = []
    for found in _TOKEN.finditer(text):
        word, start = found.group(), found.start()
        if UNSPACED_LETTER.match(word):
            grams = range(max(len(word) - _GRAM + 1, 1))
            terms += [
                _Term(
                    key=fold(word[at : at + _GRAM]),
                    start=start + at,
                    end=start + min(at + _GRAM, len(word)),
                    named=True,
                )
                for at in grams
                if len(word) >= _GRAM - 1
            ]
        elif word[0].isdigit():
            terms += [_Term(key=figure, start=start, end=found.end(), named=True) for figure in figures(word)]
        elif word[0].isupper() and len(word) > 2:
            terms.append(_Term(key=_POSSESSIVE.sub("", fold(word)), start=start, end=found.end(), named=True))
        elif len(word) >= _SHORTEST_WORD or not word.isascii():
            terms.append(_Term(key=fold(word), start=start, end=found.end(), named=False))
    return terms


def _keys(text: str) -> set[str]:
    """The keys of all terms of a text, and perhaps some more, which nobody asks for; much faster than the terms."""
    keys: set[str] = set()
    for word in _TOKEN.findall(fold(text)):
        if word[0].isdigit():
            keys |= figures(word)
        elif UNSPACED_LETTER.match(word):
            keys |= {word[at : at + _GRAM] for at in range(max(len(word) - _GRAM + 1, 1))}
        elif len(word) > 2:
            keys |= {word, _POSSESSIVE.sub("", word)}
    return keys


class Sources:
    """The snippets of one round as what later ones may lean on; made once for all documents."""

    def __init__(self, of: Round, numbers: Mapping[str, int]) -> None:
        """`numbers`: document id -> its number in the corpus."""
        self._ids = {number: document_id for document_id, number in numbers.items()}
        self._numbers = numbers
        self._texts = {each.document_id: each.text for each in of.snippets if each.text}
        self._holders: defaultdict[str, list[str]] = defaultdict(list)
        for document_id, text in self._texts.items():
            for key in _keys(text):
                self._holders[key].append(document_id)

    def leans(self, now: RelevanceSnippet) -> tuple[Lean, ...]:
        """The documents whose snippets the changed one leans on, the most telling first; none where it is as before."""
        own = self._texts.get(now.document_id, "")
        if now.carried or not is_changed(own, now.text):
            return ()
        explicit = self._named(now.text) - self._named(own) - {now.document_id}
        bare = _EXPLICIT.sub(lambda found: " " * len(found.group()), now.text)
        shared = self._shared(now.document_id, _terms(bare), {term.key for term in _terms(own)})
        leans = [
            Lean(document_id=each, words=_phrases(now.text, shared.get(each, ())), explicit=each in explicit)
            for each in {*explicit, *(each for each, terms in shared.items() if _tells(terms))}
        ]
        weights = {each: sum(2 if term.named else 1 for term in terms) for each, terms in shared.items()}
        leans.sort(key=lambda lean: (not lean.explicit, -weights.get(lean.document_id, 0), self._place(lean)))
        return tuple(leans[:MOST_LEANS])

    def _place(self, lean: Lean) -> int:
        return self._numbers.get(lean.document_id, 0)

    def _named(self, text: str) -> set[str]:
        """Documents that a text names by their numbers."""
        numbers = {int(n) for found in _EXPLICIT.finditer(text) for n in re.findall(r"\d+", found.group(1))}
        return {self._ids[number] for number in numbers if number in self._ids}

    def _shared(self, own_id: str, terms: Sequence[_Term], known: set[str]) -> dict[str, list[_Term]]:
        """Document id -> the new terms that its snippet holds, in order, leaving out those that too many hold."""
        shared: defaultdict[str, list[_Term]] = defaultdict(list)
        for term in terms:
            if term.key in known:
                continue
            holders = [each for each in self._holders.get(term.key, ()) if each != own_id]
            if len(holders) <= (NAMED_BY if term.named else WORDED_BY):
                for each in holders:
                    shared[each].append(term)
        return shared


def _tells(terms: Iterable[_Term]) -> bool:
    """Whether shared terms are more than chance: a name or a figure of some length, or two other words."""
    kinds = Counter(term.named and not (term.key.isdigit() and len(term.key) < 3) for term in terms)
    return kinds[True] > 0 or kinds[False] > 1


def _phrases(text: str, terms: Sequence[_Term]) -> tuple[str, ...]:
    """The terms as written, those that stand side by side as one."""
    spans: list[list[int]] = []
    for term in terms:
        last = spans[-1] if spans else None
        if last and term.start <= last[1] + _LONGEST_GAP and _GAP.fullmatch(text, last[1], max(term.start, last[1])):
            last[1] = max(last[1], term.end)
        else:
            spans.append([term.start, term.end])
    return tuple(dict.fromkeys(text[start:end] for start, end in spans))[:MOST_WORDS]
