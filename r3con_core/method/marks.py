"""The marks that stand around all material in a prompt: how they are made, and how texts are kept free of them."""

import hashlib
import hmac
import re
from functools import cache

from r3con_core.folding import LOOKALIKES, Folded, fold_signs, fold_with_places

_LETTERS = "bcdfghjkmnpqrtvz"
_LENGTH = 10
"""Of sixteen consonants: 40 bits, some six tokens, and no word of any language."""
_UNSEEN = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]+")
"""Signs without a picture that no script needs, and tags, which models read as letters."""
_GAP = r"(?:[\W_]|\\[nrt]|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|&\w{2,8};){0,4}"
"""What may stand between the letters of a mark that are set apart."""
_LABELLED = re.compile(
    r"(\bdocuments?[\W_]{0,3}\d[\d\s,–-]*(?:\s*in short)?\s*)[:\uff1a\ufe55\ua789\u2236\ufe13\u0589]", re.IGNORECASE
)
_ITEM = re.compile(r"[;\uff1b\u037e](?=\s*\d+(?:\s*[-–]\s*\d+)?\s*[:\uff1a])")


def mark_of(seal: str, *parts: str) -> str:
    """A mark of these parts that cannot be told without the seal."""
    digest = hmac.digest(seal.encode(), "\x00".join(parts).encode(), hashlib.sha256)
    return "doc-" + "".join(_LETTERS[byte % len(_LETTERS)] for byte in digest[:_LENGTH])


def holds_mark(text: str, mark: str) -> bool:
    """Whether `mark` is in `text`, in whatever case, width, or letters that look like its own."""
    return mark in _levelled(fold_signs(text), text)


def _levelled(folded: str, text: str) -> str:
    return folded if text.isascii() else folded.translate(LOOKALIKES)


def without_mark(text: str, mark: str) -> str:
    """`text` so that it can end no block of that mark; "" is none."""
    before = ""
    while mark and text != before:  # taking one out may leave another
        before = text
        if holds_mark(text, mark):
            text = _cut_out(fold_with_places(text), text, mark)
        text = _spelled(mark).sub("", text)
    return text


@cache
def _spelled(mark: str) -> re.Pattern[str]:
    """The letters of a mark set apart, or written as HTML, JSON or addresses write signs, which lenient readers join."""
    return re.compile(_GAP.join(map(_written, mark.removeprefix("doc-"))), re.IGNORECASE)


def _written(letter: str) -> str:
    """An expression for one letter in all these ways."""
    code, alike = ord(letter), "".join(chr(sign) for sign, latin in LOOKALIKES.items() if latin == ord(letter))
    wide = chr(code + 0xFEE0) if letter.isascii() and letter.isalpha() else ""
    return rf"(?:[{re.escape(letter)}{wide}{alike}]|&\#(?:0*{code}|x0*{code:x});?|(?:\\u00|\\x|%){code:x})"


def _cut_out(folded: Folded, text: str, mark: str) -> str:
    place = _levelled(folded.text, text).find(mark)
    if place < 0:  # across a line's end, which folding with places reads otherwise
        return fold_signs(text).translate(LOOKALIKES).replace(mark, "")
    span = folded.span(place, place + len(mark))
    return text[: span.start] + text[span.end :]


def one_line(text: str, mark: str = "") -> str:
    """`text` on one line, without `mark` and signs that do not show, so that it can end no block and begin no line."""
    return " ".join(without_mark(_UNSEEN.sub("", text), mark).split())


def note_text(text: str, mark: str) -> str:
    """A note's own words on one line, in which nothing looks like the label of another document's note.

    "Document 7: ..." becomes "Document 7, ...", and what digests put before an item loses its semicolon.
    """
    return _ITEM.sub(",", _LABELLED.sub(r"\1,", one_line(text, mark)))
