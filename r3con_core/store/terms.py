"""What a person types to search: words, "phrases", OR, and -words to leave out. Anything may be typed."""
# ruff: noqa: RUF001 - marks of other scripts are meant

import re
from dataclasses import dataclass

from r3con_core.folding import LETTER, UNSPACED, fold

_PART = re.compile(
    r'(?P<minus>[-\u2212\u2013](?=\S))?(?:["“”„«»「」『』](?P<phrase>[^"“”„«»「」『』]*)["“”„«»「」『』]?|(?P<word>\S+))'
)
_EDGES = ".,;:!?()[]{}<>'\"*`…。，、；：！？（）"
"""Signs around a word that come from the sentence it was copied from."""
_UNTYPED = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
_OR = frozenset(("OR", "|"))
_OF_LETTERS = re.compile(f"{LETTER}+")
_UNSPACED = re.compile(f"[{UNSPACED}]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A word or phrase to look for."""

    text: str
    """Folded; never empty."""
    whole: bool = False
    """Only as whole words, where the script has blanks between words. Words of one or two letters always are."""

    @property
    def indexed_whole(self) -> bool:
        """It is too short for the index of three-letter groups, and is in the other one."""
        return len(self.text) < 3 and bool(_OF_LETTERS.fullmatch(self.text) or _UNSPACED.fullmatch(self.text))

    def pattern(self) -> re.Pattern[str]:
        """Finds it in a folded text."""
        whole = self.whole or (self.indexed_whole and _OF_LETTERS.fullmatch(self.text))
        literal = re.escape(self.text)
        # What must not stand before comes after: a pattern that begins with its letters is ten times as fast.
        before = f"(?<!{LETTER}{literal})" if whole and _OF_LETTERS.match(self.text) else ""
        after = f"(?!{LETTER})" if whole and _OF_LETTERS.match(self.text[-1]) else ""
        return re.compile(f"{literal}{before}{after}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What a document must hold to be found."""

    groups: tuple[tuple[Term, ...], ...] = ()
    """Of each group at least one."""
    without: tuple[Term, ...] = ()
    """None of these."""

    @property
    def terms(self) -> tuple[Term, ...]:
        """All that is looked for and can be shown in a document."""
        return tuple(dict.fromkeys(term for group in self.groups for term in group))


def read_query(text: str) -> Query:
    """The query that `text` stands for; words without letters or signs are passed over, and nothing is an error."""
    groups: list[tuple[Term, ...]] = []
    without: list[Term] = []
    joining = False
    for part in _PART.finditer(_UNTYPED.sub(" ", text)):
        if part["word"] in _OR:
            joining = bool(groups)
            continue
        term = _term(part)
        if term is None:
            continue
        if part["minus"]:
            without.append(term)
        elif joining:
            groups[-1] = (*groups[-1], term)
        else:
            groups.append((term,))
        joining = False
    return Query(groups=tuple(groups), without=tuple(without))


def _term(part: re.Match[str]) -> Term | None:
    if part["phrase"] is not None:
        phrase = fold(part["phrase"])
        return Term(text=phrase, whole=True) if phrase else None
    word = fold(part["word"])
    word = word.strip(_EDGES) or word
    return Term(text=word) if word else None
