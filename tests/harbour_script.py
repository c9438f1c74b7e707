"""Scripted replies for the harbour corpus: what a careful model would say at each stage, for fakes and for the browser.

`answer_harbour(messages, response_format)` tells the stage from the prompt's own words and raises on a prompt it has
no reply for, so that a changed prompt is noticed.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

QUESTION = "How many cases did the launch Petrel land at Lime Quay in March 1931, and in which nights?"

LOOK_FOR = [
    "landings of cases with night and place",
    "names and marks of launches",
    "who was where at night",
    "payments",
]

ROUND_1 = {
    1: "Newspaper article, Skerrow Courier, 21 March 1931. Alfred Penn saw a grey launch with a patched funnel at Lime "
    "Quay in the night of 17 March 1931 and says it landed 40 cases. No name was seen; some name the Heron.",
    2: "Note on the tides, March 1931: Lime Quay can be used only within two hours of high water; high water in the "
    "night of 3 March at 1.00 a.m., 17 March at 12.20 a.m., 19 March at 2.00 a.m.",
    3: "Carter's bill by Samuel Dunnock. A launch landed 25 cases at Lime Quay in the night of 19 March 1931; he carted "
    "them to The Anchor.",
    4: "Letter of the harbour master Edwin Quill, 24 March 1931. He denies that any launch left her mooring or that "
    "anything was landed at Lime Quay in the night of 19 March 1931.",
    5: "Customs entry no. 118: the Heron landed 30 cases of lamp glass at Town Quay on 16 March 1931, duty paid.",
    6: "Letter of Josiah Venn, 5 March 1931: the Petrel landed 20 cases at Lime Quay in the night of 3 March 1931. Her "
    "funnel burned through and her white paint shows; she goes to Tolman's yard.",
    7: "Letter of Ida Sorrel, 22 March 1931: the Heron has no funnel and was on the slip from 17 until 20 March 1931.",
    8: "Watchman's log: the Petrel left her mooring in the nights of 3 and 19 March; no watch was kept on 17 March.",
    9: "Boatyard bill: the Petrel's funnel was patched and her hull painted grey; she left the yard on 14 March 1931.",
    10: "Letter of J. V., 28 March 1931: he paid Mr. Quill 12 pounds on 21 March 1931 for what he wrote to the Customs.",
}
ROUND_2 = {
    **ROUND_1,
    1: "Newspaper article, Skerrow Courier, 21 March 1931. Alfred Penn saw a grey launch with a patched funnel land 40 "
    "cases at Lime Quay in the night of 17 March 1931. The patch and the colour are those of the Petrel after her time "
    "in the yard (see Document 9); it was not the Heron, which has no funnel (see Document 7).",
    3: "Carter's bill by Samuel Dunnock. A launch landed 25 cases at Lime Quay in the night of 19 March 1931. Only the "
    "Petrel left her mooring in that night (see Document 8).",
    2: "",
}

SCHEMA: dict[str, Any] = {
    "reason": "The task asks for landings by one launch: each landing with its night, place, launch and number of cases "
    "is one record. A payment may show why a statement is false.",
    "record_types": [
        {
            "name": "Landing",
            "meaning": "one landing of goods from a launch",
            "fields": [
                {"name": "what", "meaning": "the landing in a few words", "kind": "text"},
                {
                    "name": "launch",
                    "meaning": "the launch that landed them",
                    "kind": "reference",
                    "refers_to": "Launch",
                },
                {"name": "cases", "meaning": "number of cases", "kind": "integer"},
                {"name": "night", "meaning": "the night of the landing", "kind": "date"},
                {"name": "place", "meaning": "the quay", "kind": "text"},
            ],
        },
        {
            "name": "Launch",
            "meaning": "one launch and the marks she is known by",
            "fields": [
                {"name": "name", "meaning": "her name", "kind": "text"},
                {"name": "owner", "meaning": "who owns her", "kind": "text"},
                {
                    "name": "marks",
                    "meaning": "what she looks like",
                    "kind": "group",
                    "fields": [
                        {"name": "colour", "meaning": "of the hull", "kind": "text"},
                        {"name": "funnel", "meaning": "state of the funnel", "kind": "text"},
                    ],
                },
            ],
        },
    ],
}
for _type in SCHEMA["record_types"]:
    for _field in _type["fields"]:
        _field.setdefault("options", None)
        _field.setdefault("refers_to", None)
        _field.setdefault("fields", None)
        for _inner in _field["fields"] or ():
            _inner.setdefault("options", None)
            _inner.setdefault("refers_to", None)


def _landing(
    quote: str, launch: str | None, cases: int, day: int, place: str = "Lime Quay", **about: object
) -> dict[str, object]:
    return {
        "quotes": [quote],
        "said_by": about.get("said_by"),
        "certainty": about.get("certainty", "stated"),
        "what": f"landing of {cases} cases",
        "launch": launch,
        "cases": cases,
        "night": f"1931-03-{day:02}",
        "place": place,
    }


def _launch(quote: str, name: str, owner: str | None, colour: str | None, funnel: str | None) -> dict[str, object]:
    return {
        "quotes": [quote],
        "said_by": None,
        "certainty": "stated",
        "name": name,
        "owner": owner,
        "marks": {"colour": colour, "funnel": funnel},
    }


LANDINGS = {
    1: [
        _landing(
            "The grey launch landed 40 cases at Lime Quay",
            "Petrel",
            40,
            17,
            said_by="Alfred Penn",
            certainty="inferred",
        )
    ],
    3: [
        _landing(
            "A launch landed 25 cases at Lime Quay in the night of 19 March 1931.",
            "Petrel",
            25,
            19,
            certainty="inferred",
        )
    ],
    5: [
        _landing("The Heron landed 30 cases of lamp glass at Town Quay on 16 March 1931.", "Heron", 30, 16, "Town Quay")
    ],
    6: [_landing("The Petrel landed 20 cases at Lime Quay in the night of 3 March 1931.", "Petrel", 20, 3)],
    10: [_landing("She landed 50 cases in the night of 31 March", "Petrel", 50, 31)],
}
"""The last one is invented: its quote is in no document, so it must be set aside."""
LAUNCHES = {
    7: [_launch("She has no funnel, patched or whole, and never had one.", "Heron", "Ida Sorrel", None, "none")],
    9: [_launch("now a grey launch with a patched funnel and no name", "Petrel", "Josiah Venn", "grey", "patched")],
}

LOOK = (
    "for row in records['Landing']:\n    print(row['record'], row['launch'], row['cases'], row['night'], row['place'])"
)
CONCLUDE = """petrel = [r for r in records["Landing"] if r["launch"] == "Petrel" and r["place"] == "Lime Quay"]
total = sum(r["cases"] for r in petrel)
parts = " ".join(f"On the night of {r['night']} it was {r['cases']} cases [{r['record']}]." for r in petrel)
labels = [r["record"] for r in petrel]
answer(f"The Petrel landed {total} cases at Lime Quay in March 1931 [{', '.join(labels)}]. {parts}", labels)"""


def answer_harbour(messages: Sequence[dict[str, str]], response_format: dict[str, object] | None = None) -> str:
    """The scripted reply to one prompt about the harbour corpus."""
    told, last = "\n\n".join(message["content"] for message in messages[:2]), messages[-1]["content"]
    if "You prepare other readers" in told:
        return json.dumps({"look_for": LOOK_FOR})
    if "You read ONE document of the collection" in told:
        number = _number(told)
        said = (ROUND_2 if "again, now that you know" in last else ROUND_1)[number]
        return json.dumps({"document_is": "", "facts": [said] if said else []})
    if "You design the tables" in told:
        return json.dumps(SCHEMA)
    if "fill records from it" in told:
        number = _number(told)
        return json.dumps({"Landing": LANDINGS.get(number, []), "Launch": LAUNCHES.get(number, [])})
    if answer := _answer(told, len(messages)):
        return answer
    if "connection" in last.casefold() or "reply with" in last.casefold():
        return "ready"
    raise AssertionError(f"no scripted reply for: {told[:200]} … {last[:200]}")


def _answer(told: str, messages: int) -> str:
    """The reply to a prompt that asks for an answer; "" to any other."""
    if "by writing Python" in told:
        return _step(messages)
    thought, said = "add the landings", {"text": "The Petrel landed 85 cases."}
    if "You answer a task from notes" in told:
        return json.dumps({"thought": thought, "sentences": [said]})
    if "You answer a task from records" in told:
        return json.dumps({"thought": thought, "sentences": [{**said, "records": ["R1", "R2", "R4"]}]})
    return ""


def _number(text: str) -> int:
    found = re.search(r"Your document(?:, part \d+ of \d+)?:\n<[\w-]+ document>\nTitle: (\d+)[ _]", text)
    assert found, "the prompt names its document, whose title begins with its number"
    return int(found.group(1))


def _step(length: int) -> str:
    if length <= 2:
        return f"First I look at the landings.\n```python\n{LOOK}\n```"
    return f"Three landings are the Petrel's; the Heron used Town Quay by day.\n```python\n{CONCLUDE}\n```"
