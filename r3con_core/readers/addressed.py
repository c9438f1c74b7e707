"""Finds passages of a text that speak to AI systems, also when their letters are disguised or do not show."""

import base64
import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from r3con_core.documents import Span
from r3con_core.folding import LOOKALIKES, Folded, fold, fold_with_places, pieces
from r3con_core.readers.addressed_languages import OTHER_LANGUAGES
from r3con_core.readers.addressed_orders import AN_ORDER, ORDERS
from r3con_core.readers.addressed_words import ENGLISH, MARKS, Rule

MOST = 50
"""Passages told of one text."""
_RULES = (*ENGLISH, *MARKS, *ORDERS, *OTHER_LANGUAGES)
_SUPPORTING = (AN_ORDER,)
_PIECE = 16_000
_OVERLAP = 500
_AROUND = 200
"""Folded characters before and after a cue that a rule looks at."""
_TOGETHER = 300
"""Folded characters within which two hints make a passage."""
_LONGEST = 400
"""Characters shown before and after what was found, at most, up to the ends of its paragraph."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A stretch of a text that speaks to AI systems."""

    span: Span
    text: str
    """The paragraph around it; what it says, where its letters do not show."""
    detail: str = ""
    """How it is hidden, if it is."""


def find_addressed(text: str) -> tuple[Passage, ...]:
    """The passages of `text` that speak to AI systems, in order, at most MOST. About 0.3 s for a megabyte."""
    found: list[Passage] = []
    for passage in _passages(text):
        found.append(passage)
        if len(found) == MOST:
            break
    return tuple(sorted(found, key=lambda passage: passage.span))


def speaks_to_ai(text: str) -> bool:
    """Whether any passage of `text` does."""
    return next(_passages(text), None) is not None


def _passages(text: str) -> Iterator[Passage]:
    if not text.isascii():
        yield from _unshown(text)
        yield from _turned(text)
    yield from _encoded(text)
    reached = 0
    for span in _spans(text):
        if span.start >= reached:
            shown = _paragraph(text, span)
            reached = shown.end
            yield Passage(span=shown, text=text[shown.start : shown.end])


def _spans(text: str) -> Iterator[Span]:
    """Where rules match, in order."""
    for piece in pieces(text, size=_PIECE, overlap=_OVERLAP):
        folded = _undisguised(fold(piece.text))
        matches = [found for text in _readings(folded) for found in _found(text)]
        if not matches:
            continue
        mapped = fold_with_places(piece.text)
        sure = [(start, end) for start, end, rule in matches if rule.sure and _stands(rule, start, piece.text, mapped)]
        for start, end in sorted([*sure, *_hints_together(matches)]):
            span = mapped.span(start, end)
            if span.start < piece.own:
                yield Span(start=piece.start + span.start, end=piece.start + span.end)


def _found(folded: str) -> Iterator[tuple[int, int, Rule]]:
    """Where which rules match; those that only support hints are looked for where there are any."""
    cues = _Cues(folded)
    hints = False
    for rule in _RULES:
        for match in _matches(rule, folded, cues):
            hints = hints or not rule.sure
            yield *match.span(), rule
    for rule in _SUPPORTING if hints else ():
        for match in _matches(rule, folded, cues):
            yield *match.span(), rule


class _Cues(dict[str, list[int]]):
    """Cue -> where it stands in a text; a cue of two letters stands for a word of its own."""

    def __init__(self, folded: str) -> None:
        super().__init__()
        self._folded = folded

    def __missing__(self, cue: str) -> list[int]:
        found: list[int] = []
        place = self._folded.find(cue)
        while place >= 0:
            if len(cue) > 2 or self._is_word(place, place + len(cue)):
                found.append(place)
            place = self._folded.find(cue, place + 1)
        self[cue] = found
        return found

    def _is_word(self, start: int, end: int) -> bool:
        around = self._folded[max(0, start - 1) : start] + self._folded[end : end + 1]
        return not any(sign.isalpha() and sign < "\u2e80" for sign in around)


def _matches(rule: Rule, folded: str, cues: _Cues) -> Iterator[re.Match[str]]:
    """Where a rule matches, looked for around its cues only: most of them are rare, and rules are slow."""
    places = sorted(place for cue in rule.cues for place in cues[cue])
    start = 0
    for index, place in enumerate(places):
        if index == 0 or place - places[index - 1] >= _AROUND:
            start = max(start, place - _AROUND)
        if index + 1 == len(places) or places[index + 1] - place >= _AROUND:
            for match in _compiled(rule).finditer(folded, start, place + _AROUND):
                start = match.end()
                yield match


