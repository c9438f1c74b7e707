"""The conversation with a judge, and what its reply and our own rules come to."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from r3con_core.documents import estimate_tokens
from r3con_core.errors import ReplyError
from r3con_core.exchange import About, Exchange, Message, Prompt, Reply, Stage
from r3con_core.judging.checking import cannot_be
from r3con_core.judging.forms import FORMS, GUIDES, MARKED, REQUESTS
from r3con_core.judging.numbers import missing_numbers
from r3con_core.method.layout import fitting_reply
from r3con_core.method.marks import without_mark
from r3con_core.method.reading import ask_until_read, decode_object
from r3con_core.method.shortening import shorten
from r3con_core.verdicts import Gold, Rule, Verdict

REPLY_TOKENS = 800
_BESIDE = 700
"""Tokens of guide, form and request in a judge's prompt."""
_LAST_WORDS = re.compile(r"the answer is\s*[:：]", re.IGNORECASE)  # noqa: RUF001 - the colon of Chinese text


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What is judged."""

    question: str
    answer: str
    gold: Gold


EMPTY = Verdict(correct=False, lenient=False, score=0.0, reason="The answer is empty.")


def judge(case: Case, *, mark: str, window: int) -> Exchange[Verdict]:
    """A verdict by the rule of the case's gold; an empty answer is wrong without asking.

    `mark` stands around all material; `window`: of the judge, in tokens. A second prompt is asked only where the first
    gold is missed and there is a lenient one. NoUsableReplyError after three replies that cannot be read.
    """
    answer = what_counts(case)
    if not answer:
        return EMPTY
    strict = yield from _one(case, answer, case.gold.answer, (mark, window, 1))
    if strict.correct or not case.gold.lenient:
        return strict
    lenient = yield from _one(case, answer, case.gold.lenient, (mark, window, 2))
    if not lenient.correct:
        return strict
    return Verdict(
        correct=False,
        lenient=True,
        score=strict.score,
        reason=f"{strict.reason} Right by the lenient answer: {lenient.reason}",
        missing=strict.missing,
    )


def what_counts(case: Case) -> str:
    """What of an answer is judged: of CorpusQA's the text after the last "The answer is:", or all where that is not."""
    answer = case.answer.strip()
    if case.gold.rule is Rule.EQUIVALENT and (found := [*_LAST_WORDS.finditer(answer)]):
        return answer[found[-1].end() :].strip()
    return answer


def _one(case: Case, answer: str, gold: str, how: tuple[str, int, int]) -> Exchange[Verdict]:
    rule, window = case.gold.rule, how[1]
    shown, cut = _within(answer, window - REPLY_TOKENS - _BESIDE - estimate_tokens(_beside(case, gold)))
    asked = _prompt(case, shown, gold, how)
    said = yield from ask_until_read(asked, lambda reply: _read(reply, case.gold, gold))
    verdict = _DECIDES[rule](said, case, answer, gold)
    if not cut:
        return verdict
    return Verdict(
        correct=verdict.correct,
        lenient=verdict.lenient,
        score=verdict.score,
        reason=f"{verdict.reason} Of the answer only the beginning fitted the judge's window.",
        missing=verdict.missing,
    )


def _read(reply: Reply, given: Gold, gold: str) -> dict[str, Any]:
    said = decode_object(reply, FORMS[given.rule])
    faults = cannot_be(given.rule, said, gold, given.notes)
    if faults:
        raise ReplyError("; ".join(faults[:4]))
    return said


def _beside(case: Case, gold: str) -> str:
    return "\n".join((case.question, gold, case.gold.notes))


def _within(answer: str, room: int) -> tuple[str, bool]:
    if estimate_tokens(answer) <= room:
        return answer, False
    return shorten(answer, max(room, 64)), True


def _prompt(case: Case, answer: str, gold: str, how: tuple[str, int, int]) -> Prompt:
    mark, window, step = how
    rule, notes = case.gold.rule, case.gold.notes
    messages = (
        Message(role="system", pieces=(MARKED.format(mark=mark), GUIDES[rule])),
        Message(
            role="user",
            pieces=(
                _block(mark, "question", case.question),
                _block(mark, "right answer", gold),
                *([_block(mark, "notes", notes)] if notes else []),
                _block(mark, "answer to judge", answer),
                REQUESTS[rule],
            ),
        ),
    )
    return Prompt(
        stage=Stage.JUDGING,
        about=About(step=step),
        messages=messages,
        shape=FORMS[rule],
        max_tokens=fitting_reply(window, messages, REPLY_TOKENS),
        mark=mark,
    )


def _block(mark: str, label: str, text: str) -> str:
    return f"<{mark} {label}>\n{without_mark(text, mark)}\n</{mark}>"


def _equivalent(said: Mapping[str, Any], _case: Case, _answer: str, _gold: str) -> Verdict:
    return _plain(right=said["right"], reason=said["reason"])


def _graded(said: Mapping[str, Any], _case: Case, _answer: str, _gold: str) -> Verdict:
    right = said["grade"] == 100
    return Verdict(
        correct=right,
        lenient=right,
        score=said["grade"] / 100,
        reason=f"Grade {said['grade']}. {said['reason'].strip()}",
    )


def _named(said: Mapping[str, Any], case: Case, answer: str, gold: str) -> Verdict:
    missing = missing_numbers(gold, answer, question=case.question, words=_words(said))
    wanted = re.search(r"\d+", gold)
    faults = [
        *([] if wanted is None or said["total"] == int(wanted[0]) else [f"The total is not {wanted[0]}."]),
        *(f"Not counted: {_part(one)}." for one in said["missing"]),
        *(f"Counted besides: {_part(one)}." for one in said["extra"]),
    ]
    return _plain(right=not faults and not missing, reason=" ".join((said["reason"].strip(), *faults)), missing=missing)


def _stated(said: Mapping[str, Any], case: Case, answer: str, gold: str) -> Verdict:
    missing = missing_numbers(gold, answer, question=case.question, words=_words(said))
    faults = [
        *(f"Not stated: {_part(one)}." for one in said["missing"]),
        *(f"Contradicted: {_part(one)}." for one in said["contradicted"]),
    ]
    right = said["right"] and not faults and not missing
    return _plain(right=right, reason=" ".join((said["reason"].strip(), *faults)), missing=missing)


def _part(text: str) -> str:
    return text.strip().rstrip(".")


def _words(said: Mapping[str, Any]) -> dict[str, str]:
    return {one["number"]: one["words"] for one in said["numbers_in_words"]}


def _plain(*, right: bool, reason: str, missing: list[str] | None = None) -> Verdict:
    absent = tuple(missing or ())
    told = f" Numbers that the answer does not state: {', '.join(absent)}." if absent else ""
    return Verdict(
        correct=right, lenient=right, score=float(right), reason=f"{reason.strip()}{told}".strip(), missing=absent
    )


_DECIDES = {
    Rule.EQUIVALENT: _equivalent,
    Rule.GRADED: _graded,
    Rule.NAMED: _named,
    Rule.STATED: _stated,
}
