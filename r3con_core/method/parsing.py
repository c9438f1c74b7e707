"""Stage 2, second half: one document becomes records that quote it (paper section 4.2)."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from r3con_core.documents import Document, Part
from r3con_core.errors import ReplyError
from r3con_core.evidence import locate
from r3con_core.exchange import About, Exchange, Finish, Message, Prompt, Reply, Stage
from r3con_core.method.brief import Brief
from r3con_core.method.grounding import is_supported
from r3con_core.method.layout import (
    Blocks,
    Order,
    arrange,
    document_block,
    fitting_reply,
    lane,
    parts_of,
    reads_document_first,
    reply_room,
    types_block,
)
from r3con_core.method.marks import one_line, without_mark
from r3con_core.method.notes import NOTHING, Notes, Shown
from r3con_core.method.prompts import fill
from r3con_core.method.reading import (
    MAX_ATTEMPTS,
    ask_until_read,
    decode_cut_object,
    decode_object,
    level_nothing,
    walk_values,
)
from r3con_core.records import Certainty, Record, record_id
from r3con_core.runs import Guidance
from r3con_core.schema.values import is_date
from r3con_core.schema.views import form_only, types_schema
from r3con_core.schemas import Choice, Kind, ListOf, RecordType, Scalar, ScalarType, Schema, walk_fields

PARSE_TOKENS = 1200
"""Room for one document's records; a reply that needs more is asked again with twice that."""
SMALL_TOKENS, SMALL_RECORDS = 800, 8
"""The same for a small model, and how many records of a type it may give: it goes on without end where it can."""
ABOUT_RECORD = ("quotes", "said_by", "certainty")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parse:
    """What one document gave."""

    document_id: str
    records: tuple[Record, ...]
    """In the order of the document's parts, then of the schema."""


Types = tuple[RecordType, ...]
"""What a document is asked for."""


def parse_document(
    brief: Brief, schema: Schema, notes: Notes, document: Document, only: tuple[str, ...] = ()
) -> Exchange[Parse]:
    """All records of one document, each with its quotes located in it; with `only`, those of these record types.

    Read in parts when too long for the window. When quotes are not in the document the model is asked once more: told
    which, or, when it is a small one that copies from the notes, without the notes.
    """
    shown = notes.all_for(document)
    types = tuple(t for t in schema.record_types if not only or t.name in only)
    records: list[Record] = []
    for part in parts_of(brief, document):
        records += yield from _parse_part(brief, types, shown, (document, part))
    unique = {record.id: record for record in records}
    return Parse(document_id=document.id, records=tuple(unique.values()))


Values = Mapping[str, Sequence[Mapping[str, Any]]]
"""Record type -> the records as a reply gives them."""


def _parse_part(brief: Brief, types: Types, shown: Shown, of: tuple[Document, Part]) -> Exchange[list[Record]]:
    document, part = of

    def make(values: Values) -> list[Record]:
        return _make_records(types, values, document, part, brief.corpus.documents)

    prompt = _parse_prompt(brief, types, shown, of)
    small, shape = brief.settings.small_reader, _shape(brief, types)
    read = partial(_read_small if small else decode_object, shape=shape)
    values = yield from ask_until_read(prompt, read)
    records = make(values)
    faulty = [record for record in records if record.set_aside]
    if not faulty:
        return records
    if small:
        alone = _parse_prompt(brief, types, NOTHING, of)
        mended = make((yield from ask_until_read(replace(alone, attempt=MAX_ATTEMPTS + 1), read)))
    else:
        mended = make((yield from _mend_quotes(brief, prompt, read, (values, faulty))))
    return mended if sum(r.set_aside for r in mended) < len(faulty) else records


def _shape(brief: Brief, types: Types) -> dict[str, Any]:
    """What a reply must satisfy."""
    shape = types_schema(types)
    if not brief.settings.small_reader:
        return shape
    lists = {name: {**items, "maxItems": SMALL_RECORDS} for name, items in shape["properties"].items()}
    return {**shape, "properties": lists}


def _read_small(reply: Reply, shape: Mapping[str, Any]) -> Values:
    """A small model's records; of a reply that was cut off, those before the cut."""
    if reply.finish is not Finish.CUT_OFF:
        return decode_object(reply, shape)
    whole = {**{name: [] for name in shape["properties"]}, **decode_cut_object(reply)}
    return decode_object(replace(reply, text=json.dumps(whole), finish=Finish.COMPLETE), shape)


def _mend_quotes(
    brief: Brief, prompt: Prompt, read: Callable[[Reply], Values], said: tuple[Values, Sequence[Record]]
) -> Exchange[Values]:
    """Once: the model is told which quotes its document does not hold, and fills the records again."""
    (values, faulty), mark = said, brief.mark
    named = "; ".join(f'"{one_line(record.evidence[0].quote, mark)[:80]}"' for record in faulty[:5])
    misquoted = fill("parsing", brief.settings.prompts, "misquoted", fence=mark, quotes=without_mark(named, mark))
    again = replace(
        prompt,
        attempt=MAX_ATTEMPTS + 1,
        messages=(
            *prompt.messages,
            Message(role="assistant", pieces=(without_mark(json.dumps(values, ensure_ascii=False), mark),)),
            Message(role="user", pieces=(misquoted,)),
        ),
    )
    try:
        return read((yield again))
    except ReplyError:
        return values


