"""Bytes become a string when nobody reliably says in which encoding they are."""

import codecs
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NOT_OF_FILES = frozenset(("punycode", "idna", "unicode_escape", "raw_unicode_escape", "undefined"))
"""Python's codecs that no file is in; a mail could name punycode, which takes quadratic time, to keep us busy."""
_SAMPLE = 100_000
"""Bytes looked at to guess an encoding; charset-normalizer needs about a second for each further megabyte."""

_WESTERN_FIRST = ("cp1252", "cp1250", "cp1254", "cp850", "mac_roman")
_ALPHABETS = tuple(
    frozenset(letters + letters.upper())
    for letters in (
        "àâæçéèêëîïôœùûüÿ",  # French
        "äöüßé",  # German
        "áéíñóúüª",  # Spanish
        "àèéìíòóù",  # Italian
        "áâãàçéêíóôõúü",  # Portuguese
        "æøåéäö",  # Danish, Norwegian, Swedish, Finnish
        "áæðéíóöúýþ",  # Icelandic
        "áàäéèêëíïóöúü",  # Dutch
        "ąćęłńóśźż",  # Polish
        "áäčďéěíĺľňóôŕřšťúůýž",  # Czech, Slovak
        "áéíóöőúüű",  # Hungarian
        "ăâîşţșț",  # Romanian
        "čćđšž",  # Croatian, Slovene, Bosnian
        "çğıöşüâîû",  # Turkish
    )
)
_MARKS_OF_ANY_LANGUAGE = frozenset("’‘“”„‚«»‹›–—…€£§°•¿¡™®©\xa0")  # noqa: RUF001 - these very signs are meant


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """A string and the encoding its bytes were in."""

    text: str
    encoding: str
    guessed: bool
    """Whether nothing but the look of the bytes spoke for the encoding."""
    declared: str = ""
    """What the bytes were said to be, where that was wrong."""


def decode(encoded: bytes, *, declared: str | None = None) -> Decoded:
    """The string in `encoded`: by byte order mark, as UTF-8 or UTF-16, as `declared`, else by the look of it.

    UTF-8 comes before what is declared because text that is valid UTF-8 is hardly ever anything else, whereas declared
    encodings are often wrong. Undecodable bytes become U+FFFD.
    """
    for mark, encoding in _MARKS:
        if encoded.startswith(mark):
            return Decoded(text=encoded.decode(encoding, "replace"), encoding=encoding, guessed=False)
    for encoding in _likely(encoded, declared):
        text = _strictly(encoded, encoding)
        if text is not None:
            return Decoded(text=text, encoding=encoding, guessed=False)
    encoding = _guess(encoded[:_SAMPLE])
    return Decoded(text=encoded.decode(encoding, "replace"), encoding=encoding, guessed=True, declared=declared or "")


def _likely(encoded: bytes, declared: str | None) -> Iterator[str]:
    wide = utf16_by_its_zeros(encoded)
    if wide:
        yield wide
    if b"\x1b$" in encoded:
        yield "iso2022_jp"
    yield "utf-8"
    if declared:
        yield declared


def utf16_by_its_zeros(encoded: bytes) -> str | None:
    """The byte order of UTF-16 without a mark, seen by where the zeros of its ASCII characters are; else None."""
    head = encoded[:8192]
    even, odd = head[0::2].count(0), head[1::2].count(0)
    enough = len(head) // 8
    if odd > max(enough, 3 * even):
        return "utf-16-le"
    if even > max(enough, 3 * odd):
        return "utf-16-be"
    return None


def _strictly(encoded: bytes, encoding: str) -> str | None:
    try:
        if codecs.lookup(encoding).name.replace("-", "_") in _NOT_OF_FILES:
            return None
        return encoded.decode(encoding)
    except (UnicodeError, LookupError, ValueError):  # a mail may declare any word as its charset
        return None


def _guess(sample: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(sample).best()
    if best is None or _is_latin(str(best)):
        return max(_WESTERN_FIRST, key=lambda encoding: _fit(sample.decode(encoding, "replace")))
    return best.encoding


def _is_latin(text: str) -> bool:
    letters = [letter for letter in text if not letter.isascii() and letter.isalpha()]
    return all(unicodedata.name(letter, "").startswith("LATIN") for letter in letters)


def _fit(text: str) -> float:
    """How well the accented letters are those of one single language, 0 to 1.

    charset-normalizer 3.5 takes Western European text for cp1250 or cp775 in 8 of 17 samples of a sentence or two,
    because all their letters are possible; only one encoding gives the letters of one language.
    """
    unusual = [letter for letter in text if not letter.isascii() and letter not in _MARKS_OF_ANY_LANGUAGE]
    if not unusual:
        return 1.0
    return max(sum(letter in alphabet for letter in unusual) for alphabet in _ALPHABETS) / len(unusual)
