"""Which documents an answer stands on: those its sentences cite, those with records it does not cite, those with none.

Pure.
"""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from r3con_core.answers import Answer
from r3con_core.records import StructuredData


class Part(StrEnum):
    """What a document has to do with an answer."""

    CITED = "cited by the answer"
    NOT_CITED = "has records, none cited"
    SILENT = "read, without a record"
    UNREAD = "could not be read"


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """What one document gives to an answer."""

    document_id: str
    part: Part
    records: int
    """It has."""
    cited: Mapping[int, int]
    """Sentence, from 1 -> how many of its records that sentence cites; sentences that cite none are left out."""

    @property
    def citations(self) -> int:
        """Of its records, in all sentences."""
        return sum(self.cited.values())


def support_of(
    data: StructuredData, answer: Answer, document_ids: Sequence[str], unread: Set[str]
) -> tuple[Support, ...]:
    """Every document, the most cited first, equals in corpus order; `unread` are those that some stage could not read."""
    home = {record.id: record.document_id for record in data.records}
    records = Counter(home.values())
    cited: dict[str, Counter[int]] = {}
    for number, sentence in enumerate(answer.sentences, start=1):
        for record_id in dict.fromkeys(sentence.record_ids):
            if record_id in home:
                cited.setdefault(home[record_id], Counter())[number] += 1
    found = [
        Support(
            document_id=document_id,
            part=_part(document_id in cited, records[document_id], document_id in unread),
            records=records[document_id],
            cited=cited.get(document_id, {}),
        )
        for document_id in document_ids
    ]
    order = list(Part)
    return tuple(sorted(found, key=lambda one: (order.index(one.part), -one.citations, -one.records)))


def _part(cited: bool, records: int, unread: bool) -> Part:  # noqa: FBT001 - a rule of three facts
    if cited:
        return Part.CITED
    if records:
        return Part.NOT_CITED
    return Part.UNREAD if unread else Part.SILENT
