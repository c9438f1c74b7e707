"""What is fuzzed: for each target a function of bytes that raises only when the product is at fault, and seeds.

`tests/unit/test_fuzzed.py` tries each with a few hundred changed seeds, `benchmarks/fuzz.py` for hours.
"""

import json
import random
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from r3con_core.answers import Proposed, Sentence
from r3con_core.changes import Hint, MergeNames
from r3con_core.documents import Corpus, Document, Finding, Span, Unit
from r3con_core.errors import R3ConError, SchemaError
from r3con_core.evidence import Evidence, Grounded, Match, Misplaced, Ungrounded, locate
from r3con_core.exchange import Exchange, Finish, Reply, whole_letters
from r3con_core.exports.runfile import export_run, import_run
from r3con_core.method.brief import Brief, make_brief, with_focus
from r3con_core.method.notes import Notes, make_notes
from r3con_core.method.parsing import parse_document
from r3con_core.method.query import choose_query
from r3con_core.method.reasoning import answer_directly, answer_from_notes, read_action
from r3con_core.method.relevance import find_focus, write_snippet
from r3con_core.method.revising import revise_schema
from r3con_core.method.schema import propose_schema
from r3con_core.models.faults import Troubled
from r3con_core.models.replies import Heard, gather, read_whole, split_thinking, usage_of
from r3con_core.records import Record, Representation, StructuredData
from r3con_core.runs import Guidance, RunSettings
from r3con_core.schema.edits import AddField, SchemaEdit
from r3con_core.schema.files import json_schema_file, pydantic_source
from r3con_core.schema.sources import read_schema, read_schema_file
from r3con_core.schema.views import json_schema, outline
from r3con_core.schemas import Field, RecordType, Scalar, ScalarType, Schema
from r3con_core.snippets import RelevanceSnippet, RelevantContext, Round
from r3con_core.store.codec import dump, load
from r3con_core.tasks import make_task
from r3con_core.verify.bundles import verify_bundle
from tests import harbour_script, inquiry_script
from tests.fakes import finished_harbour, text_document
from tests.forging import members_of, packed, rehashed

