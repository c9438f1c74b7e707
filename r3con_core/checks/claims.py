"""What a sentence says that can be looked up: its figures, days, numbers of contracts and the like, and names.

Pure. Months and numbers in words are English; in other languages what is written in digits and Latin capitals is
looked up.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from r3con_core.folding import UNSPACED
from r3con_core.method.grounding import NUMBER_WORDS, digits_of, figures, foreign_terms, name_words, plain


class TermKind(StrEnum):
    """What is looked up."""

    NAME = "name"
    FIGURE = "figure"
    DAY = "day"
    CODE = "number or sign"
    """Letters and digits together, such as BR-2019-17."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One thing that a sentence says."""

    text: str
    """As the sentence has it."""
    kind: TermKind
    keys: tuple[str, ...]
    """Of a name all its words; of all else what stands for it in a `Holding`."""
    scale: int = 1
    """1,000,000 where the sentence says "1.8 million"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """What a text holds, to look terms up in."""

    words: frozenset[str] = frozenset()
    figures: frozenset[str] = frozenset()
    """Digits without separators, those of days and codes left out."""
    days: frozenset[str] = frozenset()
    """2019-03-22, and of it 2019-03 and 2019; --03-22 of a day whose year is not told."""
    codes: frozenset[str] = frozenset()


_MONTHS = {
    name: number
    for number, names in enumerate(
        "january jan,february feb,march mar,april apr,may,june jun,july jul,august aug,september sep sept,october oct,"
        "november nov,december dec".split(","),
        start=1,
    )
    for name in names.split()
}
_MONTH = "(?:" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY = re.compile(
    rf"\b(?P<iso>\d{{4}}-\d\d(?:-\d\d)?)\b"
    rf"|\b(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m1>{_MONTH})(?:,?\s+(?P<y1>\d{{4}}))?"
    rf"|\b(?P<m2>{_MONTH})\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d)(?:,?\s+(?P<y2>\d{{4}}))?"
    rf"|\b(?P<m3>{_MONTH})\s+(?P<y3>\d{{4}})\b"
    r"|\b(?P<d4>\d{1,2})[./](?P<n4>\d{1,2})[./](?P<y4>\d{4})\b",
    re.IGNORECASE,
)
_UNBROKEN = rf"{UNSPACED}\uac00-\ud7af"
"""Letters that stand beside digits without a blank: of scripts that have none, and of Korean."""
_SIGN = rf"[^\W{_UNBROKEN}]"
_CODE = re.compile(rf"{_SIGN}+(?:[-/]{_SIGN}+)*")
"""What may be a code; it is one where it has letters and digits."""
_LETTER = re.compile(rf"[^\W\d_{_UNBROKEN}]")
_DIGIT = re.compile(r"\d")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|s|k|m|bn)", re.IGNORECASE)
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_SCALED = re.compile(r"(\d[\d.,]{0,40})\s{0,9}(thousand|million|billion)\b", re.IGNORECASE)
_PLURAL_WORDS = re.compile(
    r"\b(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\w+)?|two|three|four|five|six|seven|eight|nine|"
    r"ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)\b",
    re.IGNORECASE,
)
"""Without "one", which is seldom a figure."""
_WORD = re.compile(r"\w+")
_BEFORE_NAME = re.compile(r"^(?:(?:[A-Z][a-z]*\s+)?(?:the|of)|The|In|On|At|For|By|From|Of|To)\s+(?=\S)")
"""What begins a sentence and is no part of the name that follows."""


def holding_of(text: str) -> Holding:
    """What terms can be looked up in, of `text`."""
    codes, rest = frozenset(plain(found) for found in _codes(text)), _without_codes(text)
    days = frozenset(key for found in _DAY.finditer(rest) for key in _day_keys(found))
    rest = _DAY.sub(" ", rest)
    spelled = {str(_number_of(found)) for found in _PLURAL_WORDS.findall(rest)}
    return Holding(
        words=frozenset(_WORD.findall(plain(text))), figures=frozenset(figures(rest)) | spelled, days=days, codes=codes
    )


def joined(holdings: Iterator[Holding]) -> Holding:
    """All that any of them holds."""
    whole = Holding()
    for one in holdings:
        whole = Holding(
            words=whole.words | one.words,
            figures=whole.figures | one.figures,
            days=whole.days | one.days,
            codes=whole.codes | one.codes,
        )
    return whole


def terms_of(sentence: str) -> tuple[Term, ...]:
    """What a sentence says that can be looked up, each once: days, codes, figures, names."""
    found = [Term(text=code, kind=TermKind.CODE, keys=(plain(code),)) for code in _codes(sentence)]
    rest = _without_codes(sentence)
    found += [Term(text=day.group(), kind=TermKind.DAY, keys=_day_keys(day)) for day in _DAY.finditer(rest)]
    rest = _DAY.sub(" ", rest)
    found += _scaled(rest)
    rest = _SCALED.sub(" ", rest)
    found += _named(rest)
    found += [
        Term(text=word, kind=TermKind.FIGURE, keys=(str(_number_of(word)),)) for word in _PLURAL_WORDS.findall(rest)
    ]
    return tuple({(term.kind, term.keys): term for term in reversed(found)}.values())[::-1]


def holds(holding: Holding, term: Term) -> bool:
    """Whether the text holds the term: all words of a name, a figure's digits, the day."""
    match term.kind:
        case TermKind.NAME:
            return all(word in holding.words or word.rstrip("s") in holding.words for word in term.keys)
        case TermKind.DAY:
            return term.keys[0] in holding.days or _told_without_year(holding, term.keys[0])
        case TermKind.CODE:
            return not holding.codes.isdisjoint(term.keys)
        case TermKind.FIGURE:
            bare = len(term.keys[0]) == 4 and term.keys[0] in holding.days
            return bare or any(_agrees(figure, term) for figure in _candidates(holding, term))


