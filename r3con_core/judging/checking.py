"""What in a judge's form cannot be so, whatever the answer says: such a form is refused with its fault, not believed.

Small models fill lists for the sake of it. Of 43 written answers that name and count, a model of 1.5 billion parameters
called every right one wrong, mostly by lists of people that the right answer does not name (`benchmarks/judge.py`).
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from r3con_core.judging.numbers import stands_in, words_of
from r3con_core.method.grounding import plain
from r3con_core.verdicts import Rule

_EXCLUDES = re.compile(r"\bnot (?:to )?(?:be )?counted\b")
_SAYS = 4
"""Words that say something; a number or a day alone may be of the right answer and yet stand wrongly."""
_LONG, _SHORT = 4, 2
"""Letters of a word that is looked for by itself, in Latin letters and in others, such as Chinese."""


def cannot_be(rule: Rule, said: Mapping[str, Any], gold: str, notes: str) -> list[str]:
    """Faults of a form in words for the judge; none: it may be believed.

    `gold`: the right answer that the judge was shown; `notes`: what it was told beside.
    """
    return list(_CHECKS[rule](said, gold, notes)) if rule in _CHECKS else []


def _named(said: Mapping[str, Any], gold: str, notes: str) -> Iterator[str]:
    excluded = notes if _EXCLUDES.search(plain(notes)) else ""
    for one in said["missing"]:
        if stands_in(one, excluded) and not _shares_a_word(one, gold):
            yield f'"missing" has "{one}", whom the notes exclude'
    for one in said["extra"]:
        if stands_in(one, gold):
            yield f'"extra" has "{one}", whom the right answer counts'


def _stated(said: Mapping[str, Any], gold: str, _notes: str) -> Iterator[str]:
    found = [*said["missing"], *said["contradicted"]]
    if said["right"] and found:
        yield '"right" is true, and yet something is missing or contradicted'
    if not said["right"] and not found:
        yield '"right" is false, and yet nothing is missing or contradicted'
    for one in said["contradicted"]:
        if len(words_of(one)) >= _SAYS and stands_in(one, gold):
            yield f'"contradicted" has "{one}", which the right answer itself says'


_CHECKS = {Rule.NAMED: _named, Rule.STATED: _stated}


def _shares_a_word(part: str, gold: str) -> bool:
    """By the beginnings of words, so that "mate" is of "mates"; short words, such as "of", do not tell."""
    known = plain(gold)
    return any(word[: _LONG if word.isascii() else _SHORT] in known for word in words_of(part) if _tells(word))


def _tells(word: str) -> bool:
    return word.isdigit() or len(word) >= (_LONG if word.isascii() else _SHORT)
