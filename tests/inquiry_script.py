"""Scripted replies for the inquiry corpus (its second task): what a careful model would say, with some planted faults.

`answer_inquiry(messages, response_format)` tells the stage from the prompt's own words and raises on a prompt it has
no reply for, so that a changed prompt is noticed. The records and their faults are in `tests/inquiry_records.py`; the
answer has, beside sentences that rest on records, one that names a person no cited record names and one that cites
nothing.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from tests.inquiry_records import RECORDS

QUESTION = (
    "Of the three flood works with a final account, which one exceeded its contract price by the largest share, by how "
    "many euros and by how many per cent?"
)
LOOK_FOR = ["contract prices", "final sums of works", "corrections of prices", "who owns and pays whom"]

TITLES = {
    2: '"We have stopped printing tenders',
    3: "Saint Brice Choir",
    7: "City Council of Brenmark",
    8: "Re: first one",
    13: "New gates, new bill",
    14: "Ael Marine Works - About us",
    19: "City of Brenmark, Press Office",
    20: "The Dyke Rat",
    21: "Mill Weir, final account",
    25: "Works Department, Brenmark",
    26: "BR-2021-02 South Dyke",
    30: "your invoice SL-2020-02",
    32: "Final account, contract BR-2020-05",
    34: "City auditor, Brenmark",
    35: "I am the Marek with the diesel",
    37: "Re: SL-2021-02",
    38: "Re: the lake house",
    39: "Audit committee of the City Council",
}
"""Number -> how the title begins, of the documents that have a title of their own; the others' is their file name."""

ROUND_1: dict[int, str] = {
    1: "Notice of award: the contract BR-2019-04 for the North Dyke was signed with Feldbau Ltd on 22 March 2019 at a "
    "contract price of 1,800,000 euros.",
    2: "Interview with Lena Farrow of Delta Works Ltd, which got the drains in Chapel Lane for 310,000 euros. She asks "
    "what happens to a price after the contract is signed.",
    5: "Contract BR-2019-17 between the City and Ael Marine Works Ltd for four gates: the contract price for Mill Weir "
    "is 1,240,000 euros, signed on 18 October 2019.",
    6: "Register extract: Irena Dolan holds all shares of Northgate Holding Ltd, which holds Silverline Advisory Ltd.",
    7: "Council minutes: the contract BR-2020-05 for the East Pumping Station was signed with Feldbau Ltd on 28 "
    "February 2020; its contract price is 2,400,000 euros.",
    9: "List of the Procurement Office for 2020: East Pumping Station 2400000, Harbour Wall 1650000, fish ladder 295000 "
    "awarded, state of 30 September 2020.",
    10: "Contract BR-2018-31: Feldbau Ltd, lighting of the Fish Quay, 184,000 euros, signed on 30 November 2018.",
    11: "Bank statement of Silverline Advisory for 2019: FELDBAU LTD paid 18000.00, AEL MARINE WORKS LTD 12400.00.",
    12: "Final account of the North Dyke: the final sum is 1,890,000 euros, of which 90,000 are additional works for a "
    "cellar.",
    13: "Newspaper article: according to a list that the Herald has seen, the city signed for 1,420,000 euros for Mill "
    "Weir; the final bill is 1,612,000 euros, a good eighth more. Seven additional orders.",
    15: "Register extract: Feldbau Ltd belongs to Jonas Feld (80 per cent) and Greta Feld (20 per cent); not to be "
    "confused with Feldmann Bau.",
    16: "Letter of the clerk: the award of BR-2020-09 to Feldbau Ltd is withdrawn before signature.",
    17: "Invoice SL-2020-01 of Silverline Advisory to Feldbau Ltd over 24,000 euros, paid on 20 March 2020.",
    18: "Letter without a name: three payments to Silverline Advisory, each one in the hundred of a contract.",
    19: "Statement of the press office, 14 May 2021: no flood work of the City has cost more than a tenth above its "
    "contract price.",
    21: "Mail of Elias Thorn: the final sum for Mill Weir is 1,612,000 euros. Seven orders for additional works, five "
    "of which reached the department after the concrete was dry.",
    23: "Register extract: Feldbau Ltd held all shares of Ael Marine Works Ltd from 4 February 2019 to 18 December 2020.",
    24: "A bank statement for 2020: FELDBAU LTD paid 24000.00 and DELTA WORKS LTD 1800.00; PAGE 3 OF 4 IS MISSING.",
    25: "Inspection of Mill Weir, 12 April 2021: the gates held; why money was spent is not what the report is about.",
    26: "Mail of Anton Marek: the contract BR-2021-02 for the South Dyke was signed on 15 January 2021 at 2,860,000 "
    "euros.",
    27: "Correction of the Herald, 6 March 2021: the contract price for Mill Weir was 1,240,000 euros; two digits had "
    "changed places in the list.",
    29: "Contract BR-2021-06: Ael Marine Works Ltd, city slipway, 700,000 euros, signed on 12 March 2021.",
    30: "Mail of Nora Vind: Ael Marine Works paid 16,500 euros to Silverline Advisory on 15 September 2020; the Harbour "
    "Wall was signed at 1,650,000 euros.",
    31: "Register extract: Northgate Holding Ltd has held all shares of Silverline Advisory Ltd since 11 January 2019.",
    32: "Final account of the East Pumping Station: gross sum 3,341,520, the final sum is 2,808,000 euros, without "
    "value added tax; 408,000 euros additional.",
    33: "Bank statement of Northgate Holding: 25000.00, 34000.00 and 22500.00 went to DOLAN I.",
    34: "Note of the city auditor: three flood works have a final account; she will compare them by their share of the "
    "contract price.",
    36: "A bank statement for 2021: FELDBAU LTD paid 28600.00 on 2021-02-05, invoice SL-2021-01.",
    37: "Mail of Jonas Feld: the invoice of 3 May over 8,000 euros will not be paid.",
    39: "Minutes of the audit committee: the statement of the press office of 14 May cannot be upheld.",
}
ROUND_2: dict[int, str] = {
    **ROUND_1,
    8: "Mail of Jonas Feld: one in the hundred of the contract price is to be paid after each signature, also by the "
    "company on Slip Lane, which is Ael Marine Works (see Document 23).",
    12: "Final account of the North Dyke: the final sum is 1,890,000 euros; the contract price was 1,800,000 euros (see "
    "Document 1).",
    13: "Newspaper article with a wrong price: it says that the city signed for 1,420,000 euros for Mill Weir, but the "
    "contract says 1,240,000 (see Document 5), and the newspaper corrected it (see Document 27). The final bill is "
    "1,612,000 euros.",
    19: "Statement of the press office, 14 May 2021: no flood work of the City has cost more than a tenth above its "
    "contract price. The accounts of Mill Weir (see Document 21) and of the East Pumping Station (see Document 32) say "
    "otherwise.",
    21: "Mail of Elias Thorn: the final sum for Mill Weir is 1,612,000 euros, seven orders for additional works; the "
    "contract price is 1,240,000 euros (see Document 5).",
    25: "",
    32: "Final account of the East Pumping Station: the final sum is 2,808,000 euros, without value added tax; the "
    "contract price was 2,400,000 euros (see Document 7).",
}


