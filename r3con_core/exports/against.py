"""What each sentence of an answer rests on and what speaks against it, in words for reports. Pure."""

from dataclasses import dataclass

from r3con_core.checks.conflicts import find_conflicts
from r3con_core.checks.objections import Objection, find_objections
from r3con_core.checks.sentences import Checked, Doubt, Support, check_answer, heirs_of
from r3con_core.exports.contents import RunContents
from r3con_core.views.tables import flat, in_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """One reason to doubt one sentence."""

    text: str
    record_ids: tuple[str, ...]
    """Those that the reason is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSentence:
    """One sentence of the answer with what was found out about it."""

    number: int
    """From 1."""
    text: str
    record_ids: tuple[str, ...]
    support: Support
    missing: tuple[str, ...]
    """What it says that was found nowhere."""
    by_code: tuple[str, ...]
    """What it says that stands in no record and comes out of the code."""
    against: tuple[Against, ...]


def checked_sentences(contents: RunContents) -> tuple[CheckedSentence, ...]:
    """Every sentence of the answer, in order; none before there is an answer."""
    answer, data = contents.answer, contents.data
    if answer is None or data is None:
        return ()
    changes = contents.corrected.by_record if contents.corrected is not None else {}
    heirs = heirs_of(data, changes, answer.record_ids)
    checked = check_answer(answer, data, contents.run.task.text, heirs)
    both = zip(checked, find_objections(checked, data, find_conflicts(data), contents.run.task.text), strict=True)
    return tuple(_sentence(number, one, found) for number, (one, found) in enumerate(both, start=1))


def _sentence(number: int, checked: Checked, objections: tuple[Objection, ...]) -> CheckedSentence:
    doubts = map(_doubt, checked.doubts)
    return CheckedSentence(
        number=number,
        text=checked.sentence.text,
        record_ids=checked.sentence.record_ids,
        support=checked.support,
        missing=tuple(term.text for term in checked.missing),
        by_code=tuple(term.text for term in checked.by_code),
        against=(*doubts, *(_objection(one) for one in objections if one.against)),
    )


def _doubt(doubt: Doubt) -> Against:
    fields = f"{', '.join(doubt.fields)}: " if doubt.fields else ""
    return Against(text=f"{fields}{doubt.worry.value}", record_ids=(doubt.record_id,))


def _objection(objection: Objection) -> Against:
    text = objection.weight.value
    if objection.field:
        other, cited = in_words(flat(objection.value)), in_words(flat(objection.cited))
        text = f"{text}: {objection.field} is {other} here, and {cited} in what the sentence rests on"
    return Against(text=text, record_ids=objection.record_ids)
