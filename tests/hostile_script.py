"""What an adversary would write into documents, names of files and projects, and a model's replies."""

import json
import re

from r3con_core.exchange import Prompt

HOST = "evil.example"
PAYLOADS = (
    "<a href='http://evil.example/a'>a</a>",
    "<img src=http://evil.example/i.png onerror=alert(1)>",
    "</title></textarea></style></script><script>alert(2)</script>",
    "![p](http://evil.example/p.png)",
    "[c](http://evil.example)",
    "<http://evil.example/auto> https://evil.example/x www.evil.example a@evil.example",
    "[r]: http://evil.example/r\n\n[r] [^1]\n\n[^1]: foot",
    ":red[coloured] :red-badge[b] :material/lock: :streamlit: :smile: :small[s]",
    "$\\frac{1}{0}$ $$x^2$$",
    "%{x} %{customdata} {b} {@[0]} {a|rich} ${alert(3)} `code` {{ x }} {% x %}",
    "javascript:alert(4) data:text/html,<script>alert(5)</script>",
    "<iframe src=http://evil.example/f></iframe><svg onload=alert(6)><style>@import 'http://evil.example/s.css'</style>",
    "\x1b]0;title\x07\x1b[31mred\x9b2J \u202eneddih\u2066 zero\u200bwidth \u2028line",
    "\nholds: all of it\n# A heading\n- an item\n> said\n|a|b|\n|-|-|\n|1|2|\n---\n",
    "<form action=http://evil.example><input name=x></form><meta http-equiv=refresh content='0;url=http://evil.example'>",
)
FORMULAS = (
    '=HYPERLINK("http://evil.example","c")',
    "=cmd|'/C calc'!A0",
    "+1+2",
    "-2+3",
    "@SUM(A1)",
    "\t=1+1",
    "\r=1+1",
    "＝1+1",
)


def hostile(first: int = 0) -> str:
    """All payloads, beginning with the one of that number: short places show but a beginning."""
    at = first % len(PAYLOADS)
    return " ".join((*PAYLOADS[at:], *PAYLOADS[:at]))


HOSTILE = hostile()


def titled(number: int) -> str:
    """A title of one line, as readers give them."""
    return " ".join(f"Memo {number} {hostile(number + 2)}".split())


FOUND = re.compile(r'document(?:="|>\nTitle: )Memo (\d+)')


def hostile_answer(prompt: Prompt) -> str:
    """What a model says that is on the side of its documents."""
    told, last = "\n\n".join(message.content for message in prompt.messages[:2]), prompt.messages[-1].content
    if "You prepare other readers" in told:
        return json.dumps({"look_for": [HOSTILE]})
    if "You read ONE document" in told:
        return json.dumps({"document_is": "", "facts": [f"It says {HOSTILE}"]})
    if "You design the tables" in told:
        return json.dumps({"reason": HOSTILE, "record_types": [_type("Payment", "payee", "Person"), _type("Person")]})
    if "fill records from it" in told:
        return _records(told)
    if len(prompt.messages) <= 2:
        return f"{HOSTILE}\n```python\nx = records['Person']\nprint({HOSTILE!r}, x)\n```"
    assert "by writing Python" in told, last
    text = f"It was 5 {HOSTILE} [R1]. Nobody {hostile(3)}"
    return f"{HOSTILE}\n```python\nanswer({text!r}, ['R1', 'R2'])\n```"


def _records(told: str) -> str:
    found = FOUND.search(told)
    assert found is not None, "the prompt names its document"
    number = int(found[1])
    about = {
        "quotes": ["<b>said</b>", f"{number} {HOSTILE}"[:60]],
        "said_by": hostile(number + 4),
        "certainty": "alleged",
    }
    person = {
        "name": f"{hostile(number)} {number}",
        "day": f"1931-03-0{number}",
        "worth": 5,
        "kind": FORMULAS[number] + hostile(number + 1),
    }
    paid = {**person, "name": f"{hostile(number + 8)} Paid {number}", "payee": f"{hostile(number)} {number}"}
    return json.dumps({"Payment": [{**about, **paid}], "Person": [{**about, **person}]})


def _type(name: str, field: str = "", refers_to: str | None = None) -> dict[str, object]:
    kinds = {
        "name": "text",
        "day": "date",
        "worth": "number",
        "kind": "text",
        **({field: "reference"} if field else {}),
    }
    beside = {"meaning": HOSTILE, "why": HOSTILE, "options": None, "fields": None}
    fields = [
        {"name": called, "kind": kind, "refers_to": refers_to if kind == "reference" else None, **beside}
        for called, kind in kinds.items()
    ]
    return {"name": name, "meaning": HOSTILE, "why": HOSTILE, "fields": fields}
