"""Two runs over the same documents side by side: answers, records, schemas, snippets, settings. Pure.

Nothing here says which of the two is right; it says where they agree, so that a person looks where they do not. Swapping
the two runs swaps the sides and changes nothing else.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from itertools import product

from r3con_core.answers import Answer, Sentence
from r3con_core.comparing.alignment import RecordPair, Verdict, align_records, best_pairs
from r3con_core.differences import Difference
from r3con_core.differences import compare as compare_words
from r3con_core.folding import fold
from r3con_core.method.grounding import figures, foreign_terms
from r3con_core.records import Record, StructuredData
from r3con_core.runs import Run, RunSettings
from r3con_core.schemas import RecordType, kind_name
from r3con_core.snippets import RelevantContext

ALIKE = 0.3
"""Of the words of two sentences that either has: as many in common make a pair of them."""
_WORD = re.compile(r"\w+")
_NOT = frozenset(
    "not no never none nobody nothing neither nor without cannot denied denies nicht kein keine keinen keiner nie "
    "niemals ne pas jamais aucun aucune sans nunca jamás ningún ninguna sin non mai nessuno nessuna não nem sem niet "
    "geen nooit inte ingen aldrig nie nigdy не нет никогда".split()
)
"""Words that turn a statement round, in some languages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two runs, as it stands."""

    run: Run
    context: RelevantContext
    data: StructuredData | None
    """None before a schema is accepted."""
    answer: Answer | None

    @property
    def documents(self) -> frozenset[str]:
        """Ids of those it is about."""
        return frozenset(self.run.document_ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentencePair:
    """A sentence of the first answer and the one of the second that says the same or nearly; or one that stands alone."""

    left: Sentence | None
    right: Sentence | None
    verdict: Verdict
    """Two that agree have the same figures and names, and as many words such as "not"."""
    words: Difference | None
    """Of two sentences."""


class Said(StrEnum):
    """What a run has of a document in its last round."""

    SAYS = "says something"
    SILENT = "nothing to say"
    UNREAD = "not read"


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetPair:
    """What the two runs have of one document."""

    document_id: str
    left: Said
    right: Said

    @property
    def verdict(self) -> Verdict:
        """Whether the document speaks to the question, in both or in one."""
        if self.left is self.right:
            return Verdict.AGREE
        if Said.SAYS not in (self.left, self.right):
            return Verdict.DIFFER
        return Verdict.LEFT if self.left is Said.SAYS else Verdict.RIGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaPair:
    """One record type or field in the two schemas, by its name."""

    path: tuple[str, ...]
    """The record type, and the field."""
    left: str
    """What kind it is, in words; "" where the schema has none."""
    right: str

    @property
    def verdict(self) -> Verdict:
        """Whether both have it, and of one kind."""
        if self.left and self.right:
            return Verdict.AGREE if self.left == self.right else Verdict.DIFFER
        return Verdict.LEFT if self.left else Verdict.RIGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingPair:
    """A setting in which the two runs differ."""

    name: str
    """As in `RunSettings`; "question" and "host" beside them."""
    left: object
    right: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All that two runs agree and differ in, over the documents that both have."""

    sentences: tuple[SentencePair, ...]
    records: tuple[RecordPair, ...]
    """Of those that reasoning works on."""
    snippets: tuple[SnippetPair, ...]
    schema: tuple[SchemaPair, ...]
    """Every record type and field of either."""
    settings: tuple[SettingPair, ...]
    left_only: int
    """Documents that only the first run is about; nothing of them is compared."""
    right_only: int

    @property
    def cells(self) -> Counter[Verdict]:
        """How many cells of records agree, differ, or are filled on one side only."""
        return Counter(verdict for pair in self.records for verdict in cell_verdicts(pair))


def cell_verdicts(pair: RecordPair) -> Iterator[Verdict]:
    """The verdict of each cell; those of a record that stands alone are its side's."""
    alone = None if pair.left and pair.right else pair.verdict
    return (alone or cell.verdict for cell in pair.cells)


def compare_runs(left: Side, right: Side) -> Comparison:
    """Both runs as they stand, over the documents that both have."""
    shared = left.documents & right.documents
    return Comparison(
        sentences=align_sentences(_sentences(left.answer), _sentences(right.answer)),
        records=align_records(_records(left.data, shared), _records(right.data, shared)),
        snippets=tuple(_snippets(left, right)),
        schema=tuple(_schemas(left.data, right.data)),
        settings=tuple(_settings(left.run, right.run)),
        left_only=len(left.documents - shared),
        right_only=len(right.documents - shared),
    )


