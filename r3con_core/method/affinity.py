"""Which snippets bear on a document: a lexical ranking that needs no model and knows languages without spaces.

A document's own snippet has no part in it: what is asked is the document's text and the task, how rare a term is
comes from the documents' texts, and nothing is measured over the snippets together.
"""

import math
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import nsmallest
from itertools import islice

from r3con_core.documents import Corpus, Document, estimate_tokens
from r3con_core.folding import UNSPACED, UNSPACED_LETTER, fold
from r3con_core.snippets import RelevanceSnippet

MAX_WORDS, MAX_GRAMS = 40, 120
"""How many of a document's most distinctive terms are looked for; a name of five ideographs is four of the latter."""
TASK_WEIGHT = 1.0
"""Of a term of the task, against the same term of the document; what both hold counts for both."""
STEM_WEIGHT = 0.5
NAMED_TERMS = 3
"""A snippet that names the document by its number counts as one that shares so many of the rarest terms with it."""
USUAL_TOKENS, LENGTH_SHARE = 80, 0.3
"""A snippet of this length counts as it is; how far longer ones count less, and shorter ones more."""

_JOINED = "\u0900-\u0963\u0966-\u0dff\u0f40-\u0fbc"
"""Indic scripts and Tibetan, whose vowel signs are no letters to a regular expression."""
_LETTER = f"(?:[^\\W_{UNSPACED}]|[{_JOINED}])"
_ALPHABETIC = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Of the scripts without spaces those with letters: Thai, Lao, Burmese, Khmer."""
_TERM = re.compile(f"{_LETTER}+(?:[-/.,:_']{_LETTER}+)*|[{_ALPHABETIC}]+|[{UNSPACED}]+")
_PLAIN_TERM = re.compile("[a-z0-9]+(?:[-/.,:_'][a-z0-9]+)*")
"""The same for ASCII, three times as fast."""
_SEPARATOR = re.compile("[-/.,:_']")
_DIGIT = re.compile(r"\d")
_NO_CENTS = re.compile(r"(?<=\d)[.,]00?$")
_STEM = 5
"""Letters of a longer word that are a term of their own, so that its other forms are found."""
_REFERENCE = re.compile(r"\bDocuments? (\d+(?:(?:, | and )\d+)*)")


def count_terms(text: str) -> Counter[str]:
    """The terms of `text`, folded: words, beginnings of longer words ("payme*"), identifiers.

    Scripts without spaces give runs of two ideographs or syllables, or of three letters, each after a blank.
    """
    counts: Counter[str] = Counter()
    folded = fold(text)
    found_terms = (_PLAIN_TERM if folded.isascii() else _TERM).findall(folded)
    for found, times in Counter(found_terms).items():
        for term in _terms_of(found):
            counts[term] += times
    return counts


@lru_cache(maxsize=50_000)
def _terms_of(found: str) -> tuple[str, ...]:
    """Kept for the commonest words: they make up most of any text."""
    if UNSPACED_LETTER.match(found):
        return _grams(found)
    if _DIGIT.search(found):
        return _identifier(found)
    return tuple(term for word in _SEPARATOR.split(found) for term in _word(word))


def _grams(run: str) -> tuple[str, ...]:
    size = 3 if re.match(f"[{_ALPHABETIC}]", run) else 2
    return tuple(" " + run[start : start + size] for start in range(max(len(run) - size, 0) + 1))


def _identifier(found: str) -> tuple[str, ...]:
    """NQ-108 is nq108 and 108; 4,200.00 is 4200."""
    parts = _SEPARATOR.split(_NO_CENTS.sub("", found))
    whole = "".join(parts)
    return (whole, *(part for part in parts if len(part) > 2 and part != whole)) if len(whole) > 1 else ()


def _word(word: str) -> tuple[str, ...]:
    if len(word) < 2:
        return ()
    return (word, word[:_STEM] + "*") if len(word) > _STEM else (word,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """The snippets of a round by their terms. About 3 kB a snippet."""

    ids: tuple[str, ...]
    """Documents whose snippets say something, in corpus order."""
    places: Mapping[str, int]
    """Document id -> its place in `ids`."""
    holders: Mapping[str, "array[int]"]
    """Term -> places of the snippets that hold it, rising."""
    rarity: Mapping[str, float]
    """Term -> how few documents hold it, from the documents' texts: the logarithm's square, so that one rare name in
    common tells more than a common vocabulary."""
    rarest: float
    """Of a term that one document holds."""
    naming: Mapping[int, tuple[int, ...]]
    """Document number -> places of the snippets that name it."""
    weights: "array[float]"
    """For each place, what its length makes of its score."""
    task_scores: "array[float]"
    """For each place, how much its snippet shares with the task."""
    by_task: "array[int]"
    """Places, those that share most with the task first."""


def make_index(corpus: Corpus, snippets: Iterable[RelevanceSnippet], *, task: str) -> Index:
    """The index of the snippets that say something."""
    saying = [snippet for snippet in snippets if snippet.text.strip()]
    holders: dict[str, array[int]] = {}
    for place, snippet in enumerate(saying):
        for term in count_terms(snippet.text):
            holders.setdefault(term, array("I")).append(place)
    rarity = _rarities(corpus, holders)
    weights = array("d", (_length_weight(snippet.text) for snippet in saying))
    scores = _task_scores(task, holders, rarity, len(saying))
    return Index(
        ids=tuple(snippet.document_id for snippet in saying),
        places={snippet.document_id: place for place, snippet in enumerate(saying)},
        holders=holders,
        rarity=rarity,
        rarest=_rarity(1, len(corpus.documents)),
        naming=_naming(saying),
        weights=weights,
        task_scores=scores,
        by_task=array("I", sorted(range(len(saying)), key=lambda place: (-scores[place] * weights[place], place))),
    )


def _rarities(corpus: Corpus, wanted: Mapping[str, object]) -> dict[str, float]:
    """Of the wanted terms only: the vocabulary of a large corpus would not fit a small memory."""
    held: Counter[str] = Counter()
    for document in corpus.documents:
        held.update(wanted.keys() & count_terms(document.text).keys())
    return {term: _rarity(held[term], len(corpus.documents)) for term in wanted}


def _rarity(held: int, documents: int) -> float:
    """A term that snippets hold and no document does, such as one of another language, counts as one that half hold."""
    held = held or documents // 2
    return math.log(1 + (documents - held + 0.5) / (held + 0.5)) ** 2


def _naming(snippets: Sequence[RelevanceSnippet]) -> dict[int, tuple[int, ...]]:
    """From the references that snippets make: "(see Document 12)"."""
    naming: defaultdict[int, list[int]] = defaultdict(list)
    for place, snippet in enumerate(snippets):
        named = {int(number) for found in _REFERENCE.findall(snippet.text) for number in re.findall(r"\d+", found)}
        for number in named:
            naming[number].append(place)
    return {number: tuple(places) for number, places in naming.items()}


def _length_weight(text: str) -> float:
    return 1 / (1 - LENGTH_SHARE + LENGTH_SHARE * estimate_tokens(text) / USUAL_TOKENS)


def _task_scores(
    task: str, holders: Mapping[str, "array[int]"], rarity: Mapping[str, float], size: int
) -> "array[float]":
    scores = array("d", bytes(8 * size))
    for term in sorted(count_terms(task).keys() & holders.keys()):
        for place in holders[term]:
            scores[place] += TASK_WEIGHT * rarity[term] * _share_of(term)
    return scores


def _share_of(term: str) -> float:
    """Several terms stand for one word: its beginning, or the runs of letters it is cut into."""
    return STEM_WEIGHT if term[0] == " " or term[-1] == "*" else 1.0


def rank(index: Index, document: Document, number: int, *, most: int = 400) -> list[str]:
    """Up to `most` documents whose snippets bear on `document`, the most first; ties in corpus order.

    `number` is its number in the corpus. It is not among them itself. Those that bear on the task alone come last.
    """
    own = index.places.get(document.id, -1)
    scores: defaultdict[int, float] = defaultdict(float)
    for term, weight in _distinctive(index, document.text, own):
        for place in index.holders[term]:
            scores[place] += weight
    for place in index.naming.get(number, ()):
        scores[place] += NAMED_TERMS * index.rarest
    weighed = {p: (s + index.task_scores[p]) * index.weights[p] for p, s in scores.items() if p != own}
    best = nsmallest(most, weighed, key=lambda place: (-weighed[place], place))
    if len(best) < most:
        best += islice((place for place in index.by_task if place not in weighed and place != own), most - len(best))
    return [index.ids[place] for place in best]


def rank_for_task(index: Index, *, most: int = 400) -> list[str]:
    """Up to `most` documents whose snippets share most with the task, the most first; ties in corpus order."""
    return [index.ids[place] for place in index.by_task[:most]]


def _distinctive(index: Index, text: str, own: int) -> list[tuple[str, float]]:
    """The document's most distinctive terms that another document's snippet holds, with their weights."""
    words: list[tuple[float, str]] = []
    grams: list[tuple[float, str]] = []
    for term, times in count_terms(text).items():
        places = index.holders.get(term)
        if places is None or (len(places) == 1 and places[0] == own):
            continue
        weight = index.rarity[term] * _share_of(term) * times * 2.2 / (times + 1.2)
        (grams if term[0] == " " else words).append((-weight, term))
    chosen = nsmallest(MAX_WORDS, words) + nsmallest(MAX_GRAMS, grams)
    return [(term, -weight) for weight, term in chosen]
