"""Names and days in texts, found by how they are written: no model, no word list of any language.

A name is a run of capitalised words. The first word of a sentence alone is one only where the corpus writes it with a
capital inside sentences too, and more often than without. Scripts that have no capitals: see `_recurring`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from r3con_core.documents import Span
from r3con_core.folding import UNSPACED, fold
from r3con_core.methods.chunks import Chunk
from r3con_core.traces import Place

_CAPITAL = r"[^\W\d_a-z\u00df-\u00f6\u00f8-\u00ff\u0430-\u045f\u03ac-\u03ce" + UNSPACED + r"]"
_TITLE = r"(?:Mr|Mrs|Ms|Dr|St|Prof|Capt|Rev|Hon|Messrs)"
_WORD = rf"(?:{_TITLE}\.(?=\s)|{_CAPITAL}(?:\.(?=\s?{_CAPITAL})|[\w'’-]*[^\W_])?)"
_LINK = r"(?:of the|of|de la|de|du|des|der|den|von|van|zu|da|di|del|al|el|bin|&)"
_RUN = re.compile(
    rf"(?:\b\d{{1,2}}(?:st|nd|rd|th|\.)? )?\b{_WORD}(?:(?:(?<=[^\W\d_]) {_LINK} |[ \u00a0]?){_WORD}|,? \d{{1,4}}\b)*"
)
_DAY = re.compile(r"\b\d{1,4}([-/.])\d{1,2}\1\d{2,4}\b")
_CASED = re.compile(r"[A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u052f]")
_LOWER = re.compile(r"(?<![\w'’])[^\W\d_][\w'’-]*")
_OWNED = re.compile(r"['’]s?$")
_UNSPACED_RUN = re.compile(f"[{UNSPACED}]{{2,}}")
_UNCASED_WORD = re.compile(r"[\u0590-\u08ff\u0900-\u0dff]{4,}")
_PARTICLES = re.compile(
    "[的了在是和与及为于对中上下有不也就都而且或将被把从到等这那其のはがをにでと도는은이가을를"
    "\u3000-\u303f\uff00-\uff0f\uff1a-\uff20]"
)
_END = re.compile(
    r"(?:(?<![.!?…])[.!?…]+[\"'”’)\]]*(?=\s)|[。\uff01\uff1f]+[”’」』\uff09]*|(?<=\S)[^\S\n]*\n(?=\s*\n))\s*"
)
_ABBREVIATED = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|St|No|Nos|vs|pp?|a\.m|p\.m|e\.g|i\.e|[A-Z]))\.$")
MOST_LETTERS = 80
MOST_OF_SENTENCE = 500
"""Letters; tables and lists have no full stops."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceAt:
    """A sentence of a chunk."""

    chunk: int
    """Place of its chunk, from 0."""
    document_id: str
    span: Span
    text: str
    """On one line."""

    @property
    def place(self) -> Place:
        """Where it stands."""
        return Place(document_id=self.document_id, span=self.span)


def sentences_of(chunks: Sequence[Chunk]) -> tuple[SentenceAt, ...]:
    """The sentences of all chunks, in order, each with where it stands."""
    return tuple(sentence for number, chunk in enumerate(chunks) for sentence in _sentences(number, chunk))


