"""What Streamlit keeps in memory for one page and gives to whoever names it: bound to the person here.

Which page holds what is known only to private tables of Streamlit 1.67; a test fails when they are not there.
"""

from pathlib import PurePosixPath
from typing import Any

from google.protobuf.message import DecodeError
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime

from pages.entry.logins import Login
from pages.entry.stamp import HOME

_MEDIA, _UPLOADS = "/media/", "/_stcore/upload_file/"
_LONGEST_ANSWER, _MOST_MADE = 4_000, 1_000
"""Bytes of an answer that tells an address; addresses remembered."""
_MOST_HELD, _LARGEST_HELD = 1_000, 2_000_000_000
"""Files sent to one page, and bytes of those sent to all."""
_NEEDED = frozenset({"rerun_script", "stop_script", "app_heartbeat", "file_urls_request", "backend_operation_request"})
"""Of the messages a page can send. Among the others are one that empties all people's caches, and one that asks for the
state of the program's repository."""


def may_have(path: str, login: Login) -> bool:
    """Whether the address may be answered to this person: all but what was made for, or is sent to, another's page."""
    if path.startswith(_MEDIA):
        return path in login.made or _shown_to(PurePosixPath(path[len(_MEDIA) :]).stem, login)
    if path.startswith(_UPLOADS):
        return _is_of(path[len(_UPLOADS) :].partition("/")[0], login)
    return True


def has_room(path: str) -> bool:
    """Whether a file may be sent to a page: what all pages hold of such files stays in memory."""
    if not path.startswith(_UPLOADS):
        return True
    held: Any = Runtime.instance().uploaded_file_mgr
    pages = [list(files.values()) for files in list(held.file_storage.values())]
    theirs = list(held.file_storage.get(path[len(_UPLOADS) :].partition("/")[0], {}))
    return len(theirs) < _MOST_HELD and sum(len(file.data) for files in pages for file in files) < _LARGEST_HELD


def read_message(data: bytes) -> BackMsg | None:
    """What a page says; None when that is nothing that can be read."""
    told = BackMsg()
    try:
        told.ParseFromString(data)
    except DecodeError:
        return None
    return told


def may_say(told: BackMsg, login: Login) -> bool:
    """Whether a page of this person may say this: what pages need, about files and tables of their own."""
    kind = told.WhichOneof("type")
    if kind != "backend_operation_request":
        return kind in _NEEDED
    asked, runtime = told.backend_operation_request, Runtime.instance()
    match asked.WhichOneof("payload"):
        case "deferred_file":
            made: Any = runtime.media_file_mgr._deferred_callables.get(asked.deferred_file.file_id)  # noqa: SLF001
            return made is not None and _is_of(made["session_id"], login)
        case "dataframe_chunk":
            source: Any = runtime.dataframe_source_mgr._sources.get(asked.dataframe_chunk.source_id)  # noqa: SLF001
            return source is not None and _is_of(source.session_id, login)
    return False


def note_made(data: bytes, login: Login) -> None:
    """Remember the address of a file that a page of this login is told because it asked for it.

    Only where it is told in the one field that is for it: the texts of documents may hold such addresses too.
    """
    if len(data) > _LONGEST_ANSWER or _MEDIA.encode() not in data:
        return
    told = ForwardMsg()
    try:
        told.ParseFromString(data)
    except DecodeError:
        return
    if told.WhichOneof("type") == "backend_operation_response" and told.backend_operation_response.deferred_file.url:
        login.made[told.backend_operation_response.deferred_file.url] = None
        if len(login.made) > _MOST_MADE:
            del login.made[next(iter(login.made))]


def is_a_persons(told: BackMsg) -> bool:
    """Whether it comes of something a person did, not of a timer."""
    return told.WhichOneof("type") != "app_heartbeat" and not told.rerun_script.is_auto_rerun


def _shown_to(file_id: str, login: Login) -> bool:
    held = Runtime.instance().media_file_mgr._files_by_session_and_coord  # noqa: SLF001 - there is no other way to know
    return any(file_id in list(files.values()) and _is_of(session, login) for session, files in list(held.items()))


def _is_of(session_id: str, login: Login) -> bool:
    """Whether the open page of that session is the person's."""
    client = Runtime.instance().get_client(session_id)
    if client is None or client.client_context is None:
        return False
    theirs = [value for name, value in client.client_context.headers if name.lower() == HOME.lower()]
    return theirs == [login.person.folder]
