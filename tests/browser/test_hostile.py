"""Text from documents, models, servers and files of others, in a real browser: letters on the screen, and nothing else."""

import json
import re
import socketserver
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self
from urllib.parse import quote

import pytest
from playwright.sync_api import Dialog, Locator, expect

from r3con_core.changes import Change, CorrectRecord, EditSnippet, Hint, KeepApart, MergeNames
from r3con_core.exchange import Stage
from r3con_core.jobs import ModelChoice, RunChoices, create_run
from r3con_core.models import Prices, endpoint_for
from r3con_core.models.prices import set_price
from r3con_core.overlay import data_of
from r3con_core.preferences import save_choices
from r3con_core.queries import Query, query_to_json
from r3con_core.runs import Caps, RunState
from r3con_core.saved_schemas import keep_schema
from r3con_core.snippets import Digest, RelevanceSnippet, Sight
from r3con_core.store import runs as run_rows
from r3con_core.store.calls import list_calls
from r3con_core.store.changes import add_change
from r3con_core.store.digests import save_digests
from r3con_core.store.documents import LedgerEntry, add_documents
from r3con_core.store.project import Project, create_project
from r3con_core.store.queries import save_query
from r3con_core.store.schemas import accepted_schema
from r3con_core.store.sights import save_sight
from r3con_core.store.snippets import save_snippet
from tests.browser.app import Visit, chromium, running_app, visiting
from tests.fakes import Scripted, carry_scripted, start_run, text_document, text_project
from tests.hostile_script import HOST, HOSTILE, PAYLOADS, hostile, hostile_answer, titled

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium() is None, reason="needs Chromium: apt-get install chromium"),
]
READING = ModelChoice(model="reader [m](http://evil.example)", base_url="https://models.example/v1", window=16_384)


def hostile_run(home: Path) -> tuple[Project, str]:
    """A paused run: hostile question, titles, snippets, digests, fault and currency."""
    prices = Prices(input=5, cached=1, cache_write=5, output=9, source="", currency=HOSTILE)
    set_price(home, endpoint_for(READING.model, READING.base_url), prices)
    save_choices(home, RunChoices(reading=READING))
    documents = [text_document(f"{n} {HOSTILE}", path=f"{hostile(n)}/{n}.txt", title=titled(n)) for n in range(1, 5)]
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
    yield from (*CHARTS, "data?view=names")
    yield f"data?view=conflicts&record={data.records[0].id}"
    yield f"data?kind=Person&record={data.records[1].id}"
    yield from (f"calls?call={call.key}" for call in list_calls(project, run_id) if call.prompt.about.step)
    yield from (f"compare?with={other}", "changes?", "relevance?", f"calls?find={quote(HOSTILE)}")
    yield from (f"?tab={tab}" for tab in ("documents", "ledger"))
    yield f"?tab=search&find={quote('evil')}"
    yield f"document?doc={data.records[0].document_id}"
    wrong = quote(HOSTILE[:120] + "' or 1=1 --" + "9" * 300)
    for page in ("data", "calls", "compare"):
        yield f"{page}?view={wrong}&kind={wrong}&record={wrong}&call={wrong}&stage={wrong}&round=-1&step=1e999&with={wrong}"


CHARTS = tuple(f"data?view={view}" for view in ("graph", "tree", "timeline", "support", "plots"))
MADE = (
    *("a[href*='evil.example']", "[src*='evil.example']", "[action*='evil.example']", "svg a", "[href^='javascript:']"),
    *("a[href^='mailto:']", "a[href^='data:']", ".footnotes", "sup a", ".katex", "[onerror]", "[onload]"),
    *("body meta", "body form[action]", "iframe[srcdoc]", "[data-testid=stException]"),
    "[data-testid=stMarkdownContainer] :is(table, hr)",
)
"""What hostile words would make of a page if anything read them as markup."""
WORDS = ("coloured", "A heading", "an item", "foot")
"""Alone in an element only where the signs around them were taken for markup."""
ALONE = re.compile(rf"^\s*({'|'.join(WORDS)})\s*$")