def _sentences(answer: Answer | None) -> tuple[Sentence, ...]:
    return answer.sentences if answer else ()


def _records(data: StructuredData | None, shared: frozenset[str]) -> list[Record]:
    return [record for record in data.records if record.counts and record.document_id in shared] if data else []


def align_sentences(left: Sequence[Sentence], right: Sequence[Sentence]) -> tuple[SentencePair, ...]:
    """All sentences of both, each in one pair: the first answer's in their order, then what only the second says."""
    ours, theirs = ([frozenset(_WORD.findall(fold(one.text))) for one in side] for side in (left, right))
    alike = {
        (i, j): share
        for i, j in product(range(len(left)), range(len(right)))
        if (share := _share(ours[i], theirs[j])) >= ALIKE
    }
    partner = dict(best_pairs(alike))
    taken = set(partner.values())
    return (
        *(_sentence_pair(one, right[partner[i]] if i in partner else None) for i, one in enumerate(left)),
        *(_sentence_pair(None, one) for j, one in enumerate(right) if j not in taken),
    )


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 1.0


def _sentence_pair(left: Sentence | None, right: Sentence | None) -> SentencePair:
    if left is None or right is None:
        verdict = Verdict.LEFT if right is None else Verdict.RIGHT
        return SentencePair(left=left, right=right, verdict=verdict, words=None)
    same = _same_facts(left.text, right.text)
    return SentencePair(
        left=left,
        right=right,
        verdict=Verdict.AGREE if same else Verdict.DIFFER,
        words=compare_words(left.text, right.text),
    )


def _same_facts(one: str, other: str) -> bool:
    """Whether two sentences have the same figures and names, and turn them round as often."""
    inside = (f"it {one}", f"it {other}")  # a name that begins the text is one as well
    if foreign_terms(inside[0], other) or foreign_terms(inside[1], one) or figures(one) != figures(other):
        return False
    return _turned(one) == _turned(other)


def _turned(text: str) -> int:
    words = _WORD.findall(fold(text).replace("n't", " not"))
    return sum(word in _NOT for word in words) % 2


def _snippets(left: Side, right: Side) -> Iterator[SnippetPair]:
    if not (left.context.rounds and right.context.rounds):
        return
    ours, theirs = _said(left.context), _said(right.context)
    for document_id in left.run.document_ids:
        if document_id in right.documents:
            yield SnippetPair(
                document_id=document_id,
                left=ours.get(document_id, Said.UNREAD),
                right=theirs.get(document_id, Said.UNREAD),
            )


def _said(context: RelevantContext) -> dict[str, Said]:
    return {each.document_id: Said.SAYS if each.text.strip() else Said.SILENT for each in context.snippets}


def _schemas(left: StructuredData | None, right: StructuredData | None) -> Iterator[SchemaPair]:
    ours, theirs = _kinds(left), _kinds(right)
    for level in (*ours, *(level for level in theirs if level not in ours)):
        path, kind = ours.get(level, ((), ""))
        other_path, other_kind = theirs.get(level, ((), ""))
        yield SchemaPair(path=path or other_path, left=kind, right=other_kind)


def _kinds(data: StructuredData | None) -> dict[tuple[str, ...], tuple[tuple[str, ...], str]]:
    """Levelled path -> path and kind, of all record types and their fields."""
    types: Iterable[RecordType] = data.schema.record_types if data else ()
    found: dict[tuple[str, ...], tuple[tuple[str, ...], str]] = {}
    for one in types:
        found[(fold(one.name),)] = ((one.name,), "record type")
        found |= {(fold(one.name), fold(f.name)): ((one.name, f.name), kind_name(f.kind)) for f in one.fields}
    return found


def _settings(left: Run, right: Run) -> Iterator[SettingPair]:
    ours, theirs = _told(left), _told(right)
    for name, value in ours.items():
        if value != theirs[name]:
            yield SettingPair(name=name, left=value, right=theirs[name])


def _told(run: Run) -> Mapping[str, object]:
    settings = {each.name: getattr(run.settings, each.name) for each in fields(RunSettings) if each.name != "seal"}
    return {"question": run.task.text, "host": run.host, **settings}
