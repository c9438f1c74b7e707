"""Which names look as if they meant one thing, and why. Pure.

Names are compared only where a key of theirs is equal, never each with each, so 5,000 names take about a second.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rapidfuzz.distance import OSA

from r3con_core.folding import fold
from r3con_core.method.grounding import figures


class Why(StrEnum):
    """Why two names may be one, the surest first."""

    TYPOGRAPHY = "the same but for accents, marks or blanks"
    FORM = "the same but for the way a company's form is written"
    TITLE = "the same but for a title"
    ORDER = "the same words in another order"
    SCAN = "letters that scanners take for each other"
    LETTER = "one letter differs"
    NO_FORM = "the same without the company's form"
    INITIALS = "the same with initials in place of given names"
    PART = "the last word of the other name"
    ACRONYM = "the first letters of the other name"


Pair = tuple[str, str]
"""Two levelled names; where one is the shorter form, it comes first."""

_TITLES = frozenset(
    "mr mrs ms miss dr prof professor sir lady lord dame rev reverend captain capt colonel col major maj general gen "
    "sergeant sgt lieutenant lt herr frau fräulein monsieur m mme mlle madame signor signora señor señora don doña dipl "
    "ing esq jr sr".split()
)
_FORMS = {
    **dict.fromkeys(("ltd", "limited"), "ltd"),
    **dict.fromkeys(("inc", "incorporated"), "inc"),
    **dict.fromkeys(("corp", "corporation"), "corp"),
    **dict.fromkeys(("co", "company"), "co"),
    **dict.fromkeys(("bros", "brothers"), "bros"),
    **dict.fromkeys(
        ("plc", "llc", "llp", "lp", "gmbh", "ag", "kg", "ohg", "ug", "sa", "sarl", "sas", "spa", "srl"), ""
    ),
    **dict.fromkeys(("bv", "nv", "ab", "as", "oy", "oyj", "aps", "pty", "sl", "kft", "zrt", "doo", "ooo", "sro"), ""),
}
"""How a company's form is written -> how it is compared; "" keeps it as it is."""
_SCANNED = (
    ("rn", "m"),
    ("vv", "w"),
    ("cl", "d"),
    ("ii", "u"),
    ("0", "o"),
    ("1", "l"),
    ("|", "l"),
    ("i", "l"),
    ("5", "s"),
    ("8", "b"),
)
_SHORTEST_MISSPELT = 5
_AND = {"&": "and", "+": "and", "und": "and", "et": "and"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """One name with what it is compared by."""

    level: str
    words: tuple[str, ...]
    numbers: frozenset[str]

    @property
    def plain(self) -> tuple[str, ...]:
        return tuple(word for word in self.words if word not in _TITLES) or self.words

    @property
    def bare(self) -> tuple[str, ...]:
        """Without a company's form."""
        return tuple(word for word in self.words if word not in _FORMS) or self.words


def find_pairs(names: Mapping[str, str]) -> dict[Pair, Why]:
    """Pairs of levelled names that may be one, each with its surest reason; `names` are levelled name -> name."""
    forms = [_form(level, name) for level, name in names.items()]
    pairs: dict[Pair, Why] = {}
    for why, keys in _keys(forms):
        for pair in _within(keys):
            pairs.setdefault(pair, why)
    for pair in _misspelt(forms):
        pairs.setdefault(pair, Why.LETTER)
    for why, pair in _shorter(forms):
        pairs.setdefault(pair, why)
    return pairs


def _form(level: str, name: str) -> _Form:
    last, comma, first = name.partition(",")
    turned = f"{first} {last}" if comma and not _is_company(first) and "," not in first else name
    turned = re.sub(r"^\s*the\s+(?=\S)", "", turned, flags=re.IGNORECASE)
    text = fold(turned).replace("'", "").replace(".", " " if re.search(r"\w\.\w", turned) is None else "")
    words = tuple(_AND.get(word, word) for word in re.findall(r"[^\W_]+|[&+]", text))
    return _Form(level=level, words=words, numbers=frozenset(figures(name)))


def _is_company(text: str) -> bool:
    return fold(text).strip(" .") in _FORMS


def _keys(forms: Sequence[_Form]) -> Iterator[tuple[Why, dict[str, list[str]]]]:
    """For each reason, names by a key that is equal where the reason holds."""
    keyed: dict[Why, Callable[[_Form], str]] = {
        Why.TYPOGRAPHY: lambda form: "".join(form.words),
        Why.FORM: lambda form: " ".join(_FORMS.get(word) or word for word in form.words),
        Why.TITLE: lambda form: " ".join(form.plain),
        Why.ORDER: lambda form: " ".join(sorted(form.plain)) if len(form.plain) > 1 else "",
        Why.SCAN: _scanned,
        Why.NO_FORM: lambda form: " ".join(form.bare),
    }
    for why, key_of in keyed.items():
        keys: dict[str, list[str]] = defaultdict(list)
        for form in forms:
            if key := key_of(form):
                keys[key].append(form.level)
        yield why, keys


def _scanned(form: _Form) -> str:
    """The name with letters levelled that scanners take for each other; names that are mostly digits are left alone."""
    text = " ".join(form.words)
    if sum(sign.isdigit() for sign in text) > 1 or len(text) < _SHORTEST_MISSPELT:
        return ""
    for seen, meant in _SCANNED:
        text = text.replace(seen, meant)
    return text


def _within(keys: Mapping[str, list[str]]) -> Iterator[Pair]:
    """Each name with the first of its key."""
    for levels in keys.values():
        yield from ((levels[0], other) for other in levels[1:] if other != levels[0])


def _misspelt(forms: Sequence[_Form]) -> Iterator[Pair]:
    """Names one letter apart: they are equal after one of either is left out."""
    held: dict[str, list[_Form]] = defaultdict(list)
    for form in forms:
        text = " ".join(form.bare)
        if len(text) < _SHORTEST_MISSPELT:
            continue
        for key in {text, *(text[:at] + text[at + 1 :] for at in range(len(text)))}:
            held[key].append(form)
    seen: set[Pair] = set()
    for some in held.values():
        for at, one in enumerate(some[:20]):
            for other in some[at + 1 : 20]:
                pair = (one.level, other.level)
                if pair not in seen and one.numbers == other.numbers and _one_letter(one, other):
                    seen.add(pair)
                    yield pair


def _one_letter(one: _Form, other: _Form) -> bool:
    """One letter inside a longer word, none of a short one: Ann and Anna, Feld and Field are other names."""
    if len(one.bare) != len(other.bare):
        return False
    apart = [(a, b) for a, b in zip(one.bare, other.bare, strict=True) if a != b]
    return len(apart) == 1 and min(map(len, apart[0])) >= _SHORTEST_MISSPELT and OSA.distance(*apart[0]) == 1


def _shorter(forms: Sequence[_Form]) -> Iterator[tuple[Why, Pair]]:
    """Names that are another one with initials, its last word, or its first letters; only where one name fits."""
    persons: dict[tuple[str, str], list[_Form]] = defaultdict(list)
    lasts: dict[str, list[_Form]] = defaultdict(list)
    letters: dict[str, list[_Form]] = defaultdict(list)
    for form in forms:
        if len(form.plain) > 1 and len(form.plain[-1]) > 1 and form.bare == form.words:
            persons[form.plain[-1], form.plain[0][0]].append(form)
            lasts[form.plain[-1]].append(form)
        if len(form.bare) > 2:
            letters["".join(word[0] for word in form.bare)].append(form)
    for form in forms:
        yield from ((Why.INITIALS, (form.level, full.level)) for full in _full_names(form, persons))
        if len(form.plain) == 1 and not form.numbers:
            (word,) = form.plain
            for why, found in ((Why.PART, lasts[word]), (Why.ACRONYM, letters[word] if len(word) > 2 else [])):
                if len({" ".join(one.plain) for one in found}) == 1:
                    yield why, (form.level, found[0].level)


def _full_names(form: _Form, persons: Mapping[tuple[str, str], Sequence[_Form]]) -> Iterator[_Form]:
    """The names that one with initials may be short for, "A. Marek" and "Marek A." alike."""
    words = form.plain
    turned = (words[-1], *words[:-1]) if len(words[-1]) == 1 and len(words[0]) > 1 else words
    given, last = turned[:-1], turned[-1]
    if len(turned) < 2 or not any(len(word) == 1 for word in given):
        return
    for full in persons.get((last, given[0][0]), ()):
        if full.level != form.level and len(full.plain[0]) > 1 and _initials_fit(given, full.plain[:-1]):
            yield full


def _initials_fit(short: Sequence[str], full: Sequence[str]) -> bool:
    return all(two.startswith(one) if len(one) == 1 else one == two for one, two in zip(short, full, strict=False))
