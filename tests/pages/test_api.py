"""The routes beside the pages: who may ask, what they answer."""

import asyncio
import hashlib
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.testclient import TestClient
from starlette.types import Message, Receive

from pages import api, uploads
from pages.guard import PRIVACY, Guard, check_privacy
from pages.widgets.documents import tracked as changes
from r3con_core.documents import Document, Source, make_document
from r3con_core.exchange import Stage
from r3con_core.originals import keep_original
from r3con_core.readers.content import Content
from r3con_core.runs import RunState
from r3con_core.snippets import Digest, RelevanceSnippet, Sight
from r3con_core.store import runs as run_rows
from r3con_core.store import snippets as snippet_rows
from r3con_core.store.digests import save_digests
from r3con_core.store.documents import add_documents, list_documents, list_ledger
from r3con_core.store.project import Project
from r3con_core.store.sights import save_sight
from tests.fakes import harbour_project, start_harbour_run

HERE = "http://localhost:8501"


@pytest.fixture
def client() -> Iterator[TestClient]:
    app = Starlette(routes=api.ROUTES, middleware=[Middleware(Guard)])
    with TestClient(app, base_url=HERE, client=("127.0.0.1", 50_000)) as client:
        yield client


def signed(project: Project, **more: str) -> dict[str, str]:
    return {api.TOKEN_HEADER: api.token_for(project), **more}


def first_document(project: Project) -> str:
    return list_documents(project)[0].id


def test_a_document_comes_whole_as_plain_text(project: Project, client: TestClient) -> None:
    reply = client.get(f"/api/documents/harbour/{first_document(project)}", headers=signed(project))
    assert reply.status_code == 200
    assert reply.headers["content-type"] == "text/plain; charset=utf-8"
    assert reply.headers["cache-control"] == "no-store"
    assert "The grey launch landed 40 cases" in reply.text


def test_without_the_project_token_nothing_is_told(project: Project, client: TestClient) -> None:
    path = f"/api/documents/harbour/{first_document(project)}"
    assert client.get(path).status_code == 403
    assert client.get(path, headers={api.TOKEN_HEADER: "0" * 64}).status_code == 403
    assert client.post("/api/upload/harbour", content=b"x").status_code == 403
    assert client.get("/api/runs/harbour/run-1/since/0").status_code == 403


def test_a_token_opens_its_own_project_only(project: Project, client: TestClient, tmp_path: Path) -> None:
    other = harbour_project(tmp_path / "projects", "Other")
    path = f"/api/documents/other/{first_document(other)}"
    assert client.get(path, headers=signed(project)).status_code == 403
    assert client.get(path, headers=signed(other)).status_code == 200


@pytest.mark.parametrize("headers", [{"host": "evil.example"}, {"origin": "http://evil.example"}, {"host": ""}])
def test_other_sites_are_refused_even_with_a_token(
    project: Project, client: TestClient, headers: dict[str, str]
) -> None:
    reply = client.get(f"/api/documents/harbour/{first_document(project)}", headers=signed(project, **headers))
    assert reply.status_code == 400


def test_what_does_not_exist_is_said_in_a_sentence(project: Project, client: TestClient) -> None:
    reply = client.get("/api/documents/harbour/doc-0", headers=signed(project))
    assert (reply.status_code, reply.json()) == (404, {"fault": "The project has no such document."})
    reply = client.get("/api/runs/harbour/run-0/since/0", headers=signed(project))
    assert (reply.status_code, reply.json()) == (409, {"fault": "This project has no run 'run-0'."})


def test_every_answer_carries_the_headers_that_keep_a_page_to_this_host(client: TestClient) -> None:
    headers = client.get("/assets/icon.svg").headers
    assert "connect-src 'self'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_assets_do_not_reach_beyond_their_folder(client: TestClient) -> None:
    assert client.get("/assets/../../state.py").status_code == 404
    assert client.get("/assets/%2e%2e/state.py").status_code == 404


def test_the_places_of_a_document_come_with_its_pages(project: Project, client: TestClient) -> None:
    reply = client.get(f"/api/documents/harbour/{first_document(project)}/places", headers=signed(project))
    assert reply.status_code == 200
    assert reply.json()["heads"] == []
    assert client.get("/api/documents/harbour/doc-0/places", headers=signed(project)).status_code == 404
    assert client.get(f"/api/documents/harbour/{first_document(project)}/places").status_code == 403


