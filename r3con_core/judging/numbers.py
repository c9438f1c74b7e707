"""The rule that our code decides: every number of the right answer must be stated by the answer."""

import re
from collections.abc import Mapping

from r3con_core.method.grounding import digits_of, plain

_FIGURE = re.compile(r"\d{1,3}(?:[ \u00a0\u202f.,']\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?")
_DATE = re.compile(r"\b\d{1,4}([./-])\d{1,2}\1\d{1,4}\b")
_SCALED = re.compile(r"(\d+(?:[.,]\d+)?)[\s\u00a0]*(thousand|million|billion|bn)\b", re.IGNORECASE)
_SCALES = {"thousand": 3, "million": 6, "billion": 9, "bn": 9}
_SMALL = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen".split()
    )
}
_TENS = {
    word: 10 * value for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
_LARGE = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_NUMBER_WORD = "|".join((*_SMALL, *_TENS, "hundred", *_LARGE))
_WRITTEN = re.compile(rf"\b(?:{_NUMBER_WORD})(?:(?:[\s-]+and)?[\s-]+(?:{_NUMBER_WORD}))*\b")


def missing_numbers(gold: str, answer: str, *, question: str = "", words: Mapping[str, str] | None = None) -> list[str]:
    """Numbers of `gold`, as written there and each once, that `answer` does not state, in digits or in English words.

    What the question states itself need not be said again. `words`: by number, words of the answer that state it in
    another language, as a judge has pointed them out; they count where they stand in the answer and hold no digits.
    """
    pointed_out = words or {}
    stated = numbers_in(answer) | numbers_in(question)
    stated |= {digits_of(number) for number, said in pointed_out.items() if _stands_there(said, answer)}
    wanted = dict.fromkeys(found[0] for found in _FIGURE.finditer(gold))
    return [number for number in wanted if digits_of(number) not in stated]


def _stands_there(said: str, answer: str) -> bool:
    words = " ".join(plain(said).split())
    found = re.search(rf"(?<!\w){re.escape(words)}(?!\w)", " ".join(plain(answer).split())) if words else None
    return found is not None and not any(letter.isdigit() for letter in words)


def numbers_in(text: str) -> set[str]:
    """All numbers a text states, as digits: 4,200 and "4.2 thousand" and "four thousand two hundred" are one.

    Of a date such as 16.3.1931 its parts; in other figures no part counts, so that 85,000 does not state 85.
    """
    found = {digits_of(part) for date in _DATE.finditer(text) for part in re.findall(r"\d+", date[0])}
    rest = _DATE.sub(" ", text)
    found |= {_scaled(match[1], _SCALES[match[2].casefold()]) for match in _SCALED.finditer(rest)}
    rest = _SCALED.sub(" ", rest)
    found |= {digits_of(figure) for figure in _FIGURE.findall(rest)}
    return found | {str(_value(match[0])) for match in _WRITTEN.finditer(plain(rest))}


def _scaled(figure: str, zeros: int) -> str:
    whole, _, decimals = figure.replace(",", ".").partition(".")
    digits = f"{whole}{decimals[:zeros].ljust(zeros, '0')}"
    left = decimals[zeros:].rstrip("0")
    return (digits.lstrip("0") or "0") + (f".{left}" if left else "")


def _value(written: str) -> int:
    """What number words in a row say, such as "two hundred and five"."""
    whole = part = 0
    for word in re.findall(r"[a-z]+", written):
        if word in _SMALL or word in _TENS:
            part += _SMALL.get(word, _TENS.get(word, 0))
        elif word == "hundred":
            part = max(part, 1) * 100
        elif word in _LARGE:
            whole, part = whole + max(part, 1) * _LARGE[word], 0
    return whole + part
