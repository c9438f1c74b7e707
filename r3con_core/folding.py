"""Texts as searching compares them: case, accents, typography, width and signs that do not show are levelled.

Folding is local: a place in the folded text depends on the few characters around its own place only, so that a long
text can be folded piece by piece.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from r3con_core.documents import Span

UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\U00020000-\U000323af"
"""Inside a regular expression's brackets: scripts whose words are not set apart by blanks, and Korean, whose particles
cling to their words."""
UNSPACED_LETTER = re.compile(f"[{UNSPACED}]")
LETTER = f"[^\\W_{UNSPACED}]"
"""A letter or digit of all other scripts, folded."""

_SIGNS: dict[str, str] = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4`", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u05be", "-"),
    "æ": "ae",
    "œ": "oe",
    "þ": "th",
    **dict(zip("øłđðħıیىکة", "olddhi\u064a\u064a\u0643\u0647", strict=True)),
}
"""Quotation marks and dashes; Latin letters with strokes; letters that Arabic spelling takes for each other."""
_DROPPED = (
    "[\u00ad\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u061c\u0640\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u08d3-\u08ff\u180e\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\U000e0000-\U000e0fff]"
)
"""Accents, Hebrew points, Arabic vowel signs and tatweel, and signs that do not show."""
_LINE_END = re.compile(r"-(?<=[^\W\d_]-)[^\S\n]*\n[^\S\n]*(?=[a-z\u00df-\u00ff\u03b1-\u03c9\u0430-\u044f])")
"""A word's hyphen at a line end, and the line end."""
_BEYOND_ASCII = re.compile("[^\x00-\x7f]+")
_JOINING = re.compile("[\u1100-\u11ff\u3099\u309a\uff9e\uff9f]")
_CLUSTER = re.compile("[\u1100-\u11ff]+|.[\u3099\u309a\uff9e\uff9f]?", re.DOTALL)
"""Characters that fold as one: a Korean syllable in its letters, a Japanese one with its voicing mark."""


class _Table(dict[int, str]):
    """Code point -> what it folds to, filled as needed."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold_cluster(chr(code))
        return folded


def _fold_cluster(cluster: str) -> str:
    kept = re.sub(_DROPPED, "", unicodedata.normalize("NFKD", "".join(_SIGNS.get(sign, sign) for sign in cluster)))
    composed = unicodedata.normalize("NFC", kept.casefold())
    return "".join(_SIGNS.get(sign) or _digit(sign) for sign in composed).lower()


def _digit(sign: str) -> str:
    value = unicodedata.decimal(sign, None)
    return sign if value is None else str(value)


_TABLE = _Table()

LOOKALIKES = str.maketrans("аеорсухіјѕԁһԛԝοαινρτυκ", "aeopcyxijsdhqwoaivptuk")
"""Folded letters of other scripts that look like Latin ones."""


def fold(text: str) -> str:
    """`text` levelled, on one line, without blanks at its ends. About 10 ms for a megabyte of English."""
    return " ".join(fold_signs(text).split())


def fold_signs(text: str) -> str:
    """The same with the blanks as they are, which takes far less time."""
    joined = _LINE_END.sub("", text) if "-" in text else text
    if not joined.isascii():
        joined = _BEYOND_ASCII.sub(_fold_run, joined)
    return joined.lower()


def is_plain(text: str) -> bool:
    """Whether folding changes nothing in `text` but case and blanks."""
    return text.isascii() and _LINE_END.search(text) is None


def _fold_run(run: re.Match[str]) -> str:
    if _JOINING.search(run[0]):
        return "".join(_fold_cluster(cluster) for cluster in _CLUSTER.findall(run[0]))
    return run[0].translate(_TABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """A folded text that knows where each of its characters came from."""

    text: str
    """As `fold` gives it."""
    starts: tuple[int, ...]
    """For each character of `text`, where in the original what it came from begins, never falling."""
    ends: tuple[int, ...]
    """And where that ends."""

    def span(self, start: int, end: int) -> Span:
        """Where in the original the characters `start` up to `end` of `text` stand."""
        return Span(start=self.starts[start], end=self.ends[end - 1])


def fold_with_places(text: str) -> Folded:
    """`text` as `fold` gives it, with its places; about 10 times slower, and more in other scripts than Latin."""
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end, folded in _folded_runs(text):
        if len(folded) == end - start and not folded.isspace():
            letters.append(folded)
            starts += range(start, end)
            ends += range(start + 1, end + 1)
            continue
        for letter in folded:
            if letter.isspace():
                if not letters or letters[-1] == " ":
                    continue
                letter = " "  # noqa: PLW2901
            letters.append(letter)
            starts.append(start)
            ends.append(end)
    size = len(starts) - (letters[-1:] == [" "])
    return Folded(text="".join(letters).rstrip(" "), starts=tuple(starts[:size]), ends=tuple(ends[:size]))


_PLAIN_OR_CLUSTER = re.compile(f"[!-~]+|{_CLUSTER.pattern}", re.DOTALL)


def _folded_runs(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and folded form of runs of plain letters, and of what else folds as one."""
    place = 0
    for gap in (*_LINE_END.finditer(text), None):
        for run in _PLAIN_OR_CLUSTER.finditer(text, place, gap.start() if gap else len(text)):
            signs = run[0]
            folded = (
                signs.lower() if signs.isascii() else _TABLE[ord(signs)] if len(signs) == 1 else _fold_cluster(signs)
            )
            yield run.start(), run.end(), folded
        place = gap.end() if gap else place


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of a long text, with the beginning of the next one, so that what stands across the cut is whole."""

    number: int
    """From 0."""
    start: int
    """Where it begins in the text."""
    own: int
    """How many of its characters are its own; what begins after them belongs to the next piece."""
    text: str


def pieces(text: str, *, size: int, overlap: int) -> Iterator[Piece]:
    """`text` in pieces of `size` characters, each followed by enough of the next to fold to `overlap` or more."""
    for number, start in enumerate(range(0, len(text), size)):
        end = start + size
        reach = end + overlap
        while reach < len(text) and len(fold(text[end:reach])) < overlap:
            reach += reach - end
        yield Piece(number=number, start=start, own=size, text=text[start:reach])