WATCH = """
window.made = []; window.hovered = 0;
const bad = %s;
new MutationObserver(changes => {
  for (const change of changes) {
    for (const node of change.addedNodes) for (const one of node.nodeType === 1 ? [node, ...node.querySelectorAll('*')] : []) {
      if (bad.some(sign => one.matches(sign))) window.made.push(one.outerHTML.slice(0, 200));
      if (one.matches('.hovertext')) window.hovered += 1;
    }
    const chart = change.target.parentElement;
    if (chart && chart.matches('[data-testid=stEChartsChart]') && change.target.innerText) window.hovered += 1;
  }
}).observe(document, {childList: true, subtree: true});
"""
"""Sees elements that are there for a moment only, such as tooltips."""


def expect_letters_only(visit: Visit, dialogs: list[str]) -> None:
    drawn = visit.page.locator(", ".join(MADE)).evaluate_all("found => found.map(one => one.outerHTML.slice(0, 200))")
    alone = visit.page.get_by_text(ALONE).all_inner_texts()
    made, told = visit.page.evaluate("[window.made, document.title]")
    styles = [style for style in visit.page.locator("style").all_text_contents() if "evil.example" in style]
    assert (visit.strangers, dialogs, drawn, alone, made, styles) == ([], [], [], [], [], [])
    assert not [sign for sign in ("evil", "title]", "alert") if sign in told]


def point_everywhere(visit: Visit) -> None:
    """Move the mouse over the chart of a page, whose tooltips are made when something is pointed at."""
    chart = visit.page.locator(".js-plotly-plot, [data-testid=stEChartsChart]").first
    chart.locator(".point, .slice, canvas").first.wait_for(state="visible", timeout=30_000)
    chart.scroll_into_view_if_needed()
    for x, y in _points(chart):
        visit.page.mouse.move(x, y)
        visit.page.mouse.move(x + 1, y + 1)
    assert visit.page.evaluate("window.hovered") > 0, "nothing was pointed at"


def _points(chart: Locator) -> Iterator[tuple[float, float]]:
    """The middles of what a plotly chart draws; of a canvas, which tells nothing, a grid."""
    middles = """nodes => nodes.slice(0, 16).map(e => e.getBoundingClientRect()).map(
        r => [r.left + r.width / 2, r.top + r.height / 2])"""
    yield from map(tuple, chart.locator(".point, .slice").evaluate_all(middles))
    box = chart.locator("canvas").first.bounding_box() if chart.locator("canvas").count() else None
    if box is not None:
        for place in range(19 * 19):
            down, across = divmod(place, 19)
            yield box["x"] + box["width"] * (across + 1) / 20, box["y"] + box["height"] * (down + 1) / 20


class Listening:
    """Stands for every other host: the browser is told that all names lead here. It keeps what comes for the host of
    the attack, which a request names in clear, encrypted or not."""

    def __init__(self) -> None:
        self.came: list[bytes] = []
        owner = self

        class Taking(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                told = self.request.recv(1 << 16)
                owner.came += [told] if HOST.encode() in told else []  # a browser has errands of its own, to its maker

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Taking)
        self.server.daemon_threads = True

    def __enter__(self) -> Self:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *ended: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    @property
    def options(self) -> list[str]:
        """For Chromium."""
        return [f"--host-resolver-rules=MAP * 127.0.0.1:{self.server.server_address[1]}, EXCLUDE 127.0.0.1"]


class HostileServer(BaseHTTPRequestHandler):
    """An endpoint whose every word is an attack."""

    def do_GET(self) -> None:
        """Its list of models."""
        self._say(200, {"object": "list", "data": [{"id": HOSTILE, "object": HOSTILE, "max_model_len": HOSTILE}]})

    def do_POST(self) -> None:
        """Its fault."""
        self._say(400, {"error": {"message": HOSTILE, "type": HOSTILE, "code": HOSTILE}})

    def _say(self, status: int, told: object) -> None:
        body = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *told: object) -> None:
        """Nothing."""