def _field(name: str, meaning: str, kind: str = "text", **more: object) -> dict[str, object]:
    plain = {"options": None, "refers_to": None, "fields": None}
    return {"name": name, "meaning": meaning, "kind": kind, **plain, **more}


SCHEMA: dict[str, Any] = {
    "reason": "The task compares what works cost with what was agreed: a contract has the price, a final account the "
    "sum, and the name of the work joins them. Who owns and pays whom shows why a price may have grown.",
    "record_types": [
        {
            "name": "Contract",
            "meaning": "one contract of the City for a work",
            "fields": [
                _field("work", "the work in a few words"),
                _field("number", "the contract's number"),
                _field("contractor", "who does the work", "reference", refers_to="Party"),
                _field("signed", "the day of signature", "date"),
                _field("price", "contract price in euros without tax", "number"),
            ],
        },
        {
            "name": "FinalAccount",
            "meaning": "one account of what a work cost in the end",
            "fields": [
                _field("account", "the account in a few words"),
                _field("work", "the work it is about", "reference", refers_to="Contract"),
                _field("final_sum", "what it cost in euros without tax", "number"),
                _field("closed", "the day of the account", "date"),
                _field("additional_orders", "number of orders for additional works", "integer"),
            ],
        },
        {
            "name": "Payment",
            "meaning": "one payment from one party to another",
            "fields": [
                _field("payment", "the payment in a few words"),
                _field("payer", "who paid", "reference", refers_to="Party"),
                _field("payee", "who was paid", "reference", refers_to="Party"),
                _field("day", "the day of the payment", "date"),
                _field("euros", "how many euros", "number"),
                _field("invoice", "the invoice's number"),
            ],
        },
        {
            "name": "Party",
            "meaning": "one company or person that takes part",
            "fields": [
                _field("name", "its name"),
                _field("kind", "what it is", "choice", options=["company", "person", "office"]),
                _field("owned_by", "who owns it", "reference", refers_to="Party"),
                _field("address", "where it is"),
            ],
        },
    ],
}
NAMES = tuple(record_type["name"] for record_type in SCHEMA["record_types"])

