"""The rule that our code decides: every number of the right answer must be stated by the answer."""

import re
from collections.abc import Iterator, Mapping

from r3con_core.method.grounding import digits_of, plain

_FIGURE = re.compile(r"\d{1,3}(?:[ \u00a0\u202f.,']\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?")
_DATE = re.compile(r"\b\d{1,4}([./-])\d{1,2}\1\d{1,4}\b")
_MONTHS = 12
_SCALED = re.compile(r"(?<!\d)(\d+(?:[.,]\d+)?)[\s\u00a0]*(thousand|million|billion|bn)\b", re.IGNORECASE)
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
_ENOUGH = 10**30
"""No right answer has a greater number in words; "hundred hundred ..." is read up to it."""
_NUMBER_WORD = "|".join((*_SMALL, *_TENS, "hundred", *_LARGE))
_WRITTEN = re.compile(rf"\b(?:{_NUMBER_WORD})(?:(?:[\s-]+and)?[\s-]+(?:{_NUMBER_WORD}))*\b")


def missing_numbers(gold: str, answer: str, *, question: str = "", words: Mapping[str, str] | None = None) -> list[str]:
    """Numbers of `gold`, as written there and each once, that `answer` does not state, in digits or in English words.

    What the question states itself need not be said again; parts of a date that may be a month, which has a name, are
    left to the judge. `words`: by number, words of the answer that state it in another language, as a judge has pointed
    them out. They count where they stand in the answer, and may be number words: see `_pointed_out`.
    """
    stated = numbers_in(answer) | numbers_in(question)
    stated |= _pointed_out(words or {}, answer, beside=f"{question}\n{gold}")
    wanted = {part: digits_of(part) for part in _parts_of_dates(gold) if int(part) > _MONTHS}
    wanted |= dict(_figures(_DATE.sub(" ", gold)))
    return [number for number, digits in wanted.items() if digits not in stated]


def _pointed_out(words: Mapping[str, str], answer: str, *, beside: str) -> set[str]:
    """Numbers that words of the answer state, as a judge says, who may have obeyed that answer.

    No such words are those with digits, English words of another number, the same words for several numbers, and what the
    question or the right answer says as well, such as "cases" or "the".
    """
    said = {digits_of(number): " ".join(plain(one).split()) for number, one in words.items()}
    phrases = list(said.values())
    return {
        number
        for number, phrase in said.items()
        if stands_in(phrase, answer)
        and not any(letter.isdigit() for letter in phrase)
        and (numbers_in(phrase) or {number}) >= {number}
        and phrases.count(phrase) == 1
        and not stands_in(phrase, beside)
    }


def words_of(text: str) -> list[str]:
    """Its words, levelled."""
    return re.findall(r"\w+", plain(text))


def stands_in(part: str, text: str) -> bool:
    """Whether the words of `part` stand in `text`, one after the other; none do where it has no words."""
    words = " ".join(words_of(part))
    return bool(words) and f" {words} " in f" {' '.join(words_of(text))} "


def numbers_in(text: str) -> set[str]:
    """All numbers a text states, as digits: 4,200 and "4.2 thousand" and "four thousand two hundred" are one.

    Of a date such as 16.3.1931 its parts; in other figures no part counts, so that 85,000 does not state 85.
    """
    rest = _DATE.sub(" ", text)
    found = {digits for _, digits in _figures(rest)} | {digits_of(part) for part in _parts_of_dates(text)}
    return found | {str(_value(match[0])) for match in _WRITTEN.finditer(plain(_SCALED.sub(" ", rest)))}


def _parts_of_dates(text: str) -> Iterator[str]:
    for date in _DATE.finditer(text):
        yield from re.findall(r"\d+", date[0])


def _figures(text: str) -> Iterator[tuple[str, str]]:
    """Each number that has digits, as it is written and as digits alone, those with a word for their size first."""
    for match in _SCALED.finditer(text):
        yield match[0], _scaled(match[1], _SCALES[match[2].casefold()])
    for match in _FIGURE.finditer(_SCALED.sub(" ", text)):
        yield match[0], digits_of(match[0])


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
            part = min(max(part, 1) * 100, _ENOUGH)
        elif word in _LARGE:
            whole, part = whole + max(part, 1) * _LARGE[word], 0
    return whole + part