def scan_of(project: Project, tmp_path: Path) -> tuple[Document, Path]:
    """A document that was read from a picture on disk."""
    from PIL import Image

    file = tmp_path / "scan.png"
    Image.new("RGB", (60, 40), "white").save(file)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    source = Source(path="scan.png", sha256=digest, media_type="image/png")
    scan = make_document(title="Scan", text="Words.", source=source, pages=1)
    add_documents(project, [scan], [])
    keep_original(project, scan, Content.on_disk(file), file)
    return scan, file


def test_a_page_comes_as_a_picture_that_is_kept_nowhere(project: Project, client: TestClient, tmp_path: Path) -> None:
    scan, _ = scan_of(project, tmp_path)
    reply = client.get(f"/api/pages/harbour/{scan.id}/1", headers=signed(project))
    assert (reply.status_code, reply.headers["content-type"]) == (200, "image/png")
    assert reply.headers["cache-control"] == "no-store"
    assert reply.content.startswith(b"\x89PNG")


def test_a_page_is_not_shown_without_the_token_or_where_there_is_none(
    project: Project, client: TestClient, tmp_path: Path
) -> None:
    scan, file = scan_of(project, tmp_path)
    assert client.get(f"/api/pages/harbour/{scan.id}/1").status_code == 403
    assert client.get(f"/api/pages/harbour/{scan.id}/9", headers=signed(project)).status_code == 409
    assert client.get("/api/pages/harbour/doc-0/1", headers=signed(project)).status_code == 404
    without = client.get(f"/api/pages/harbour/{first_document(project)}/1", headers=signed(project))
    assert (without.status_code, "no picture" in without.json()["fault"]) == (404, True)
    file.write_bytes(b"something else")
    changed = client.get(f"/api/pages/harbour/{scan.id}/1", headers=signed(project))
    assert (changed.status_code, "was changed" in changed.json()["fault"]) == (409, True)


def test_assets_are_asked_for_anew_each_time(client: TestClient) -> None:
    assert client.get("/assets/reader.js").headers["cache-control"] == "no-cache"
    assert client.get("/assets/reader.js").headers["content-type"].startswith("text/javascript")


def test_an_upload_becomes_a_document_and_ledger_lines(project: Project, client: TestClient) -> None:
    headers = signed(project, **{api.NAME_HEADER: "papers%2Fn%C3%B3ta.txt"})
    reply = client.post("/api/upload/harbour", content=b"The Petrel was seen.", headers=headers)
    assert reply.json() == {
        "documents": 1,
        "lines": [{"path": "papers/nóta.txt", "outcome": "read", "reason": ""}],
    }
    assert list_documents(project)[-1].path == "papers/nóta.txt"


def test_an_upload_whose_name_leads_elsewhere_stays_a_name(project: Project, client: TestClient) -> None:
    headers = signed(project, **{api.NAME_HEADER: "..%2F..%2Fetc%2Fpasswd.txt"})
    client.post("/api/upload/harbour", content=b"Some words.", headers=headers)
    assert list_documents(project)[-1].path == "etc/passwd.txt"


def test_an_upload_that_cannot_be_read_is_a_line_and_no_document(project: Project, client: TestClient) -> None:
    headers = signed(project, **{api.NAME_HEADER: "empty.txt"})
    reply = client.post("/api/upload/harbour", content=b"", headers=headers).json()
    assert reply["documents"] == 0
    assert list_ledger(project)[-1].outcome == "nothing in it"