def _sentences(number: int, chunk: Chunk) -> Iterator[SentenceAt]:
    for start, end in _stretches(chunk.text):
        text = " ".join(chunk.text[start:end].split())
        if text:
            span = Span(start=chunk.span.start + start, end=chunk.span.start + end)
            yield SentenceAt(chunk=number, document_id=chunk.document_id, span=span, text=text)


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Where sentences begin and end: at their marks and at blank lines; very long ones at each line's end too."""
    at = 0
    for found in (*_END.finditer(text), None):
        end = found.end() if found else len(text)
        if found and _ABBREVIATED.search(text[at : found.start() + 1]):
            continue
        if end - at <= MOST_OF_SENTENCE:
            yield at, end
        else:
            yield from _lines(text, at, end)
        at = end


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for line in text[start:end].splitlines(keepends=True):
        yield start, start + len(line)
        start += len(line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """How a corpus writes its words: what tells a name from the first word of a sentence."""

    lower: Counter[str] = field(default_factory=Counter)
    """By folded word, how often it begins with a small letter."""
    capital: Counter[str] = field(default_factory=Counter)
    """How often with a capital inside a sentence."""
    recurring: frozenset[str] = frozenset()
    """Of scripts without capitals, folded stretches that are taken for names."""

    def is_common(self, word: str) -> bool:
        """Whether it is written with a small letter, and no less often than with a capital inside a sentence."""
        key = _OWNED.sub("", word).casefold()
        return 0 < self.lower[key] >= self.capital[key]

    def is_known(self, word: str) -> bool:
        """Whether it is written with a capital inside a sentence."""
        return self.capital[_OWNED.sub("", word).casefold()] > 0


def usage_of(sentences: Sequence[str]) -> Usage:
    """What a corpus of these sentences shows."""
    lower: Counter[str] = Counter()
    capital: Counter[str] = Counter()
    for sentence in sentences:
        for number, found in enumerate(_LOWER.finditer(sentence)):
            word = found[0]
            if word[0].islower():
                lower[word.casefold()] += 1
            elif number and not word.isupper():
                capital[_OWNED.sub("", word).casefold()] += 1
    return Usage(lower=lower, capital=capital, recurring=_recurring(sentences))


def _recurring(sentences: Sequence[str]) -> frozenset[str]:
    """In scripts without capitals: stretches in two sentences or more, but in no more than a tenth of many."""
    counts: Counter[str] = Counter()
    for sentence in sentences:
        counts.update(set(_uncased(sentence)))
    most = max(len(sentences) // 10, 5)
    return frozenset(name for name, count in counts.items() if 2 <= count <= most)


def _uncased(sentence: str) -> Iterator[str]:
    for run in _UNSPACED_RUN.findall(sentence):
        yield from (fold(piece) for piece in _PARTICLES.split(run) if 2 <= len(piece) <= 12)
    yield from (fold(word) for word in _UNCASED_WORD.findall(sentence))


def entities_in(sentence: str, usage: Usage) -> tuple[str, ...]:
    """The names and days in a sentence, in order, as written, each as often as it stands there."""
    found = [(day.start(), day[0]) for day in _DAY.finditer(sentence)]
    if _CASED.search(sentence):
        found += [(run.start(), name) for run in _RUN.finditer(sentence) if (name := _name(run, sentence, usage))]
    found += [(len(sentence), name) for name in _uncased(sentence) if name in usage.recurring]
    return tuple(name for _, name in sorted(found, key=lambda pair: pair[0]))


def _name(run: re.Match[str], sentence: str, usage: Usage) -> str:
    """The name in a run of capitalised words; "" where it is none."""
    words = run[0].split()
    first = not any(letter.isalnum() for letter in sentence[: run.start()])
    if first and len(words) > 1 and usage.is_common(words[0]):
        words, first = words[1:], False
    while words and words[0][0].islower():
        words = words[1:]
    name = _OWNED.sub("", " ".join(words))[:MOST_LETTERS].strip()
    doubtful = len(words) == 1 and (usage.is_common(name) or (first and not usage.is_known(name)))
    return "" if doubtful or len(name.rstrip(".")) < 2 or _pronoun(name) or name.isdigit() else name


def _pronoun(name: str) -> bool:
    return name.startswith(("I'", "I’"))


_APART = re.compile(r"[\W_]+")
_TITLES = re.compile(r"^(?:(?:mrs?|ms|dr|prof|messrs)\b )+(?=.)")


def entity_key(name: str) -> str:
    """What two ways of writing a name have in common: letters and digits of the folded form, no "Mr"; may be empty."""
    return _TITLES.sub("", " ".join(_APART.sub(" ", _OWNED.sub("", fold(name))).split()))
