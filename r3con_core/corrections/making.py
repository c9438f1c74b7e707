"""How a person's word about records becomes a change: quotes are looked for, values are looked for in the text. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from r3con_core.changes import AddRecord, CorrectRecord, MergeRecords, SplitRecord
from r3con_core.corrections.applying import differing
from r3con_core.documents import Document
from r3con_core.errors import CorrectionError
from r3con_core.evidence import Evidence, locate
from r3con_core.method.grounding import is_supported
from r3con_core.method.reading import walk_values
from r3con_core.records import Certainty, Record, Value, record_id
from r3con_core.schema.values import fits, is_date
from r3con_core.schemas import Choice, ListOf, RecordType, Scalar, ScalarType, kind_name, walk_fields
from r3con_core.snippets import Author


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a person gives for one record."""

    values: Mapping[str, Value]
    """For every field of its type."""
    quotes: tuple[str, ...] = ()
    """As typed or copied; blank ones are left out."""
    said_by: str | None = None
    certainty: Certainty = Certainty.STATED


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a record belongs."""

    record_type: RecordType
    document: Document
    others: Iterable[Document] = ()
    """Where quotes are looked for that are not in `document`."""


def correct_record(of: Record, said: Said, place: Place) -> CorrectRecord | None:
    """The change that makes `of` say what a person gives; None when it says so already."""
    check_values(place.record_type, said.values)
    now = _retold(of, said, place)
    return None if now == of else CorrectRecord(of=of, now=now)


def split_record(of: Record, parts: Sequence[Said], place: Place) -> SplitRecord:
    """The change that makes several records of one; CorrectionError when two of them say the same."""
    for part in parts:
        check_values(place.record_type, part.values)
    into = tuple(
        _made(part, place, salt=f"part {number} of {of.id}", known=of.evidence) for number, part in enumerate(parts, 1)
    )
    if len({repr(replace(record, id="")) for record in into}) < max(len(into), 2):
        raise CorrectionError(
            "The parts say the same. Let them differ in a value or a quote, or leave the record whole."
        )
    return SplitRecord(of=of, into=into)


def add_record(said: Said, place: Place) -> AddRecord:
    """The change that adds a record; without a quote it stands on the person's word alone."""
    check_values(place.record_type, said.values)
    if all(value is None for _, value in walk_values(dict(said.values))):
        raise CorrectionError("A record needs at least one value.")
    return AddRecord(record=_made(said, place, salt="added"))


def merge_records(of: Sequence[Record], said: Said, place: Place, texts: Sequence[str]) -> MergeRecords:
    """The change that makes one record of several; `texts` are those of the others' documents."""
    check_values(place.record_type, said.values)
    first = of[0]
    evidence = tuple(dict.fromkeys(one for record in of for one in record.evidence))
    merged = replace(first, evidence=evidence)
    now = _retold(merged, replace(said, quotes=tuple(one.quote for one in evidence)), place)
    doubted = _doubted(place.record_type, said.values, [place.document.text, *texts])
    return MergeRecords(of=tuple(of), now=replace(now, unsupported=doubted))


def check_values(record_type: RecordType, values: Mapping[str, Value]) -> None:
    """CorrectionError when a value is not of its field's kind."""
    for field in record_type.fields:
        value = values.get(field.name)
        if value is not None and not fits(value, field.kind):
            dated = field.kind == Scalar(of=ScalarType.DATE)
            form = "; write it as 1931, 1931-03 or 1931-03-04" if dated else ""
            raise CorrectionError(f"What is given for {field.name} is not of its kind ({kind_name(field.kind)}){form}.")


def _retold(of: Record, said: Said, place: Place) -> Record:
    told = replace(of, values=dict(said.values), said_by=said.said_by, certainty=said.certainty)
    fields = differing(of, told)
    evidence = tuple(_evidence(said.quotes, of.evidence, place))
    kept = [path for path in of.unsupported if path.split(".")[0] not in fields]
    new = [path for path in _doubted(place.record_type, said.values, [place.document.text]) if _top(path) in fields]
    changed = tuple(dict.fromkeys((*of.changed, *fields)))
    return replace(told, evidence=evidence, unsupported=(*kept, *new), changed=changed)


def _made(said: Said, place: Place, *, salt: str, known: Sequence[Evidence] = ()) -> Record:
    """A record of a person; `salt` keeps its id apart from that of a model's record that says the same."""
    evidence = tuple(_evidence(said.quotes, known, place))
    quotes = [*(one.quote for one in evidence), salt]
    kind, document = place.record_type, place.document
    return Record(
        id=record_id(record_type=kind.name, document_id=document.id, values=said.values, quotes=quotes),
        type=kind.name,
        document_id=document.id,
        values=dict(said.values),
        evidence=evidence,
        said_by=said.said_by,
        certainty=said.certainty,
        unsupported=_doubted(kind, said.values, [document.text]),
        author=Author.HUMAN,
    )


def _evidence(quotes: Sequence[str], known: Sequence[Evidence], place: Place) -> Iterator[Evidence]:
    """Each quote with its place: the one it had, or where it is found now."""
    held = {one.quote: one for one in known}
    for quote in dict.fromkeys(stripped for one in quotes if (stripped := one.strip())):
        yield held[quote] if quote in held else locate(quote, place.document, place.others)


def _doubted(record_type: RecordType, values: Mapping[str, Value], texts: Sequence[str]) -> tuple[str, ...]:
    """Paths of the values that stand in none of `texts`, or are no dates where dates are asked."""
    kinds = {path: field.kind for path, field in walk_fields(record_type.fields)}
    doubted = []
    for path, value in walk_values(dict(values)):
        kind = kinds.get(tuple(step for step in path if not step.isdigit()))
        kind = kind.item if isinstance(kind, ListOf) else kind
        if value is None or isinstance(kind, Choice):
            continue
        no_date = kind == Scalar(of=ScalarType.DATE) and not is_date(value)
        if no_date or not any(is_supported(value, text) for text in texts):
            doubted.append(".".join(path))
    return tuple(doubted)


def _top(path: str) -> str:
    return path.split(".", maxsplit=1)[0]