def keep_beside(home: Path, project: Project, run_id: str) -> None:
    """Hostile names of a schema, a query, files in the ledger and another project."""
    schema = accepted_schema(project, run_id)
    assert schema is not None
    for number in (1, 3, 9):
        name = " ".join(hostile(number).split())
        keep_schema(home, name[:80], schema)
        save_query(project, name[:80], query_to_json(Query(record_type="Person")), author=HOSTILE)
        create_project(home / "projects", f"{number} {name}"[:200])
    lines = [
        LedgerEntry(path=hostile(n), outcome="not readable", reason=hostile(n + 1), document_id="")
        for n in range(len(PAYLOADS))
    ]
    add_documents(project, (), lines)


def visit_schema(visit: Visit, dialogs: list[str], project: str) -> None:
    """The Schema page: names of kept schemas, other runs, a text to start from that is an attack."""
    visit.open(f"/schema?{project}")
    visit.press("Change the schema and parse again")
    visit.page.get_by_role("tab", name="Start from").click()
    visit.settle()
    expect_letters_only(visit, dialogs)
    for way in ("Another run", "File or text"):
        visit.page.get_by_role("radio", name=way).click()
        visit.settle()
        expect_letters_only(visit, dialogs)
    area = visit.page.get_by_role("textbox", name="Or its text")
    for text in (f"class {HOSTILE}", json.dumps({"properties": {HOSTILE: {"type": HOSTILE, "$ref": HOSTILE}}})):
        area.fill(text)
        area.press("Control+Enter")
        visit.settle()
        expect_letters_only(visit, dialogs)


def visit_queries(visit: Visit, dialogs: list[str], project: str) -> None:
    """A kept query of a hostile name, asked, and named in the box."""
    visit.open(f"/data?view=queries&{project}")
    visit.page.get_by_role("combobox", name="Saved queries").click()
    visit.page.get_by_role("option").first.click()
    visit.settle()
    visit.press("About it")
    expect_letters_only(visit, dialogs)
    visit.picture("hostile-query")


def test_nothing_from_outside_is_markup_on_any_page_of_a_run(tmp_path: Path) -> None:
    dialogs: list[str] = []

    def note(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    endpoint = ThreadingHTTPServer(("127.0.0.1", 0), HostileServer)
    threading.Thread(target=endpoint.serve_forever, daemon=True).start()
    project, run_id = hostile_run(tmp_path)
    with (
        Listening() as others,
        running_app(tmp_path) as address,
        visiting(address, options=others.options) as visit,
    ):
        visit.page.on("dialog", note)
        visit.page.add_init_script(WATCH % json.dumps(MADE))
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
        keep_beside(tmp_path, project, finished_id)
        finished = f"project={project.folder.name}&run={finished_id}"
        for place in places_of(project, finished_id, other=run_id):
            visit.open(f"/{place}&{finished}")
            if place in CHARTS:
                point_everywhere(visit)
            expect_letters_only(visit, dialogs)
        visit_queries(visit, dialogs, finished)
        visit_schema(visit, dialogs, finished)
        visit.open("/")
        expect_letters_only(visit, dialogs)
        reading = replace(READING, base_url=f"http://127.0.0.1:{endpoint.server_address[1]}/v1")
        save_choices(tmp_path, RunChoices(reading=reading))
        visit.open(f"/question?project={project.folder.name}")
        visit.press("Test connection")
        expect(visit.page.get_by_text("The connection does not work")).to_be_visible()
        expect_letters_only(visit, dialogs)
        visit.open(f"/answer?{finished}")
        for each in visit.page.get_by_role("tab").all():
            each.click()
            visit.settle()
            expect_letters_only(visit, dialogs)
        assert others.came == []
    endpoint.shutdown()
    endpoint.server_close()


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
