"""Stage 2, first half: a model's proposal becomes a valid schema, or goes back with its fault."""

import json
from typing import Any

import pytest

from r3con_core.documents import Corpus
from r3con_core.errors import NoUsableReplyError
from r3con_core.exchange import converse
from r3con_core.method.brief import Brief, make_brief
from r3con_core.method.notes import Notes, make_notes
from r3con_core.method.schema import Proposal, proposal_shape, propose_schema
from r3con_core.runs import Guidance, RunSettings
from r3con_core.schema.general import GENERAL_SCHEMA
from r3con_core.schema.names import field_name, type_name
from r3con_core.schema.views import outline
from r3con_core.schemas import ListOf, Reference, Scalar
from r3con_core.snippets import RelevanceSnippet, RelevantContext, Round
from r3con_core.stages import propose
from r3con_core.tasks import make_task
from tests.fakes import Scripted, text_document
from tests.harbour_script import SCHEMA

DOCUMENT = text_document("The Heron landed 30 cases.")
CONTEXT = RelevantContext(
    rounds=(Round(number=1, snippets=(RelevanceSnippet(document_id=DOCUMENT.id, text="A note on the Heron."),)),)
)


def brief(**settings: object) -> Brief:
    return make_brief(make_task("How many?"), Corpus(documents=(DOCUMENT,)), RunSettings(model="m", **settings))  # type: ignore[arg-type]


def notes() -> Notes:
    return make_notes(brief(), CONTEXT.rounds[-1], 1000)


def field(name: str, kind: str, **more: object) -> dict[str, object]:
    return {"name": name, "meaning": "", "kind": kind, "options": None, "refers_to": None, "fields": None, **more}


def proposal(*types: dict[str, Any]) -> str:
    return json.dumps({"reason": "because", "record_types": types})


def record_type(name: str, *fields: dict[str, object]) -> dict[str, Any]:
    return {"name": name, "meaning": "one thing", "fields": list(fields)}


def proposed(reply: str, **settings: object) -> Proposal:
    return converse(propose_schema(brief(**settings), notes()), Scripted(lambda _: reply))


def test_the_model_sees_the_notes_and_not_the_documents() -> None:
    text = next(propose_schema(brief(), notes())).messages[-1].content
    assert "A note on the Heron." in text
    assert DOCUMENT.text not in text


def test_names_are_made_usable() -> None:
    found = proposed(proposal(record_type("landing event", field("Paid on", "date"), field("class", "text"))))
    assert outline(found.schema) == "LandingEvent: one thing\n  - paid_on (date)\n  - class_ (text)"


def test_nesting_and_references_survive() -> None:
    found = proposed(json.dumps(SCHEMA))
    assert found.schema.get("Landing").fields[1].kind == Reference(record_type="Launch")
    assert [f.name for f in found.schema.get("Launch").fields] == ["name", "owner", "marks"]
    assert found.adjustments == ()


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (field("to", "reference", refers_to="Nowhere"), "Landing.to: a reference to no other record type became text."),
        (field("to", "choice", options=["one"]), "Landing.to: a choice without options became text."),
        (field("to", "group", fields=[]), "Landing.to: a group without fields became text."),
    ],
)
def test_a_kind_that_cannot_be_becomes_text_and_is_told(bad: dict[str, object], said: str) -> None:
    found = proposed(proposal(record_type("Landing", field("what", "text"), bad)))
    assert found.schema.get("Landing").fields[1].kind == Scalar()
    assert found.adjustments == (said,)


def test_a_field_every_record_has_anyway_is_left_out() -> None:
    found = proposed(proposal(record_type("Landing", field("what", "text"), field("quotes", "text"))))
    assert [f.name for f in found.schema.get("Landing").fields] == ["what"]


def test_the_first_field_names_the_record() -> None:
    found = proposed(proposal(record_type("Landing", field("goods", "list of text"), field("what", "text"))))
    assert [f.name for f in found.schema.get("Landing").fields] == ["what", "goods"]
    assert isinstance(found.schema.get("Landing").fields[1].kind, ListOf)


def test_an_invalid_reply_goes_back_with_its_fault() -> None:
    exchange = propose_schema(brief(), notes())
    next(exchange)
    model = Scripted(lambda _: '{"reason": "x", "record_types": []}')
    again = exchange.send(model(next(propose_schema(brief(), notes()))))
    assert "record_types" in again.messages[-1].content


def test_without_a_usable_proposal_a_general_schema_is_offered_that_says_so() -> None:
    offered = propose(brief(), CONTEXT, Scripted(lambda _: "no"))
    assert offered.schema == GENERAL_SCHEMA
    assert "general schema is offered" in offered.reason
    with pytest.raises(NoUsableReplyError):
        proposed("no")


def test_a_small_model_is_asked_for_one_table() -> None:
    columns = [
        {"name": n, "meaning": f"the {n}", "kind": k}
        for n, k in (("what", "text"), ("day", "date"), ("who", "text"), ("cases", "integer"))
    ]
    reply = json.dumps({"row_is": "one landing", "table_name": "landings", "columns": columns})
    found = proposed(reply, guidance=Guidance.FOCUS)
    assert [f.name for f in found.schema.get("Landings").fields] == ["what", "day", "who", "cases"]


def test_reasons_are_kept_and_a_reply_without_them_is_as_good() -> None:
    cases = {**field("cases", "integer"), "why": " they are added up "}
    told = {**record_type("Landing", field("what", "text"), cases), "why": "the task counts them"}
    found = proposed(proposal(told)).schema.get("Landing")
    assert (found.why, [f.why for f in found.fields]) == ("the task counts them", ["", "they are added up"])


def test_the_model_is_asked_for_a_reason_of_every_record_type_and_field() -> None:
    fields = proposal_shape()["properties"]["record_types"]["items"]
    assert fields["required"] == ["name", "meaning", "why", "fields"]
    assert "why" in fields["properties"]["fields"]["items"]["required"]


def test_a_separate_reasoning_model_is_asked_for_the_whole_schema() -> None:
    found = proposed(json.dumps(SCHEMA), guidance=Guidance.FOCUS, reasoning_model="large")
    assert len(found.schema.record_types) == 2


def test_the_shape_asks_for_nothing_that_strict_endpoints_refuse() -> None:
    text = json.dumps(proposal_shape())
    assert not any(f'"{word}"' in text for word in ("$ref", "pattern", "format", "anyOf"))


@pytest.mark.parametrize(
    ("given", "name"), [("payment record", "PaymentRecord"), ("2nd thing", "N2ndThing"), ("", "Thing")]
)
def test_record_types_are_named_in_camel_case(given: str, name: str) -> None:
    assert type_name(given).lower() == name.lower()


@pytest.mark.parametrize(("given", "name"), [("paidOn", "paid_on"), ("Zahlung für", "zahlung_für"), ("!", "value")])
def test_fields_are_named_in_snake_case(given: str, name: str) -> None:
    assert field_name(given) == name