def _parse_prompt(brief: Brief, types: Types, shown: Shown, of: tuple[Document, Part]) -> Prompt:
    document, part = of
    settings = brief.settings
    small = settings.small_reader
    request = fill(
        "parsing",
        settings.prompts,
        "request",
        number=brief.corpus.number(document.id),
        numbered=bool(shown.pieces),
        types=len(types),
    )
    blocks = Blocks(
        guide=_guide(brief),
        material=types_block(brief, types),
        notes=shown.pieces,
        shared=shown.shared,
        document=document_block(brief, document, part),
        request=request,
    )
    messages, wanted = arrange(brief, blocks, _order(brief, shown, document)), SMALL_TOKENS if small else PARSE_TOKENS
    return Prompt(
        stage=Stage.PARSING,
        about=About(document_id=document.id, part=part.number),
        messages=messages,
        shape=form_only(_shape(brief, types)),
        max_tokens=wanted if wanted <= reply_room(brief) else fitting_reply(settings.window, messages, wanted),
        lane=lane(brief, "parsing", document),
        mark=brief.mark,
    )


def _order(brief: Brief, shown: Shown, document: Document) -> Order:
    if reads_document_first(brief, document):
        return Order.DOCUMENT_FIRST
    return Order.GUIDE_FIRST if shown.shared else Order.SNIPPETS_FIRST  # with digests each document is shown others


def _guide(brief: Brief) -> str:
    """What to do; the task with it where the reader of a document is not told it anyway."""
    task = brief.task.text if brief.settings.guidance is not Guidance.TASK else ""
    return fill("parsing", brief.settings.prompts, "guide", task=task)


def _make_records(
    types: Types, values: Values, document: Document, part: Part, corpus: Iterable[Document]
) -> list[Record]:
    return [
        record
        for record_type in types
        for said in values[record_type.name]
        if (record := _make_record(record_type, said, (document, part), corpus)) is not None
    ]


def _make_record(
    record_type: RecordType, said: Mapping[str, Any], of: tuple[Document, Part], corpus: Iterable[Document]
) -> Record | None:
    """One record with its quotes located, or None when the reply gave it no value or no quote."""
    document, part = of
    given = {name: level_nothing(value) for name, value in said.items() if name not in ABOUT_RECORD}
    values = _level_dates(record_type, given)
    quotes = [quote for quote in dict.fromkeys(q.strip() for q in said["quotes"]) if quote]
    if not quotes or all(value is None for _, value in walk_values(values)):
        return None
    return Record(
        id=record_id(record_type=record_type.name, document_id=document.id, values=values, quotes=quotes),
        type=record_type.name,
        document_id=document.id,
        values=values,
        evidence=tuple(locate(quote, document, corpus, within=part.span) for quote in quotes),
        said_by=level_nothing(said["said_by"]),
        certainty=Certainty(said["certainty"]),
        unsupported=tuple(
            ".".join(path)
            for path, value in walk_values(values)
            if (_field_path(path) not in _choices(record_type) and not is_supported(value, document.text))
            or (_field_path(path) in _dates(record_type) and value is not None and not is_date(value))
        ),
    )


def _field_path(path: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(step for step in path if not step.isdigit())


def _choices(record_type: RecordType) -> frozenset[tuple[str, ...]]:
    """Fields whose value is a word of the schema, which no document needs to hold."""
    return frozenset(path for path, field in walk_fields(record_type.fields) if _is_choice(field.kind))


def _is_choice(kind: Kind) -> bool:
    return isinstance(kind.item if isinstance(kind, ListOf) else kind, Choice)


def _dates(record_type: RecordType) -> frozenset[tuple[str, ...]]:
    date_field = Scalar(of=ScalarType.DATE)
    return frozenset(path for path, field in walk_fields(record_type.fields) if field.kind == date_field)


def _level_dates(record_type: RecordType, values: Mapping[str, Any]) -> dict[str, Any]:
    """`values` with the dates of its first level that name their month in letters as ISO dates."""
    names = {path[0] for path in _dates(record_type) if len(path) == 1}
    return {name: _as_iso(value) if name in names else value for name, value in values.items()}


_MONTH = re.compile(r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*", re.IGNORECASE)
"""Without one, which number is the month is a guess."""
_ANY_DAYS = (datetime(2001, 1, 1), datetime(2002, 2, 2))  # noqa: DTZ001 - only to see which parts a text leaves open
"""What dateutil fills in for a day or month that a text does not give: a whole date is the same with both."""


def _as_iso(value: Any) -> Any:
    if not isinstance(value, str) or not _MONTH.search(value) or not re.search(r"\b\d{4}\b", value):
        return value
    from dateutil import parser  # comes with pandas; needed for few values

    try:
        first, second = (parser.parse(value, default=day).date() for day in _ANY_DAYS)
    except (ValueError, OverflowError):
        return value
    return first.isoformat() if first == second else value