LOOK = """for r in records["Contract"] + records["FinalAccount"]:
    print(r["record"], r["document"], r["certainty"], r["work"], r.get("price") or r.get("final_sum"))"""
COMPUTE = """def first(rows, figure):
    found = {}
    for r in rows:
        if r["certainty"] == "stated" and not r["said_by"] and r[figure]:
            found.setdefault(r["work"], r)
    return found

prices, sums = first(records["Contract"], "price"), first(records["FinalAccount"], "final_sum")
table = []
for work in sorted(set(prices) & set(sums)):
    price, total = prices[work]["price"], sums[work]["final_sum"]
    table.append((work, price, total, total - price, round(100 * (total - price) / price)))
table.sort(key=lambda row: -row[4])
for row in table:
    print(*row, sep=" | ")"""
CONCLUDE = """def cite(work):
    return f"[{prices[work]['record']}, {sums[work]['record']}]"

(work, price, total, more, share), *others = table
told = [f"{work} exceeded its contract price by the largest share: {more:,} euros or {share} per cent, from "
        f"{price:,} to {total:,} euros {cite(work)}."]
for name, low, high, above, part in others:
    told.append(f"The {name} exceeded its price of {low:,} euros by {above:,} euros or {part} per cent {cite(name)}.")
wrong = [r for r in records["Contract"] if r["work"] == work and r["certainty"] == "alleged" and r["price"] != price]
told += [f"A newspaper named a price of {r['price']:,} euros for {work} [{r['record']}]." for r in wrong]
denied = [r for r in records["FinalAccount"] if r["certainty"] == "denied"]
told += [f"The City denied that any flood work cost more than a tenth above its price [{r['record']}]." for r in denied]
told.append(f"Anton Marek signed all 7 orders for additional works at {work} [{sums[work]['record']}].")
told.append("The mayor knew of the largest overrun.")
told.append("For the South Dyke no final account was found in the documents.")
answer(" ".join(told), [])"""


def answer_inquiry(messages: Sequence[Mapping[str, str]], response_format: dict[str, object] | None = None) -> str:
    """The scripted reply to one prompt about the inquiry corpus."""
    told, last = "\n\n".join(message["content"] for message in messages[:2]), messages[-1]["content"]
    if "You prepare other readers" in told:
        return json.dumps({"look_for": LOOK_FOR})
    if "You read ONE document of the collection" in told:
        said = (ROUND_2 if "again, now that you know" in last else ROUND_1).get(document_number(told), "")
        return json.dumps({"document_is": "", "facts": [said] if said else []})
    if "You design the tables" in told:
        return json.dumps(SCHEMA)
    if "fill records from it" in told:
        return json.dumps(records_of(document_number(told)))
    if "by writing Python" in told:
        return _step(len(messages))
    if "You answer a task from" in told:
        return _directly(records="You answer a task from records" in told)
    if "connection" in last.casefold() or "reply with" in last.casefold():
        return "ready"
    raise AssertionError(f"no scripted reply for: {told[:200]} … {last[:200]}")


def _directly(*, records: bool) -> str:
    """An answer without code, from records, or from notes alone where there are none to cite."""
    said: dict[str, Any] = {"text": "Mill Weir exceeded its contract price by 372,000 euros, 30 per cent."}
    return json.dumps(
        {"thought": "compare sums with prices", "sentences": [said | ({"records": []} if records else {})]}
    )


def records_of(number: int) -> dict[str, list[dict[str, Any]]]:
    """The records of one document as a reply gives them: record type -> records."""
    found = RECORDS.get(number, ())
    return {name: [said for record_type, said in found if record_type == name] for name in NAMES}


def document_number(text: str) -> int:
    """The number of the document that a prompt is about, by the title it is given there."""
    found = re.search(r"Your document(?:, part \d+ of \d+)?:\n<[\w-]+ document>\nTitle: (.*)", text)
    assert found, "the prompt names its document"
    title = found.group(1)
    if numbered := re.match(r"(\d\d)[ _]", title):
        return int(numbered.group(1))
    return next(number for number, begins in TITLES.items() if title.startswith(begins))


def _step(length: int) -> str:
    if length <= 2:
        return f"First I look at the prices and the final sums.\n```python\n{LOOK}\n```"
    if length <= 4:
        return f"Three works have both; I compare them by their share of the price.\n```python\n{COMPUTE}\n```"
    return f"Mill Weir is first by share, the East Pumping Station by euros.\n```python\n{CONCLUDE}\n```"
