"""A large project for `screens.py`, made through the store: documents, records with quotes, a graph, an answer.

Everything follows from numbers, so that it is the same each time.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from r3con_core.answers import Answer, Execution, Mode, Sentence, Step
from r3con_core.documents import Document, Source, Span, make_document
from r3con_core.evidence import Evidence, Grounded, Match
from r3con_core.jobs import ModelChoice, RunChoices, create_run
from r3con_core.records import Certainty, Record, Value, record_id
from r3con_core.runs import RunState
from r3con_core.schemas import Choice, Field, Group, Kind, ListOf, RecordType, Reference, Scalar, ScalarType, Schema
from r3con_core.snippets import Author
from r3con_core.store import runs as run_rows
from r3con_core.store.answers import save_answer, save_step
from r3con_core.store.codec import dump
from r3con_core.store.documents import LedgerEntry, add_documents
from r3con_core.store.project import Project, create_project
from r3con_core.store.schemas import accept_schema, save_schema

QUESTION = "Who paid whom through the companies of the Lime Quay, and who met about it?"
COMPANIES, PEOPLE = 400, 100
"""Together the nodes of the graph."""
RECORDS_EACH = 10
"""Of every document."""
LONG_WORDS = 60_000
"""Of the first document."""
PURPOSES = ("consulting", "freight", "rent", "repairs", "loan")


def field(name: str, meaning: str, kind: Kind | None = None) -> Field:
    """A field, of text unless said otherwise."""
    return Field(name=name, meaning=meaning, kind=kind or Scalar())


SCHEMA = Schema(
    record_types=(
        RecordType(
            name="Payment",
            meaning="one payment",
            fields=(
                field("what", "the payment in short"),
                field("payer", "who paid", Reference(record_type="Company")),
                field("payee", "who was paid", Reference(record_type="Company")),
                field("amount", "in euros", Scalar(of=ScalarType.NUMBER)),
                field("paid", "the day", Scalar(of=ScalarType.DATE)),
                field("purpose", "what for", Choice(options=PURPOSES)),
            ),
        ),
        RecordType(
            name="Company",
            meaning="one company",
            fields=(
                field("name", "its name"),
                field("seat", "where it sits", Group(fields=(field("town", "town"), field("street", "street")))),
            ),
        ),
        RecordType(
            name="Meeting",
            meaning="one meeting",
            fields=(
                field("what", "the meeting in short"),
                field("people", "who met", ListOf(item=Reference(record_type="Person"))),
                field("company", "about whom", Reference(record_type="Company")),
                field("day", "when", Scalar(of=ScalarType.DATE)),
            ),
        ),
        RecordType(name="Person", meaning="one person", fields=(field("name", "the name"),)),
    )
)


def company(number: int) -> str:
    """The name of one of the companies."""
    number %= COMPANIES
    return f"{('North', 'Lime', 'Harbour', 'Gull', 'Tern')[number % 5]} Trading {number}"


def person(number: int) -> str:
    """The name of one of the people."""
    number %= PEOPLE
    return f"{('Ada', 'Josiah', 'Ida', 'Alfred')[number % 4]} Quill {number}"


Said = tuple[str, dict[str, Value], str]
"""A record's type, its values, the sentence that states it."""


def said_in(number: int) -> Iterator[Said]:
    """The ten things that a document says."""
    for place in range(7):
        yield _payment(number * 7 + place)
    for place in range(2):
        name, street = company(number * 2 + place), f"{number % 90 + 1} Quay Street"
        seat: dict[str, Value] = {"town": f"Port {number % 12}", "street": street}
        yield "Company", {"name": name, "seat": seat}, f"{name} sits at {street} in Port {number % 12}."
    yield _meeting(number)


def _payment(number: int) -> Said:
    payer, payee = company(number), company(number * number % 397 + number % 3)
    amount, purpose = number * 37 % 90_000 + 100, PURPOSES[number % 5]
    paid = (f"19{30 + number % 9}-{number % 12 + 1:02}-{number % 28 + 1:02}", f"19{30 + number % 9}")[number % 11 == 0]
    values: dict[str, Value] = {
        "what": f"payment {number}", "payer": payer, "payee": payee, "amount": float(amount), "paid": paid,
        "purpose": purpose,
    }  # fmt: skip
    return "Payment", values, f"{payer} paid {amount} euros to {payee} for {purpose}, payment {number}, on {paid}."


