"""Text from documents, models, servers and files of others, in a real browser: letters on the screen, and nothing else."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Dialog, expect

from r3con_core.changes import Change, CorrectRecord, EditSnippet, Hint, KeepApart, MergeNames
from r3con_core.exchange import Prompt, Stage
from r3con_core.jobs import ModelChoice, RunChoices, create_run
from r3con_core.models import Prices, endpoint_for
from r3con_core.models.prices import set_price
from r3con_core.overlay import data_of
from r3con_core.preferences import save_choices
from r3con_core.runs import Caps, RunState
from r3con_core.snippets import Digest, RelevanceSnippet, Sight
from r3con_core.store import runs as run_rows
from r3con_core.store.calls import list_calls
from r3con_core.store.changes import add_change
from r3con_core.store.digests import save_digests
from r3con_core.store.project import Project
from r3con_core.store.sights import save_sight
from r3con_core.store.snippets import save_snippet
from tests.browser.app import Visit, chromium, running_app, visiting
from tests.fakes import Scripted, carry_scripted, start_run, text_document, text_project

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium() is None, reason="needs Chromium: apt-get install chromium"),
]
HOSTILE = (
    "<img src=http://evil.example/i.png onerror=alert(1)> ![p](http://evil.example/p.png) [c](http://evil.example) "
    "<script>alert(2)</script> $\\frac{1}{0}$ :material/lock: https://evil.example/x \u202eneddih"
)
READING = ModelChoice(model="reader [m](http://evil.example)", base_url="https://models.example/v1", window=16_384)


def hostile_run(home: Path) -> tuple[Project, str]:
    """A paused run: hostile question, titles, snippets, digests, fault and currency."""
    prices = Prices(input=5, cached=1, cache_write=5, output=9, source="", currency=HOSTILE)
    set_price(home, endpoint_for(READING.model, READING.base_url), prices)
    save_choices(home, RunChoices(reading=READING))
    documents = [text_document(f"{n} {HOSTILE}", path=f"{n}.txt", title=f"Memo {n} {HOSTILE}") for n in range(1, 5)]
    project = text_project(home / "projects", documents)
    ids = tuple(document.id for document in documents)
    choices = RunChoices(reading=READING, caps=Caps(money=1.0))
    run_id = create_run(project, f"Who? {HOSTILE}", choices, home=home).id
    run_rows.set_state(project, run_id, RunState.RELEVANCE)
    for number in (1, 2):
        for each in ids:
            snippet = RelevanceSnippet(document_id=each, text=f"It says {HOSTILE}", foreign=(HOSTILE,))
            save_snippet(project, run_id, number, replace(snippet, left_out=(HOSTILE,)))
    covers = (ids[:2], ids[2:])
    save_digests(
        project,
        run_id,
        1,
        [Digest(level=1, number=n, covers=covered, text=HOSTILE) for n, covered in enumerate(covers, start=1)],
    )
    save_sight(project, run_id, Stage.RELEVANCE, 2, Sight(document_id=ids[0], whole=ids[1:2], digested=ids[2:]))
    run_rows.set_state(project, run_id, RunState.PAUSED, error=f"Paused: {HOSTILE}")
    return project, run_id


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
        found = re.search(r'document="Memo (\d)', told)
        assert found is not None, "the prompt names its document"
        about = {"quotes": ["<b>said</b>", HOSTILE[:60]], "said_by": HOSTILE, "certainty": "alleged"}
        person = {"name": f"{found[1]} {HOSTILE}", "day": f"1931-03-0{found[1]}", "worth": 5, "kind": HOSTILE}
        paid = {**person, "name": f"Paid {found[1]} {HOSTILE}", "payee": f"{found[1]} {HOSTILE}"}
        return json.dumps({"Payment": [{**about, **paid}], "Person": [{**about, **person}]})
    if len(prompt.messages) <= 2:
        return f"{HOSTILE}\n```python\nx = records['Person']\nprint({HOSTILE!r}, x)\n```"
    assert "by writing Python" in told, last
    return f"{HOSTILE}\n```python\nanswer('It was 5 {HOSTILE} [R1]. Nobody {HOSTILE}', ['R1', 'R2'])\n```"


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


def finished_hostile_run(project: Project) -> str:
    """A finished run of a hostile model, with changes of a hostile colleague."""
    run_id = start_run(project, f"Who paid? {HOSTILE}", window=16_384)
    assert carry_scripted(project, run_id, Scripted(hostile_answer)) is RunState.DONE
    data = data_of(project, run_id)
    assert data is not None
    first = data.records[0]
    names = tuple(str(record.values["name"]) for record in data.records if record.type == "Person")
    changes: tuple[Change, ...] = (
        EditSnippet(document_id=first.document_id, round=2, text=HOSTILE),
        Hint(round=2, text=HOSTILE),
        CorrectRecord(of=first, now=replace(first, values={**first.values, "kind": f"other {HOSTILE}"})),
        MergeNames(record_type="Person", names=names[:2], name=HOSTILE),
        KeepApart(record_type="Person", names=names[2:]),
    )
    for change in changes:
        add_change(project, run_id, change, author=HOSTILE, note=HOSTILE)
    return run_id


def places_of(project: Project, run_id: str, *, other: str) -> Iterator[str]:
    """Where what the finished run holds is shown, and addresses that lead nowhere."""
    data = data_of(project, run_id)
    assert data is not None
    yield from (f"data?view={view}" for view in ("graph", "tree", "timeline", "support", "plots", "names"))
    yield f"data?view=conflicts&record={data.records[0].id}"
    yield f"data?kind=Person&record={data.records[1].id}"
    yield from (f"calls?call={call.key}" for call in list_calls(project, run_id) if call.prompt.about.step)
    yield from (f"compare?with={other}", "changes?", "relevance?", f"calls?find={quote(HOSTILE)}")
    wrong = quote(HOSTILE + "' or 1=1 --" + "9" * 3000)
    for page in ("data", "calls", "compare"):
        yield f"{page}?view={wrong}&kind={wrong}&record={wrong}&call={wrong}&stage={wrong}&round=-1&step=1e999&with={wrong}"


def expect_letters_only(visit: Visit, dialogs: list[str]) -> None:
    drawn = visit.page.locator("a[href*='evil.example'], img[src*='evil.example'], .katex, [data-testid=stException]")
    assert (visit.strangers, dialogs, drawn.count()) == ([], [], 0)


def test_nothing_from_outside_is_markup_on_any_page_of_a_run(tmp_path: Path) -> None:
    project, run_id = hostile_run(tmp_path)
    dialogs: list[str] = []

    def note(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    with running_app(tmp_path) as address, visiting(address) as visit:
        visit.page.on("dialog", note)
        for page in ("schema", "data", "answer", "question", "relevance"):
            visit.open(f"/{page}?project={project.folder.name}&run={run_id}")
            expect_letters_only(visit, dialogs)
        first = visit.page.locator("li.card").first
        first.get_by_text("Its reader saw 1 snippet in full, 2 within 1 digest").click()
        first.get_by_text("The digests (1)").click()
        expect(first.get_by_text("Digest 2: documents 3–4")).to_be_visible()
        for tab in ("Table", "Digests"):
            visit.page.get_by_role("tab", name=tab).click()
            visit.settle()
            expect_letters_only(visit, dialogs)
        visit.picture("hostile-digests")
        finished_id = finished_hostile_run(project)
        finished = f"project={project.folder.name}&run={finished_id}"
        for place in places_of(project, finished_id, other=run_id):
            visit.open(f"/{place}&{finished}")
            expect_letters_only(visit, dialogs)
        visit.open(f"/answer?{finished}")
        for each in visit.page.get_by_role("tab").all():
            each.click()
            visit.settle()
            expect_letters_only(visit, dialogs)


def test_no_figure_of_an_estimate_is_cut_short_in_a_narrow_window(tmp_path: Path) -> None:
    reading = replace(READING, model="gpt-4o", base_url="https://api.openai.com/v1")
    save_choices(tmp_path, RunChoices(reading=reading))
    text_project(tmp_path / "projects", [text_document(f"{n} " + "word " * 2_000, path=f"{n}.txt") for n in range(40)])
    with running_app(tmp_path) as address, visiting(address) as visit:
        visit.page.set_viewport_size({"width": 900, "height": 800})
        visit.open("/question?project=memos")
        figures = visit.page.get_by_test_id("stMetric")
        expect(figures.filter(has_text="USD")).to_be_visible()
        cut = "nodes => nodes.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.innerText)"
        assert figures.locator("*").evaluate_all(cut) == []
        visit.page.get_by_text("Before you start").scroll_into_view_if_needed()
        visit.picture("estimate-narrow")
