"""What each sentence of an answer rests on: its records, their quotes, and what the code printed or computed.

Pure, and without a model. A figure, day, name or code of a sentence is looked up in the records it cites and in what
the steps gave; nothing is concluded about what cannot be looked up.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType

from r3con_core.answers import Answer, Sentence
from r3con_core.changes import Change, Entry, MergeRecords, SplitRecord
from r3con_core.checks.cells import Cell, CellState, cells_of
from r3con_core.checks.claims import Holding, Term, TermKind, holding_of, holds, terms_of
from r3con_core.evidence import Grounded
from r3con_core.method.grounding import plain
from r3con_core.method.reading import walk_values
from r3con_core.records import Certainty, Record, Standing, StructuredData, Value
from r3con_core.snippets import Author
from r3con_core.views.tables import Proof, in_words, weakest_proof


class Support(StrEnum):
    """What a sentence rests on, best first."""

    FULL = "rests on records whose quotes were found"
    DOUBT = "rests on records to look at"
    PART = "rests on its records in part"
    OPEN = "says what was not found"
    NONE = "rests on nothing"


class Source(StrEnum):
    """Where a term of a sentence was found."""

    RECORD = "in a record it cites"
    COUNTED = "as many as the records it cites"
    PRINTED = "printed by the code"
    COMPUTED = "put in by the code from its own variables"
    QUESTION = "in the question"
    NOWHERE = "nowhere"


class Worry(StrEnum):
    """Why a cited record is worth a look."""

    OUT = "it is set aside or taken out, so nothing rests on it"
    MISSING = "a quote of it is in no document"
    ELSEWHERE = "a quote of it is in another document"
    NEAR = "a quote of it was found with small differences"
    DENIED = "its document denies it"
    ALLEGED = "its document only tells it as a claim"
    INFERRED = "the model inferred it; its document does not state it so"
    NOT_IN_DOCUMENT = "is not in its document"
    NOT_IN_QUOTE = "is in its document, not in its quotes"
    PERSON = "given or corrected by a person"


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """One reason to look at one cited record."""

    record_id: str
    worry: Worry
    fields: tuple[str, ...] = ()
    """The values that are meant; empty: the record as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """One term of a sentence and where it was found."""

    term: Term
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One sentence, checked."""

    sentence: Sentence
    support: Support
    lookups: tuple[Lookup, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    used: Mapping[str, tuple[str, ...]]
    """Record id -> the fields whose values the sentence or what was computed for it rests on."""

    @property
    def missing(self) -> tuple[Term, ...]:
        """What it says that was found nowhere."""
        return tuple(lookup.term for lookup in self.lookups if lookup.source is Source.NOWHERE)

    @property
    def by_code(self) -> tuple[Term, ...]:
        """What it says that stands in no record and comes out of the code."""
        sources = (Source.PRINTED, Source.COMPUTED)
        return tuple(lookup.term for lookup in self.lookups if lookup.source in sources)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Code:
    """What the steps that ran without a fault gave."""

    printed: Holding
    written: Holding
    """What stands in the code itself: the model wrote it there, it was not computed."""
    proposed: Holding | None
    """The answer that code handed over, if one did."""


Heirs = Mapping[str, tuple[str, ...]]
"""Id of a record that a person merged or split -> ids of the records that count in its place."""
NO_HEIRS: Heirs = MappingProxyType({})


def check_answer(answer: Answer, data: StructuredData, question: str, heirs: Heirs = NO_HEIRS) -> tuple[Checked, ...]:
    """Every sentence of the answer, in order, against the data as it stands."""
    checker = _Checker(data, _code_of(answer), holding_of(question))
    return tuple(checker.check(sentence, heirs) for sentence in answer.sentences)


def heirs_of(data: StructuredData, changes: Mapping[str, Sequence[Entry]], record_ids: Iterable[str]) -> Heirs:
    """The heirs of those of these records that were merged or split; `changes`: record id -> what was made of it."""
    gone = [each for each in record_ids if data.get(each).standing in (Standing.MERGED, Standing.SPLIT)]
    if not gone:
        return NO_HEIRS
    counting = {record.id for record in data.records if record.counts}
    named = {each: [heir for entry in changes.get(each, ()) for heir in _named_heirs(entry.change)] for each in gone}
    return {each: tuple(heir for heir in dict.fromkeys(heirs) if heir in counting) for each, heirs in named.items()}


def _named_heirs(change: Change) -> tuple[str, ...]:
    match change:
        case MergeRecords(now=now):
            return (now.id,)
        case SplitRecord(into=into):
            return tuple(part.id for part in into)
        case _:
            return ()


def tally(checked: Sequence[Checked]) -> Counter[Support]:
    """How many sentences rest on what."""
    return Counter(one.support for one in checked)


def holding_of_record(record: Record) -> Holding:
    """What a record says: its values, who says so, and its quotes that were found in its document."""
    said = [in_words(value) for _, value in walk_values(dict(record.values)) if value is not None]
    quotes = [evidence.quote for evidence in record.evidence if isinstance(evidence, Grounded)]
    return holding_of(" ; ".join([*said, record.said_by or "", *quotes]))


def _code_of(answer: Answer) -> _Code:
    counted = [step for step in answer.steps if step.execution.fault is None]
    proposed = next((step.execution.proposed for step in reversed(counted) if step.execution.proposed), None)
    return _Code(
        printed=holding_of("\n".join(step.execution.output for step in counted)),
        written=holding_of("\n".join(step.code for step in answer.steps)),
        proposed=holding_of(proposed.text) if proposed else None,
    )


class _Checker:
    """Looks each cited record over once, however many sentences cite it."""

    def __init__(self, data: StructuredData, code: _Code, question: Holding) -> None:
        self._data, self._code, self._question = data, code, question
        self._holdings: dict[str, Holding] = {}
        self._cells: dict[str, tuple[Cell, ...]] = {}

    def check(self, sentence: Sentence, heirs: Heirs) -> Checked:
        ids = [heir for record_id in sentence.record_ids for heir in heirs.get(record_id) or (record_id,)]
        cited = [self._data.get(record_id) for record_id in dict.fromkeys(ids)]
        counting = [record for record in cited if record.counts]
        terms = terms_of(sentence.text)
        lookups = tuple(Lookup(term=term, source=self._find(term, counting)) for term in terms)
        said = holding_of(sentence.text)
        computed = any(found.source in (Source.PRINTED, Source.COMPUTED) for found in lookups)
        used = {record.id: self._used(record, said, computed=computed) for record in counting}
        doubts = tuple(doubt for record in cited for doubt in self._doubts(record, used.get(record.id, ())))
        return Checked(
            sentence=sentence,
            support=_support(sentence, counting, lookups, doubts),
            lookups=lookups if counting else (),
            doubts=doubts,
            used=used,
        )

    def _find(self, term: Term, cited: Sequence[Record]) -> Source:
        code = self._code
        if any(holds(self._holding(record), term) for record in cited):
            return Source.RECORD
        if term.kind is TermKind.FIGURE and term.keys[0] == str(len(cited)):
            return Source.COUNTED
        if holds(code.printed, term):
            return Source.PRINTED
        if code.proposed and holds(code.proposed, term) and not holds(code.written, term):
            return Source.COMPUTED
        if term.kind is not TermKind.FIGURE and holds(self._question, term):
            return Source.QUESTION
        return Source.NOWHERE

    def _holding(self, record: Record) -> Holding:
        if record.id not in self._holdings:
            self._holdings[record.id] = holding_of_record(record)
        return self._holdings[record.id]

    def _cells_of(self, record: Record) -> tuple[Cell, ...]:
        if record.id not in self._cells:
            self._cells[record.id] = cells_of(record, self._data.schema.get(record.type))
        return self._cells[record.id]

    def _used(self, record: Record, said: Holding, *, computed: bool) -> tuple[str, ...]:
        """The values that the sentence says; its numbers where it says none of them and something was computed."""
        cells = self._cells_of(record)
        used = [cell for cell in cells if mentions(said, cell.value)]
        if computed and not any(_is_number(cell.value) for cell in used):
            used += [cell for cell in cells if _is_number(cell.value)]
        return tuple(dict.fromkeys(cell.name for cell in used))

    def _doubts(self, record: Record, used: Sequence[str]) -> Iterator[Doubt]:
        yield from (Doubt(record_id=record.id, worry=worry) for worry in _worries(record))
        cells = [cell for cell in self._cells_of(record) if cell.name in used]
        for state, worry in _STATES.items():
            if fields := tuple(cell.name for cell in cells if cell.state is state):
                yield Doubt(record_id=record.id, worry=worry, fields=fields)


_STATES = {
    CellState.NOWHERE: Worry.NOT_IN_DOCUMENT,
    CellState.DOCUMENT: Worry.NOT_IN_QUOTE,
}
_PROOFS = {Proof.NEAR: Worry.NEAR, Proof.ELSEWHERE: Worry.ELSEWHERE, Proof.MISSING: Worry.MISSING}
_CERTAINTIES = {
    Certainty.DENIED: Worry.DENIED,
    Certainty.ALLEGED: Worry.ALLEGED,
    Certainty.INFERRED: Worry.INFERRED,
}


def _worries(record: Record) -> Iterator[Worry]:
    """What is to be known of a record as a whole."""
    if not record.counts:
        yield Worry.OUT
    if worry := _PROOFS.get(weakest_proof(record)):
        yield worry
    if worry := _CERTAINTIES.get(record.certainty):
        yield worry
    if record.changed or record.author is Author.HUMAN:
        yield Worry.PERSON


def _support(
    sentence: Sentence, counting: Sequence[Record], lookups: Sequence[Lookup], doubts: Sequence[Doubt]
) -> Support:
    if not counting:
        return Support.OPEN if says_what_is_missing(sentence.text) else Support.NONE
    if any(lookup.source is Source.NOWHERE for lookup in lookups):
        return Support.PART
    return Support.DOUBT if doubts else Support.FULL


def mentions(said: Holding, value: Value) -> bool:
    """Whether a sentence says this value: its digits, its day, or all its longer words."""
    if value is None or isinstance(value, bool | list | dict):
        return False
    words, terms = _told(in_words(value))
    if isinstance(value, str) and words and all(word in said.words for word in words):
        return True
    return bool(terms) and all(holds(said, term) for term in terms)


@lru_cache(maxsize=20_000)
def _told(value: str) -> tuple[tuple[str, ...], tuple[Term, ...]]:
    """The longer words of a value, and what can be looked up of it beside names."""
    words = tuple(word for word in re.findall(r"\w+", plain(value)) if len(word) > 2)
    return words, tuple(term for term in terms_of(value) if term.kind is not TermKind.NAME)


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_NO = re.compile(r"\b(?:no|not|none|nothing|neither|nor|never|cannot|without|unknown|unclear|un(?:stated|named))\b")
_FOUND = re.compile(
    r"\b(?:found|find|stated?|states|named?|names|given|gives?|mention\w*|record(?:s|ed)?|documents?|evidence|known|"
    r"unknown|unclear|shown?|shows|determin\w*|establish\w*|identif\w*|sa(?:y|ys|id)|contain\w*|data)\b"
)


def says_what_is_missing(sentence: str) -> bool:
    """Whether a sentence says that something could not be found, by its English words; such a one needs no record."""
    said = plain(sentence)
    return bool(_NO.search(said) and _FOUND.search(said))