@cache
def _compiled(rule: Rule) -> re.Pattern[str]:
    return re.compile(rule.expression)


def _stands(rule: Rule, start: int, text: str, mapped: Folded) -> bool:
    if not rule.at_line_start:
        return True
    before = text[max(0, mapped.starts[start] - 40) : mapped.starts[start]].rpartition("\n")[2]
    return not any(sign.isalnum() for sign in before)


def _hints_together(matches: Sequence[tuple[int, int, Rule]]) -> Iterator[tuple[int, int]]:
    """From one hint to the next of another name close to it."""
    hints = sorted(((start, end, rule.name) for start, end, rule in matches if not rule.sure))
    for (start, _, name), (other, end, another) in pairwise(hints):
        if name != another and other - start <= _TOGETHER:
            yield start, max(end, start + 1)


def _paragraph(text: str, span: Span) -> Span:
    """From the beginning of the sentence or line `span` begins in, to the end of the paragraph or as much as is shown."""
    low, high = max(0, span.start - _LONGEST), min(len(text), span.end + _LONGEST)
    start = max((end.end() for end in _SENTENCE_END.finditer(text, low, span.start)), default=low)
    end = _PARAGRAPH_END.search(text, span.end, high)
    shown = text[start : end.start() if end else high]
    lead = len(shown) - len(shown.lstrip())
    return Span(start=start + lead, end=max(span.end, start + len(shown.rstrip())))


_SENTENCE_END = re.compile(r"[.!?]\s+|[\n。]")
_PARAGRAPH_END = re.compile(r"\n\s*\n|(?<=[^\n]{120})\n")
"""A line longer than that was not broken to fit a page: the next one is another paragraph."""


# Disguises

_MIX = re.compile("[a-z][\u0370-\u052f]|[\u0370-\u052f][a-z]")
_WORD = re.compile("[a-z\u0370-\u052f]+")
_SPREAD_CUES = tuple(
    between.join(word) for between in (" ", ".", "-", "_") for word in ("ignore", "disregard", "prompt", "instructions")
)
_EMPHASIS = re.compile(r"\*+(?=\w)|(?<=\w)\*+|~~|`+|(?<!\w)_+(?=\w)|(?<=[^\W_])_+(?!\w)")
_EMPHASISED_CUES = ("ignor", "disregard", "forget", "instruc", "prompt", "anweis", "vergiss", "инструкц", "забудь")
_SENTENCE = re.compile("[^.!?]+")


def _readings(folded: str) -> tuple[str, ...]:
    """As it is, and without the signs of Markdown that part the words of "**ignore** all"; as long as before."""
    if not any(cue in folded for cue in _EMPHASISED_CUES) or not _EMPHASIS.search(folded):
        return (folded,)
    return folded, _SENTENCE.sub(_plain_sentence, folded)


def _plain_sentence(said: re.Match[str]) -> str:
    """Without its signs, and nothing of a sentence without any, which is looked through as it is."""
    plain = _EMPHASIS.sub("", said[0])
    return plain.ljust(len(said[0])) if len(plain) < len(said[0]) else " " * len(said[0])


_DIGITS = str.maketrans("013457@$", "oieastas")
_DIGIT_CUES = ("1gn", "gn0re", "ruct1", "struc7", "pr0mpt", "d1sre", "1nstr", "1n5tr", "prev1")
_WITH_DIGITS = re.compile(r"[\w@$]*[a-z][\w@$]*")
_SPREAD = re.compile(r"\b\w(?:[ ._-]{1,3}\w\b){9,}")


def _undisguised(folded: str) -> str:
    """With Latin letters for those of other scripts that look like them inside Latin words; as long as before."""
    if not folded.isascii() and _MIX.search(folded):
        folded = _WORD.sub(lambda word: word[0].translate(LOOKALIKES) if _MIX.search(word[0]) else word[0], folded)
    if any(cue in folded for cue in _DIGIT_CUES):
        folded = _WITH_DIGITS.sub(lambda word: word[0].translate(_DIGITS), folded)
    if any(cue in folded for cue in _SPREAD_CUES):
        folded = _SPREAD.sub(_drawn_together, folded)
    return folded


