"""Scripted replies about schemas that people change: records of what is asked for, and edits for one sentence."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.inquiry_script import answer_inquiry, document_number, records_of

WISH = "add the day a contract ends, and say whether a payment was in cash"
WHYS = {
    "Contract": "the task compares what was agreed with what was paid",
    "price": "the agreed price, to compare with the final sum",
    "work": "joins a contract with its final account",
}


def _edit(do: str, where: str, **said: object) -> dict[str, object]:
    nothing = dict.fromkeys(("name", "meaning", "why", "kind", "options", "refers_to"))
    return {"do": do, "where": where, **nothing, **said}


REVISION = {
    "reason": "Adds a day to contracts and a mark to payments.",
    "edits": [
        _edit("add field", "Contract", name="ends", meaning="the day it ends", why="to see delays", kind="date"),
        _edit("add field", "Payment", name="in_cash", meaning="paid in cash", why="as you asked", kind="yes-no"),
    ],
}


def answer_edited(messages: Sequence[Mapping[str, str]], response_format: dict[str, Any] | None = None) -> str:
    """The inquiry's replies, but for schemas with reasons, and with what a changed schema asks for."""
    told = "\n\n".join(message["content"] for message in messages[:2])
    if messages[0]["role"] == "user":
        return "ready"  # the client looks how the server counts tokens
    if "You change the tables" in told:
        return json.dumps(REVISION)
    reply = answer_inquiry(messages, response_format)
    if "You design the tables" in told:
        return json.dumps(_with_reasons(json.loads(reply)))
    if "fill records from it" in told and response_format:
        asked = response_format["json_schema"]["schema"]["properties"]
        said = records_of(document_number(told))
        return json.dumps({name: [_filled(one, asked[name]["items"]) for one in said.get(name, [])] for name in asked})
    return reply


def _filled(record: Mapping[str, object], shape: Mapping[str, Any]) -> dict[str, object]:
    return {name: record.get(name) for name in shape["properties"]}


def _with_reasons(schema: dict[str, Any]) -> dict[str, Any]:
    for record_type in schema["record_types"]:
        record_type["why"] = WHYS.get(record_type["name"], "")
        for field in record_type["fields"]:
            field["why"] = WHYS.get(field["name"], "")
    return schema