def test_an_upload_larger_than_the_limit_is_refused(
    project: Project, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MAX_FILE_BYTES", 10)
    reply = client.post("/api/upload/harbour", content=b"more than ten bytes", headers=signed(project))
    assert reply.status_code == 413
    assert "by folder path" in reply.json()["fault"]
    assert len(list_documents(project)) == 10


def test_an_upload_is_refused_where_the_disk_is_nearly_full(
    project: Project, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "ROOM", 2**60)
    reply = client.post("/api/upload/harbour", content=b"Some words.", headers=signed(project))
    assert (reply.status_code, "Make room" in reply.json()["fault"]) == (507, True)


async def never() -> Message:
    await asyncio.Event().wait()
    raise AssertionError


async def trickle() -> Message:
    return {"type": "http.request", "body": b"a", "more_body": True}


@pytest.mark.parametrize(("coming", "says"), [(never, "came to a halt"), (trickle, "too slow")])
def test_an_upload_that_only_occupies_a_place_is_ended(
    coming: Receive, says: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(uploads, "STALL_SECONDS", 0.02)
    request = Request({"type": "http", "method": "POST", "headers": [], "path": "/"}, coming)
    if coming is trickle:
        monkeypatch.setattr(uploads, "SLOWEST", 10**9)
    with (tmp_path / "upload").open("wb") as file, pytest.raises(uploads.Refused, match=says) as refused:
        asyncio.run(uploads.receive(request, file))
    assert refused.value.status == 408


def test_one_person_does_not_take_the_places_of_all() -> None:
    with ExitStack() as places:
        for _ in range(uploads.AT_ONCE_OF_ONE):
            places.enter_context(uploads.place_for("ann"))
        with pytest.raises(uploads.Refused, match="Too many uploads"), uploads.place_for("ann"):
            pass
        with uploads.place_for("bob"):
            pass
    with uploads.place_for("ann"):
        pass


def save(project: Project, run_id: str, number: int, **snippet: object) -> None:
    snippet_rows.save_snippet(project, run_id, number, RelevanceSnippet(**snippet))  # type: ignore[arg-type]


def test_changes_since_a_number_come_once_with_what_is_new_marked(project: Project, client: TestClient) -> None:
    run_id, document = start_harbour_run(project), first_document(project)
    save(project, run_id, 1, document_id=document, text="A grey launch landed 40 cases at Lime Quay.")
    path = f"/api/runs/harbour/{run_id}/since"
    first = client.get(f"{path}/0", headers=signed(project)).json()
    assert [change["pieces"] for change in first["changes"]] == [[["A grey launch landed 40 cases at Lime Quay.", ""]]]
    assert first["changes"][0]["before"] is None
    assert first["summary"] == "Round 1 of 2: 1 of 10 documents read."

    text = "The Petrel landed 40 cases at Lime Quay."
    save(project, run_id, 2, document_id=document, text=text, foreign=("Petrel",))
    second = client.get(f"{path}/{first['seq']}", headers=signed(project)).json()
    assert [change["round"] for change in second["changes"]] == [2]
    (change,) = second["changes"]
    assert change["pieces"] == [["The ", "added"], ["Petrel", "foreign added"], [" landed 40 cases at Lime Quay.", ""]]
    assert change["before"] == [["A grey launch", "removed"], [" landed 40 cases at Lime Quay.", ""]]
    assert (change["changed"], change["foreign"]) == (True, ["Petrel"])
    assert client.get(f"{path}/{second['seq']}", headers=signed(project)).json()["changes"] == []


def test_many_changes_come_in_parts_and_none_is_lost(
    project: Project, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "MOST_AT_ONCE", 4)
    run_id = start_harbour_run(project)
    ids = [line.id for line in list_documents(project)]
    for document_id in ids:
        save(project, run_id, 1, document_id=document_id, text="A launch.")
    seq, more = 0, True
    told: list[str] = []
    sizes: list[int] = []
    while more:
        news = client.get(f"/api/runs/harbour/{run_id}/since/{seq}", headers=signed(project)).json()
        seq, more = news["seq"], news["more"]
        sizes.append(len(news["changes"]))
        told += [change["document"] for change in news["changes"]]
    assert (told, sizes) == (ids, [4, 4, 2])


def test_what_a_reader_saw_is_told_in_words_and_listed_on_demand(project: Project, client: TestClient) -> None:
    run_id = start_harbour_run(project)
    ids = [line.id for line in list_documents(project)]
    first, second = Digest(level=1, number=1, covers=tuple(ids[:5]), text="a"), tuple(ids[5:])
    save_digests(project, run_id, 1, (first, Digest(level=1, number=2, covers=second, text="b <i>", cut=True)))
    sight = Sight(document_id=ids[0], whole=(ids[6],), shortened=tuple(ids[1:5]), digested=(ids[5], *ids[7:]))
    save_sight(project, run_id, Stage.RELEVANCE, 2, sight)
    for number, document_id in ((1, ids[0]), (2, ids[0]), (2, ids[1])):
        save(project, run_id, number, document_id=document_id, text="A launch.")
    news = client.get(f"/api/runs/harbour/{run_id}/since/0", headers=signed(project)).json()
    assert [change["saw"] for change in news["changes"]] == [
        "",
        "1 snippet in full, 4 shortened, 4 within 1 digest",
        "",
    ]
    path = f"/api/runs/harbour/{run_id}/saw/2"
    assert client.get(f"{path}/{ids[0]}", headers=signed(project)).json() == {
        "whole": [7],
        "shortened": [2, 3, 4, 5],
        "digested": [6, 8, 9, 10],
        "digests": [{"name": "Digest 2", "covers": [6, 7, 8, 9, 10], "text": "b <i>", "cut": True}],
    }
    unknown = client.get(f"{path}/{ids[1]}", headers=signed(project))
    assert (unknown.status_code, unknown.json()) == (404, {"fault": "It is not known what this reader saw."})
    assert client.get(f"{path}/{ids[0]}").status_code == 403


def test_a_run_that_is_over_is_said_to_be_so(project: Project, client: TestClient) -> None:
    run_id = start_harbour_run(project)
    path = f"/api/runs/harbour/{run_id}/since/0"
    assert client.get(path, headers=signed(project)).json()["active"] is True
    run_rows.set_state(project, run_id, RunState.STOPPED)
    assert client.get(path, headers=signed(project)).json()["active"] is False


def test_the_app_does_not_start_without_its_privacy_settings() -> None:
    settings = {**PRIVACY, "server.address": "127.0.0.1", "server.allowedHosts": ["localhost", "127.0.0.1"]}
    check_privacy(settings.get)
    for name, value in PRIVACY.items():
        with pytest.raises(SystemExit, match=re.escape(f"{name} must be {value!r}")):
            check_privacy({**settings, name: "something else"}.get)


@pytest.mark.parametrize(
    "opened",
    [
        *({"server.address": address} for address in ("0.0.0.0", "", None, "192.168.1.2", "::", "example.org")),
        *({"server.allowedHosts": hosts} for hosts in ([], ["*"], ["localhost", "r3con.example.org"])),
    ],
)
def test_the_app_of_one_person_does_not_start_where_others_could_reach_it(opened: dict[str, object]) -> None:
    settings = {**PRIVACY, "server.address": "127.0.0.1", "server.allowedHosts": ["localhost"], **opened}
    with pytest.raises(SystemExit, match="r3con app --team FILE"):
        check_privacy(settings.get)


def test_the_app_of_one_person_answers_nobody_from_elsewhere(project: Project) -> None:
    app = Starlette(routes=api.ROUTES, middleware=[Middleware(Guard)])
    for address in ("192.168.1.2", "8.8.8.8", "testclient"):
        with TestClient(app, base_url=HERE, client=(address, 50_000)) as client:
            assert client.get("/assets/icon.svg").status_code == 400


@pytest.mark.parametrize(
    "headers",
    [
        *({"host": host} for host in ("localhost@evil.example", "evil@localhost:8501", "localhost:x", "localhost/a")),
        *({"origin": origin} for origin in ("null", "http://localhost:3000", "https://localhost:8501", "file://")),
        {"origin": "http://127.0.0.1:8501"},
        {"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"},
    ],
)
def test_another_port_or_frame_is_another_site(client: TestClient, headers: dict[str, str]) -> None:
    assert client.get("/assets/icon.svg", headers=headers).status_code in {400, 403}
    assert client.get("/assets/icon.svg", headers={"origin": HERE, "sec-fetch-site": "same-origin"}).status_code == 200


def test_a_number_of_any_length_in_an_address_is_no_fault_of_ours(project: Project, client: TestClient) -> None:
    run_id = start_harbour_run(project)
    for number in ("9" * 15, "9" * 16, "9" * 90):
        reply = client.get(f"/api/runs/harbour/{run_id}/since/{number}", headers=signed(project))
        assert reply.status_code == 200
        assert client.get(f"/api/pages/harbour/doc-0/{number}", headers=signed(project)).status_code == 404


def test_what_came_of_a_client_that_sets_our_own_headers_is_the_same(project: Project, client: TestClient) -> None:
    path = f"/api/documents/harbour/{first_document(project)}"
    forged = signed(project, **{"X-R3Con-Login": "x", "X_R3Con_Home": "../.."})
    assert client.get(path, headers=forged).status_code == 200


def test_documents_with_any_letters_survive_the_route(project: Project, client: TestClient) -> None:
    from r3con_core.store.documents import add_documents
    from tests.fakes import text_document

    odd: Document = text_document("Ωμέγα 𝔘𝔫𝔦 \U0001f6a2", path="odd.txt")
    add_documents(project, [odd], [])
    assert client.get(f"/api/documents/harbour/{odd.id}", headers=signed(project)).text == odd.text
