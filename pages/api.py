"""Routes beside the pages: what live components fetch, document texts, uploads. Every one needs the project's token.

A token is a MAC over the project's folder name with a secret of this process; pages hand it to their components. It is
sent in a header of its own, which no other site's page can set without being refused first.
"""

import hashlib
import hmac
import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO
from urllib.parse import unquote

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from pages.guard import allowed_hosts, may_ask
from pages.widgets.documents.places import places_of
from pages.widgets.documents.tracked import changes_of
from pages.widgets.relevance.sights import saw_of
from pages.widgets.state import find_project
from r3con_core.documents import Document
from r3con_core.errors import R3ConError
from r3con_core.imports import Added, add_uploads
from r3con_core.originals import original
from r3con_core.readers.content import Content
from r3con_core.readers.isolation.pagepicture import page_picture
from r3con_core.readers.limits import MAX_FILE_BYTES
from r3con_core.store.documents import load_document
from r3con_core.store.project import Project

TOKEN_HEADER = "X-R3Con-Token"
NAME_HEADER = "X-R3Con-Name"
"""The upload's name with its folders, percent-encoded."""
NO_STORE = {"Cache-Control": "no-store"}
MAX_NAME = 1_000
_SECRET = secrets.token_bytes(32)
_WIDGETS = Path(__file__).parent / "widgets"


def token_for(project: Project) -> str:
    """What a component must send to be told of this project, good until the app is started again."""
    return _mac(project.folder.name)


def _mac(slug: str) -> str:
    return hmac.new(_SECRET, slug.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


class Refused(Exception):  # noqa: N818 - an answer, not a fault of ours
    """Ends a request with a status and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def _project_of(request: Request) -> Project:
    """The project of a request that may be answered."""
    slug = request.path_params["project"]
    if not may_ask(request.headers, allowed_hosts()):
        raise Refused(403, "This request comes from another site.")
    if not hmac.compare_digest(request.headers.get(TOKEN_HEADER, "").encode(), _mac(slug).encode()):
        raise Refused(403, "This page is older than the app. Reload it.")
    project = find_project(slug)
    if project is None:
        raise Refused(404, "There is no such project.")
    return project


def _with_project(request: Request, respond: Callable[[Project], Response]) -> Response:
    """What `respond` makes of the request's project, whose connection is closed then; faults become sentences."""
    try:
        project = _project_of(request)
        try:
            return respond(project)
        finally:
            project.close()
    except Refused as refused:
        return _sentence(refused.status, str(refused))
    except R3ConError as error:
        return _sentence(409, str(error))


def _sentence(status: int, sentence: str) -> Response:
    return JSONResponse({"fault": sentence}, status, headers=NO_STORE)


def since(request: Request) -> Response:
    """What of a run, or of one document in it, changed after a sequence number: see `changes_of`."""
    run_id, seq, doc = request.path_params["run"], request.path_params["seq"], request.path_params.get("doc", "")
    return _with_project(request, lambda project: JSONResponse(changes_of(project, run_id, seq, doc), headers=NO_STORE))


def saw(request: Request) -> Response:
    """What the reader of a document saw in a round: see `saw_of`."""
    run_id, number, doc = (request.path_params[name] for name in ("run", "round", "doc"))

    def respond(project: Project) -> Response:
        found = saw_of(project, run_id, doc, number)
        if found is None:
            raise Refused(404, "It is not known what this reader saw.")
        return JSONResponse(found, headers=NO_STORE)

    return _with_project(request, respond)


def document(request: Request) -> Response:
    """A document's text as it is, in UTF-8."""

    def respond(project: Project) -> Response:
        found = _document_of(project, request)
        return PlainTextResponse(found.text.encode("utf-8", "replace"), headers=NO_STORE)

    return _with_project(request, respond)


def places(request: Request) -> Response:
    """Pages, units and findings of a document: see `places_of`."""

    def respond(project: Project) -> Response:
        return JSONResponse(places_of(_document_of(project, request)), headers=NO_STORE)

    return _with_project(request, respond)


def page(request: Request) -> Response:
    """The picture of one page of a document, from 1, as PNG."""

    def respond(project: Project) -> Response:
        found = _document_of(project, request)
        content = original(project, found)
        if content is None:
            raise Refused(
                404, "The file of this document is no longer where it was read, so its pages have no picture."
            )
        png = page_picture(content, found.source.media_type, request.path_params["page"])
        return Response(png, media_type="image/png", headers=NO_STORE)

    return _with_project(request, respond)


def _document_of(project: Project, request: Request) -> Document:
    found = load_document(project, request.path_params["doc"])
    if found is None:
        raise Refused(404, "The project has no such document.")
    return found


async def upload(request: Request) -> Response:
    """Read one uploaded file into the project; its body goes to disk as it comes."""
    name = unquote(request.headers.get(NAME_HEADER, ""))[:MAX_NAME]
    with tempfile.NamedTemporaryFile() as file:
        try:
            await run_in_threadpool(_project_of, request)
            await _receive(request, file)
        except Refused as refused:
            return _sentence(refused.status, str(refused))
        except ClientDisconnect:
            return _sentence(400, "The upload was broken off.")
        except OSError as error:
            return _sentence(507, f"The upload could not be kept: {error.strerror}. Make room and try again.")
        content = Content.on_disk(Path(file.name))
        return await run_in_threadpool(
            _with_project, request, lambda project: _added(add_uploads(project, [(name, content)]))
        )


async def _receive(request: Request, file: IO[bytes]) -> None:
    """The body, written as it comes; `Refused` when it grows too large."""
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > MAX_FILE_BYTES:
            raise Refused(413, f"The file is larger than {MAX_FILE_BYTES // 2**20} MB. Add it by folder path.")
        file.write(chunk)
    file.flush()


def _added(added: Added) -> Response:
    lines = [{"path": line.path, "outcome": line.outcome, "reason": line.reason} for line in added.lines]
    return JSONResponse({"documents": added.documents, "lines": lines}, headers=NO_STORE)


class _Assets(StaticFiles):
    """Files that a browser asks for anew each time, so that it never mixes those of two versions."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """One file, or that it has not changed."""
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        return response


ROUTES: list[BaseRoute] = [
    Route("/api/runs/{project}/{run}/since/{seq:int}", since),
    Route("/api/runs/{project}/{run}/since/{seq:int}/{doc}", since),
    Route("/api/runs/{project}/{run}/saw/{round:int}/{doc}", saw),
    Route("/api/documents/{project}/{doc}", document),
    Route("/api/documents/{project}/{doc}/places", places),
    Route("/api/pages/{project}/{doc}/{page:int}", page),
    Route("/api/upload/{project}", upload, methods=["POST"]),
    Mount("/assets", _Assets(directory=_WIDGETS / "frontend")),
]
"""The assets are our own public code."""
