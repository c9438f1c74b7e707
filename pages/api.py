"""Routes beside the pages: what live components fetch, document texts, uploads. Every one needs the project's token.

A token is a MAC over the project's folder name, and over whose login it is where the app is opened to a team, with a
secret of this process; pages hand it to their components. It is sent in a header of its own, which no other site's page
can set without being refused first.
"""

import hashlib
import hmac
import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.convertors import StringConvertor, register_url_convertor
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from pages.entry.stamp import HOME
from pages.entry.who import home_for, login_for
from pages.uploads import Refused, place_for, receive
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
from r3con_core.store.documents import load_document
from r3con_core.store.project import Project
from r3con_core.team import team_here

TOKEN_HEADER = "X-R3Con-Token"
NAME_HEADER = "X-R3Con-Name"
"""The upload's name with its folders, percent-encoded."""
NO_STORE = {"Cache-Control": "no-store"}
MAX_NAME = 1_000
_SECRET = secrets.token_bytes(32)
_WIDGETS = Path(__file__).parent / "widgets"


def token_for(project: Project) -> str:
    """What a component of this page must send to be told of this project, good until the app is started again."""
    return _mac(project.folder.name, login_for(st.context.headers) if team_here() else "")


def _mac(slug: str, login: str) -> str:
    return hmac.new(_SECRET, f"{login}/{slug}".encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def _project_of(request: Request) -> Project:
    """The project of a request that may be answered."""
    slug = request.path_params["project"]
    expected = _mac(slug, login_for(request.headers))
    if not hmac.compare_digest(request.headers.get(TOKEN_HEADER, "").encode(), expected.encode()):
        raise Refused(403, "This page is older than the app. Reload it.")
    project = find_project(slug, home_for(request.headers))
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
    run_id, doc = request.path_params["run"], request.path_params.get("doc", "")
    seq = _number(request.path_params["seq"])
    return _with_project(request, lambda project: JSONResponse(changes_of(project, run_id, seq, doc), headers=NO_STORE))


def saw(request: Request) -> Response:
    """What the reader of a document saw in a round: see `saw_of`."""
    run_id, doc = request.path_params["run"], request.path_params["doc"]
    number = _number(request.path_params["round"])

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
        png = page_picture(content, found.source.media_type, _number(request.path_params["page"]))
        return Response(png, media_type="image/png", headers=NO_STORE)

    return _with_project(request, respond)


def _number(written: str) -> int:
    """A number of an address, which the routes have seen to be one; -1 for one that nothing here reaches."""
    return int(written) if len(written) < 16 else -1


def _document_of(project: Project, request: Request) -> Document:
    found = load_document(project, request.path_params["doc"])
    if found is None:
        raise Refused(404, "The project has no such document.")
    return found


async def upload(request: Request) -> Response:
    """Read one uploaded file into the project; its body goes to disk as it comes."""
    name = unquote(request.headers.get(NAME_HEADER, ""))[:MAX_NAME]
    try:
        await run_in_threadpool(lambda: _project_of(request).close())
        with place_for(request.headers.get(HOME, "")), tempfile.NamedTemporaryFile() as file:
            await receive(request, file)
            content = Content.on_disk(Path(file.name))
            return await run_in_threadpool(
                _with_project, request, lambda project: _added(add_uploads(project, [(name, content)]))
            )
    except Refused as refused:
        return _sentence(refused.status, str(refused))
    except R3ConError as error:
        return _sentence(409, str(error))
    except ClientDisconnect:
        return _sentence(400, "The upload was broken off.")
    except OSError as error:
        return _sentence(507, f"The upload could not be kept: {error.strerror}. Make room and try again.")


def _added(added: Added) -> Response:
    lines = [{"path": line.path, "outcome": line.outcome, "reason": line.reason} for line in added.lines]
    return JSONResponse({"documents": added.documents, "lines": lines}, headers=NO_STORE)


class _Digits(StringConvertor):
    """Digits of an address as they are written: however many, they are no fault of the server."""

    regex = "[0-9]{1,100}"


register_url_convertor("digits", _Digits())


class _Assets(StaticFiles):
    """Files that a browser asks for anew each time, so that it never mixes those of two versions."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """One file, or that it has not changed."""
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        return response


ROUTES: list[BaseRoute] = [
    Route("/api/runs/{project}/{run}/since/{seq:digits}", since),
    Route("/api/runs/{project}/{run}/since/{seq:digits}/{doc}", since),
    Route("/api/runs/{project}/{run}/saw/{round:digits}/{doc}", saw),
    Route("/api/documents/{project}/{doc}", document),
    Route("/api/documents/{project}/{doc}/places", places),
    Route("/api/pages/{project}/{doc}/{page:digits}", page),
    Route("/api/upload/{project}", upload, methods=["POST"]),
    Mount("/assets", _Assets(directory=_WIDGETS / "frontend")),
]
"""The assets are our own public code."""