BETWEEN = b"\x1e"
"""Stands between the parts of an input: ASCII's record separator."""
Try = Callable[[bytes], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Something that reads what others wrote."""

    name: str
    attempt: Try
    seeds: Callable[[], Iterable[bytes]]
    words: tuple[str, ...] = ()
    """What changed inputs are sprinkled with."""


# Replies

_DOCUMENTS = (
    text_document("On 4 March 1931 the Petrel landed 40 cases at the quay. Ada paid him £12.", path="a.txt"),
    text_document("The Heron lay at the buoy. Nobody saw her crew that night.", path="b.txt"),
)
_SCHEMA = Schema(
    record_types=(
        RecordType(
            name="Landing",
            meaning="one landing",
            fields=(
                Field(name="boat", meaning="which", kind=Scalar(of=ScalarType.TEXT)),
                Field(name="day", meaning="when", kind=Scalar(of=ScalarType.DATE)),
                Field(name="cases", meaning="how many", kind=Scalar(of=ScalarType.INTEGER)),
            ),
        ),
    )
)
_RECORD = Record(
    id="rec-1",
    type="Landing",
    document_id=_DOCUMENTS[0].id,
    values={"boat": "Petrel", "day": "1931-03-04", "cases": 40},
    evidence=(locate("the Petrel landed 40 cases", _DOCUMENTS[0]),),
)
_ROUND = Round(
    number=1,
    snippets=tuple(RelevanceSnippet(document_id=d.id, text=f"It tells of {d.text[:30]}") for d in _DOCUMENTS),
)
_DATA = StructuredData(schema=_SCHEMA, records=(_RECORD,))
_WHOLE = Representation(relevant_context=RelevantContext(rounds=(_ROUND,)), structured_data=_DATA)


@cache
def _brief(guidance: Guidance) -> Brief:
    settings = RunSettings(model="m", guidance=guidance)
    corpus = Corpus(documents=_DOCUMENTS)
    return with_focus(make_brief(make_task("Who paid whom?"), corpus, settings), ("boats",))


@cache
def _notes(guidance: Guidance) -> Notes:
    return make_notes(_brief(guidance), _ROUND)


_STAGES: tuple[Callable[[Guidance], Exchange[Any]], ...] = (
    lambda g: find_focus(_brief(g)),
    lambda g: write_snippet(_brief(g), _DOCUMENTS[0], None),
    lambda g: write_snippet(_brief(g), _DOCUMENTS[1], _notes(g)),
    lambda g: propose_schema(_brief(g), _notes(g)),
    lambda g: parse_document(_brief(g), _SCHEMA, _notes(g), _DOCUMENTS[0]),
    lambda g: choose_query(_brief(g), _WHOLE),
    lambda g: answer_directly(_brief(g), _WHOLE),
    lambda g: answer_from_notes(_brief(g), _WHOLE),
    lambda g: revise_schema(_brief(g), _SCHEMA, "also the price"),
)


def read_replies(data: bytes) -> None:
    """The first byte says which stage asks, the second how replies end; then replies, the last one again and again."""
    which, ends, said = (data + b"\0\0")[0], (data + b"\0\0")[1], data[2:]
    guidance = list(Guidance)[which // len(_STAGES) % len(Guidance)]
    finish = Finish.CUT_OFF if ends % 4 == 3 else Finish.COMPLETE
    replies = [Reply(text=part.decode("utf-8", "replace"), finish=finish) for part in said.split(BETWEEN)]
    if ends % 4 == 2:
        try:
            _storable(read_action(replies[0], ()))
        except R3ConError as error:
            _storable(str(error))
        return
    exchange = _STAGES[which % len(_STAGES)](guidance)
    try:
        _storable(next(exchange))
        for turn in range(40):
            _storable(exchange.send(replies[min(turn, len(replies) - 1)]))
        raise AssertionError("it asks without end")
    except StopIteration as end:
        _storable(end.value)
    except R3ConError as error:
        _storable(str(error))


def _storable(value: object) -> None:
    """What cannot be written as JSON in UTF-8 cannot be kept, sent or shown."""
    plain = asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
    json.dumps(plain, ensure_ascii=False, allow_nan=False, default=str).encode()


def _reply_seeds() -> Iterator[bytes]:
    said = [text for script in (harbour_script, inquiry_script) for text in _texts_of(vars(script))][:80]
    texts = [*said, *_WRITTEN]
    for number, text in enumerate(texts):
        for which in range(2 * len(_STAGES)):
            if number % len(_STAGES) == which % len(_STAGES) or text in _WRITTEN:
                yield bytes([which, 0]) + text.encode()
    yield bytes([0, 2]) + b"I look.\n```python\nprint(records)\n```"


def _texts_of(names: Mapping[str, object]) -> Iterator[str]:
    for value in names.values():
        if isinstance(value, str) and value.lstrip().startswith("{"):
            yield value
        elif isinstance(value, Mapping):
            yield from (text for text in value.values() if isinstance(text, str))


_WRITTEN = (
    '{"look_for": ["boats", "sums"]}',
    '{"document_is": "a memo", "facts": ["The Petrel landed 40 cases (see Document 2)."]}',
    (
        '{"reason": "r", "record_types": [{"name": "Landing", "meaning": "one", "why": "w", "fields": [{"name": "boat", '
        '"meaning": "which", "why": "w", "kind": "list of groups", "options": ["a"], "refers_to": null, "fields": []}]}]}'
    ),
    '{"row_is": "one landing", "table_name": "Landings", "columns": [{"name": "boat", "type": "text", "meaning": "m"}]}',
    (
        '{"Landing": [{"quotes": ["the Petrel landed 40 cases"], "said_by": null, "certainty": "stated", "boat": "Petrel", '
        '"day": "1931-03-04", "cases": 40}]}'
    ),
    (
        '{"thought": "t", "records_of": "Landing", "keep_if": [{"field": "boat", "test": "contains", "value": "Pet"}], '
        '"compute": "sum", "over": "cases"}'
    ),
    '{"thought": "t", "sentences": [{"text": "It landed 40 cases.", "records": ["R1"]}]}',
    (
        '{"reason": "r", "edits": [{"edit": "add_field", "record_type": "Landing", "field": "price", "name": "price", '
        '"kind": "number", "meaning": "m", "why": "w", "to": null, "options": null}]}'
    ),
    "<think>so</think>```json\n{}\n```",
    '{"a": [1, 2, {"b": "\\ud800"}], "c": 1e999, "d": NaN}',
)


# What a server sends


def read_server(data: bytes) -> None:
    """A whole body, or pieces of a stream, as JSON that a server made up."""
    values = [_decoded(part) for part in data.split(BETWEEN)]
    for value in values:
        _heard(lambda value=value: read_whole(value))  # type: ignore[misc]
    _heard(lambda: gather(values, lambda: False))


def _heard(read: Callable[[], Heard]) -> None:
    try:
        heard = read()
    except Troubled:
        return
    prompt = next(find_focus(_brief(Guidance.TASK)))
    _storable([split_thinking(whole_letters(heard.text)), asdict(usage_of(heard, prompt))])


def _decoded(part: bytes) -> Any:
    try:
        return json.loads(part)
    except (ValueError, RecursionError):
        return part.decode("utf-8", "replace")


def _server_seeds() -> Iterator[bytes]:
    choice: dict[str, Any] = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hello"}}
    usage = {"prompt_tokens": 5, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 3}}
    yield json.dumps({"id": "1", "choices": [choice], "usage": usage}).encode()
    delta = {"choices": [{"index": 0, "delta": {"content": "He"}, "finish_reason": None}]}
    end = {"choices": [{"index": 0, "delta": {"reasoning_content": "x"}, "finish_reason": "length"}], "usage": usage}
    yield BETWEEN.join(json.dumps(piece).encode() for piece in (delta, end))


# Schemas


def read_schemas(data: bytes) -> None:
    """A pasted or opened schema; one that is read can be shown, sent, exported, and is read again as itself."""
    try:
        found = read_schema_file(data)
    except SchemaError as error:
        _storable([str(error), *error.path])
        return
    schema = found.schema
    _storable([asdict(schema), outline(schema), json_schema(schema), found.adjustments])
    assert load(dump(schema, Schema), Schema) == schema
    again = read_schema(json.dumps(json_schema_file(schema), ensure_ascii=False)).schema
    assert [t.name for t in again.record_types] == [t.name for t in schema.record_types]
    read_schema(pydantic_source(schema))


def _schema_seeds() -> Iterator[bytes]:
    yield json.dumps(json_schema_file(_SCHEMA)).encode()
    yield json.dumps(asdict(_SCHEMA), default=str).encode()
    yield dump(_SCHEMA, Schema).encode()
    yield pydantic_source(_SCHEMA).encode()
    yield (
        b"from typing import Literal, Optional\nfrom pydantic import BaseModel, Field\nclass Person(BaseModel):\n"
        b'    """One person."""\n    name: str = Field(description="who")\n    kind: Literal["a", "b"] | None = None\n'
        b'    friends: list["Person"] = []\n    at: dict[str, int] = {}\n'
    )
    yield json.dumps(
        {
            "$defs": {"P": {"type": "object", "properties": {"n": {"type": ["string", "null"], "format": "date"}}}},
            "type": "object",
            "properties": {"ps": {"type": "array", "items": {"$ref": "#/$defs/P"}}, "k": {"enum": ["a", 1, None]}},
        }
    ).encode()


# Quotes


def locate_quotes(data: bytes) -> None:
    """A quote, a document, another one; places found are within the text and say what stands there."""
    quote, text, other = (*data.split(BETWEEN, 2), b"", b"")[:3]
    texts = [part.decode("utf-8", "replace") for part in (text, other)]
    document, another = (text_document(each or " ", path=f"{n}.txt") for n, each in enumerate(texts))
    wanted = quote.decode("utf-8", "replace")
    third = len(document.text) // 3
    for within in (None, Span(start=third, end=2 * third + 1)):
        _check_evidence(locate(wanted, document, (another,), within), document, another)


def _check_evidence(found: Evidence, document: Document, another: Document) -> None:
    match found:
        case Grounded(span=span, match=match, quote=quote):
            assert 0 <= span.start < span.end <= len(document.text)
            if match is Match.EXACT:
                assert document.text[span.start : span.end] == quote
        case Misplaced(found=elsewhere):
            assert 0 <= elsewhere.span.start < elsewhere.span.end <= len(another.text)
        case Ungrounded():
            pass
    _storable(found)
    assert load(dump(found, Evidence), Evidence) == found


def _quote_seeds() -> Iterator[bytes]:
    text = "On the “4th of March” the Pe\u00adtrel lan-\nded  40 ﬁne cases — at the quay; nobody   was\u00a0there. " * 3
    for quote in (
        'the "4th of March"',
        "Petrel landed 40 fine cases - at the quay",
        "nobody was there",
        "40",
        "\u00ad",
    ):
        yield BETWEEN.join(part.encode() for part in (quote, text, "Elsewhere nobody was there."))
    yield BETWEEN.join(part.encode() for part in ("שלום עולם", "אמר שלום  עולם", "中文没有空格"))


# Codec

_KINDS: tuple[Any, ...] = (
    *(Schema, SchemaEdit, RunSettings, Proposed, tuple[Sentence, ...], tuple[Evidence, ...]),
    *(tuple[Unit, ...], tuple[Finding, ...], MergeNames, Hint),
)


def decode_rows(data: bytes) -> None:
    """What the store's columns may hold: read as itself or refused, never something else."""
    if not data:
        return
    kind, text = _KINDS[data[0] % len(_KINDS)], data[1:].decode("utf-8", "replace")
    try:
        value = load(text, kind)
    except (ValidationError, R3ConError):
        return
    written = dump(value, kind)
    written.encode()
    assert load(written, kind) == value


def _codec_seeds() -> Iterator[bytes]:
    values: tuple[Any, ...] = (
        _SCHEMA,
        AddField(parent=("Landing",), field=_SCHEMA.record_types[0].fields[0]),
        RunSettings(model="m"),
        Proposed(text="It was.", cites=("R1",)),
        (Sentence(text="It was.", record_ids=("rec-1",)),),
        _RECORD.evidence,
        _DOCUMENTS[0].units,
        (),
        MergeNames(record_type="Landing", names=("a", "b"), name="a"),
        Hint(round=2, text="look"),
    )
    for number, (kind, value) in enumerate(zip(_KINDS, values, strict=True)):
        yield bytes([number]) + dump(value, kind).encode()


# Bundles


@cache
def _bundle() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        project, run_id = finished_harbour(Path(folder))
        made = export_run(project, run_id)
        project.close()
    return made


@cache
def _members() -> dict[str, bytes]:
    return members_of(_bundle())


def open_bundles(data: bytes) -> None:
    """A run file as it came, or a good one of which one member is damaged and all hashes are made to fit.

    First byte: which member (255: the data is the file), then four bytes of place, one of length, then what is put there.
    """
    head, patch = (data[:6] + bytes(6))[:6], data[6:]
    names = sorted(_members())
    made = data[1:] if head[0] == 255 else _patched(names[head[0] % len(names)], head, patch)
    with tempfile.TemporaryDirectory() as folder:
        try:
            import_run(Path(folder), made).close()
        except R3ConError as error:
            _storable(str(error))
            assert list((Path(folder) / "projects").glob("*")) == [], "nothing is left behind"
    try:
        _storable([str(check) for check in verify_bundle(made).checks])
    except R3ConError as error:
        _storable(str(error))


def _patched(name: str, head: bytes, patch: bytes) -> bytes:
    member = _members()[name]
    place = int.from_bytes(head[1:5]) % (len(member) + 1)
    changed = member[:place] + patch + member[place + head[5] :]
    try:
        return packed(rehashed({**_members(), name: changed}))
    except (ValueError, ValidationError):  # the manifest itself is what was damaged
        return packed({**_members(), name: changed})


def _bundle_seeds() -> Iterator[bytes]:
    yield b"\xff" + _bundle()
    for number in range(len(_members())):
        yield bytes([number, 0, 0, 4, 200, 8]) + b"\x00\xff\x01zz"
        yield bytes([number, 0, 0, 0, 60, 1]) + b'"'


TARGETS = (
    Target(
        name="replies",
        attempt=read_replies,
        seeds=_reply_seeds,
        words=(
            '"',
            "{",
            "}",
            "[",
            "]",
            "null",
            ",",
            ":",
            "\\ud83d",
            "\\u0000",
            "```",
            "NaN",
            "R1",
            "[R1, R3]",
            "-1e400",
        ),
    ),
    Target(
        name="server", attempt=read_server, seeds=_server_seeds, words=("null", "[]", "{}", '"content"', "1e999", "-1")
    ),
    Target(
        name="schemas",
        attempt=read_schemas,
        seeds=_schema_seeds,
        words=(
            "$ref",
            "#/$defs/P",
            "class ",
            "list[",
            "]",
            ": str",
            "\n    ",
            "anyOf",
            "[[[[",
            "((((",
            "Optional[",
            "\\",
        ),
    ),
    Target(
        name="quotes",
        attempt=locate_quotes,
        seeds=_quote_seeds,
        words=("\u00ad", "\u200b", "ﬁ", "İ", "ß", "-\n", "“", "\u0301", "\u202e", "ǅ", "㍿", "  "),
    ),
    Target(
        name="codec", attempt=decode_rows, seeds=_codec_seeds, words=("null", "1e999", "-0", '"', "{}", "[]", "\\ud800")
    ),
    Target(
        name="bundles", attempt=open_bundles, seeds=_bundle_seeds, words=("\x00", "\xff", "SQLite format 3\x00", "PK")
    ),
)


def changed(seed: bytes, others: Sequence[bytes], words: Sequence[str], chance: random.Random) -> bytes:
    """`seed` with some bytes flipped, cut out, doubled, or replaced by words or by parts of other seeds."""
    made = bytearray(seed)
    for _ in range(chance.choice((1, 1, 2, 3, 5, 9))):
        start = chance.randrange(len(made) + 1)
        length = min(chance.choice((0, 1, 1, 2, 4, 8, 30)), len(made) - start)
        match chance.randrange(5):
            case 0:
                made[start : start + length] = chance.randbytes(length)
            case 1:
                del made[start : start + length]
            case 2:
                made[start:start] = made[start : start + length] * chance.choice((1, 2, 50))
            case 3 if words:
                made[start : start + length] = chance.choice(words).encode("utf-8", "replace")
            case _:
                other = chance.choice(others)
                begin = chance.randrange(len(other) + 1)
                made[start : start + length] = other[begin : begin + chance.choice((1, 4, 20, 200))]
    return bytes(made)