def _drawn_together(spread: re.Match[str]) -> str:
    """Letters with signs between them as words: "i g n o r e" at the place where it began."""
    letters = re.sub(r"[ ._-]", "", spread[0])
    words = re.sub("(all|any|previous|prior|above|earlier|your|system|the)", r" \1 ", letters)
    words = re.sub("(ignore|disregard|forget|instructions|prompts?)", r" \1 ", words)
    return " ".join(words.split())[: len(spread[0])].ljust(len(spread[0]))


_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{32,}={0,2}")
_ROTATED = re.compile(r"\b(?:rot-?13|caesar|vtaber|qvfertneq|vafgehpgvba)", re.IGNORECASE)
_MOST_ENCODED = 8_000


def _encoded(text: str) -> Iterator[Passage]:
    """What speaks to AI systems when it is decoded from base64, or its letters are turned by thirteen."""
    for match in _ENCODED.finditer(text):
        said = _from_base64(match[0][:_MOST_ENCODED])
        if said and next(_spans(said), None) is not None:
            yield Passage(span=Span(start=match.start(), end=match.end()), text=said, detail="written in base64")
    if _ROTATED.search(text):
        said = codecs.encode(text, "rot13")
        for span in _spans(said):
            yield Passage(span=span, text=said[span.start : span.end], detail="written in rot13")


def _from_base64(signs: str) -> str:
    """The text in it; empty when it is none."""
    signs = signs.rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        return base64.b64decode(signs + "=" * (-len(signs) % 4)).decode()
    except ValueError:
        return ""


_TAGS = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,8}\U000e007f|([\U000e0001-\U000e007f]{2,})")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
_WIDTHLESS = re.compile("[\u200b-\u200f\u2060-\u2064\ufeff]{16,}")
_MOST_BITS = 16_000
_UNSHOWN = "written in signs that do not show"


def _unshown(text: str) -> Iterator[Passage]:
    """Letters written in signs without a picture: Unicode tags, variation selectors, blanks without width."""
    for match in _TAGS.finditer(text):
        if match[1]:
            yield _hidden(match, "".join(chr(ord(sign) - 0xE0000) for sign in match[1] if ord(sign) >= 0xE0020))
    for match in _SELECTORS.finditer(text):
        codes = bytes(ord(s) - 0xFE00 if ord(s) < 0xFE10 else ord(s) - 0xE0100 + 16 for s in match[0])
        if _is_text(said := codes.decode("utf-8", "replace")):
            yield _hidden(match, said)
    for match in _WIDTHLESS.finditer(text):
        if said := _from_bits(match[0]):
            yield _hidden(match, said)


def _hidden(match: re.Match[str], said: str) -> Passage:
    return Passage(span=Span(start=match.start(), end=match.end()), text=said, detail=_UNSHOWN)


def _from_bits(signs: str) -> str:
    """What two kinds of signs say as bits of ASCII letters; empty when that is nothing."""
    signs = signs[:_MOST_BITS]
    kinds = sorted(set(signs))
    for zero in kinds if len(kinds) == 2 else ():
        bits = "".join("0" if sign == zero else "1" for sign in signs)
        for width in (8, 7):
            said = "".join(chr(int(bits[at : at + width], 2)) for at in range(0, len(bits) - width + 1, width))
            if _is_text(said):
                return said
    return ""


def _is_text(said: str) -> bool:
    return len(said) >= 2 and all(" " <= sign <= "~" or sign == "\n" for sign in said)


_OVERRIDE = re.compile("[\u202d\u202e]([^\u202a-\u202e\n]{3,2000})")


def turned_letters(text: str) -> tuple[str, ...]:
    """Stretches of Latin letters and digits that are shown in another order than they are stored, as stored."""
    if text.isascii():
        return ()
    return tuple(match[1] for match in _OVERRIDE.finditer(text) if re.search("[A-Za-z0-9]{3}", match[1]))


def _turned(text: str) -> Iterator[Passage]:
    """What speaks to AI systems when its letters are read in the order in which they are shown."""
    for match in _OVERRIDE.finditer(text):
        said = match[1][::-1]
        if next(_spans(said), None) is not None:
            yield Passage(
                span=Span(start=match.start(1), end=match.end(1)), text=said, detail="stored with its letters reversed"
            )