def _told_without_year(holding: Holding, day: str) -> bool:
    """Such as "on 25 August" beside the year, for 2020-08-25; a day without a year is any such day."""
    year, _, rest = day.partition("-")
    if not year:
        return any(day[1:] == held[4:] for held in holding.days)
    return bool(rest) and f"--{rest}" in holding.days and year in holding.days


def _candidates(holding: Holding, term: Term) -> frozenset[str]:
    return holding.figures if term.scale > 1 else holding.figures & frozenset(term.keys)


def _agrees(figure: str, term: Term) -> bool:
    """Exactly or, where a sentence says "1.8 million", rounded as it says it."""
    if figure in term.keys:
        return True
    decimals = len(term.keys[0].partition(".")[2])
    return f"{float(figure) / term.scale:.{decimals}f}" == f"{float(term.keys[0]):.{decimals}f}"


def _day_keys(found: re.Match[str]) -> tuple[str, ...]:
    """The most exact first."""
    if iso := found["iso"]:
        year, month, day = (*iso.split("-"), "")[:3]
    else:
        year, month, day = next(_parts(found))
    if not year:
        return (f"--{month}-{day}",)
    whole = "-".join(part for part in (year, month, day) if part)
    return tuple(dict.fromkeys([whole, f"{year}-{month}", year]))


def _parts(found: re.Match[str]) -> Iterator[tuple[str, str, str]]:
    for which in "123":
        if name := found[f"m{which}"]:
            day = found[f"d{which}"] if which != "3" else ""
            yield (
                found[f"y{which}"] or "",
                f"{_MONTHS[name.casefold().rstrip('.')]:02}",
                f"{int(day):02}" if day else "",
            )
    yield found["y4"] or "", f"{int(found['n4'] or 0):02}", f"{int(found['d4'] or 0):02}"


def _codes(text: str) -> Iterator[str]:
    return filter(_is_code, _CODE.findall(text))


def _is_code(found: str) -> bool:
    return bool(_LETTER.search(found) and _DIGIT.search(found) and not _ORDINAL.fullmatch(found))


def _without_codes(text: str) -> str:
    return _CODE.sub(lambda found: " " if _is_code(found.group()) else found.group(), text)


def _scaled(text: str) -> Iterator[Term]:
    for found in _SCALED.finditer(text):
        digits, scale = digits_of(found[1].rstrip(".,")), _SCALES[found[2].casefold()]
        whole = digits_of(f"{float(digits) * scale:.2f}")
        yield Term(text=found.group(), kind=TermKind.FIGURE, keys=(digits, whole), scale=scale)


def _named(text: str) -> Iterator[Term]:
    for found in foreign_terms(text, ""):
        if found[0].isdigit():
            yield Term(text=found, kind=TermKind.FIGURE, keys=tuple(sorted(figures(found))))
        elif words := name_words(found):
            yield Term(text=_BEFORE_NAME.sub("", found), kind=TermKind.NAME, keys=words)


def _number_of(words: str) -> int:
    return sum(NUMBER_WORDS.get(part, 0) for part in words.casefold().split("-"))