def _meeting(number: int) -> Said:
    people, about = [person(number), person(number * 7 + 1)], company(number * 3)
    day = f"19{30 + number % 9}-{number % 12 + 1:02}"
    values: dict[str, Value] = {"what": f"meeting {number}", "people": [*people], "company": about, "day": day}
    return "Meeting", values, f"{people[0]} met {people[1]} about {about}, meeting {number}, in {day}."


def document_of(number: int) -> tuple[Document, tuple[Record, ...]]:
    """A document and its records, each with the place of its sentence."""
    said = list(said_in(number))
    words = LONG_WORDS // len(said) if number == 0 else 12
    filler = " ".join(f"Filler {word} of the file." for word in range(words // 5))
    text = "\n\n".join(f"{sentence} {filler}" for _, _, sentence in said)
    source = Source(path=f"box {number // 500}/{number}.txt", sha256=f"{number:064x}", media_type="text/plain")
    document = make_document(title=f"Letter {number}", text=text, source=source)
    return document, tuple(_record(one, at, document) for at, one in enumerate(said))


def _record(said: Said, at: int, document: Document) -> Record:
    kind, values, sentence = said
    start = document.text.index(sentence)
    place = Span(start=start, end=start + len(sentence))
    quote = Grounded(quote=sentence, document_id=document.id, span=place, match=Match.EXACT)
    return Record(
        id=record_id(record_type=kind, document_id=document.id, values=values, quotes=(sentence,)),
        type=kind,
        document_id=document.id,
        values=values,
        evidence=(quote,),
        said_by=person(at),
        certainty=tuple(Certainty)[at % 4],
    )


def make_project(root: Path, documents: int) -> tuple[Project, str, Record]:
    """A project with an answered run, its id, and a record of the long document."""
    made = [document_of(number) for number in range(documents)]
    project = create_project(root, "Large")
    texts = [document for document, _ in made]
    add_documents(project, texts, [_line(document) for document in texts])
    choice = ModelChoice(model="scripted", base_url="http://127.0.0.1:9/v1")
    run_id = create_run(project, QUESTION, RunChoices(reading=choice, straight_through=True)).id
    run_rows.set_state(project, run_id, RunState.RELEVANCE)
    run_rows.set_state(project, run_id, RunState.SCHEMA)
    save_schema(project, run_id, SCHEMA, author=Author.MODEL, reason="It names who paid whom.")
    accept_schema(project, run_id)
    run_rows.set_state(project, run_id, RunState.PARSING)
    _fill(project, run_id, made)
    run_rows.set_state(project, run_id, RunState.REASONING)
    _conclude(project, run_id, [records for _, records in made])
    run_rows.set_state(project, run_id, RunState.DONE)
    return project, run_id, made[0][1][5]


def _fill(project: Project, run_id: str, made: list[tuple[Document, tuple[Record, ...]]]) -> None:
    """Snippets and records in one transaction: one by one, as a run keeps them, takes minutes."""
    snippets = [
        (run_id, round_number, document.id, f"{company(number)} paid; {person(number)} met.", "model", "[]", "[]", 1, 0)
        for round_number in (1, 2)
        for number, (document, _) in enumerate(made)
    ]
    records = [
        (
            *(run_id, record.id, at, record.type, record.document_id, json.dumps(record.values)),
            *(dump(record.evidence, tuple[Evidence, ...]), record.said_by, record.certainty.value, "[]", 1),
        )
        for _, records in made
        for at, record in enumerate(records)
    ]
    with project.change() as db:
        db.executemany("insert into snippets values (?, ?, ?, ?, ?, ?, ?, ?, ?)", snippets)
        db.executemany("insert into records values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", records)
        db.executemany(
            "insert into parsed (run_id, document_id, seq) values (?, ?, 1)", [(run_id, d.id) for d, _ in made]
        )


def _line(document: Document) -> LedgerEntry:
    return LedgerEntry(path=document.source.path, outcome="read", reason="", document_id=document.id)


def _conclude(project: Project, run_id: str, records: list[tuple[Record, ...]]) -> None:
    sentences = tuple(
        Sentence(
            text=f"{company(number)} paid {company(number + 1)}. ",
            record_ids=tuple(record.id for those in records[number::200][:25] for record in those[:2]),
        )
        for number in range(12)
    )
    code = "for payment in payments[:5]:\n    print(payment.payer, payment.amount)"
    step = Step(number=1, thought="Sum what was paid.", code=code, execution=Execution(output="North Trading 0 137.0"))
    save_step(project, run_id, step)
    text = "".join(sentence.text for sentence in sentences)
    save_answer(project, run_id, Answer(text=text, sentences=sentences, mode=Mode.CODING))
