"""A page of a running app without a browser: a real websocket that speaks Streamlit's protocol."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

SECONDS, QUIET = 20.0, 0.7


@dataclass
class Page:
    """One open page, and all it was sent."""

    connection: ClientConnection
    told: list[ForwardMsg] = field(default_factory=list)

    def run(self, query: str = "", page: str = "") -> str:
        """Run the page's script as a browser would; all that it was sent then, as text."""
        ask = BackMsg()
        ask.rerun_script.query_string = query
        ask.rerun_script.page_name = page
        self.connection.send(ask.SerializeToString())
        told: list[ForwardMsg] = []
        while not told or told[-1].WhichOneof("type") != "script_finished":
            message = ForwardMsg()
            message.ParseFromString(self.connection.recv(SECONDS, decode=False))
            told.append(message)
        self.told += told
        return "\n".join(str(message) for message in told)

    def say(self, kind: str) -> None:
        """Send a message of this kind that asks for no answer."""
        self.connection.send(BackMsg(**{kind: True}).SerializeToString())  # type: ignore[arg-type]

    def drain(self) -> list[str]:
        """The kinds of message that still come, until none has for a while."""
        kinds: list[str] = []
        while True:
            message = ForwardMsg()
            try:
                message.ParseFromString(self.connection.recv(QUIET, decode=False))
            except TimeoutError:
                return kinds
            kinds.append(str(message.WhichOneof("type")))

    def deferred(self, query: str) -> str:
        """The number of the file that the page offers, to be made when it is asked for."""
        self.run(query)
        found = [
            m.delta.new_element.download_button for m in self.told if m.delta.new_element.HasField("download_button")
        ]
        return found[-1].deferred_file_id

    def ask_for(self, deferred: str) -> None:
        """Ask for such a file to be made."""
        ask = BackMsg()
        ask.backend_operation_request.request_id = "1"
        ask.backend_operation_request.session_id = self.session
        ask.backend_operation_request.deferred_file.file_id = deferred
        self.connection.send(ask.SerializeToString())

    def download(self, query: str) -> str:
        """The address of the file that the page offers."""
        self.ask_for(self.deferred(query))
        message = ForwardMsg()
        while message.WhichOneof("type") != "backend_operation_response":
            message.ParseFromString(self.connection.recv(SECONDS, decode=False))
        return message.backend_operation_response.deferred_file.url

    @property
    def session(self) -> str:
        """The number Streamlit gave the session."""
        return next(m.new_session.initialize.session_id for m in self.told if m.WhichOneof("type") == "new_session")


@contextmanager
def open_line(
    address: str,
    cookie: str = "",
    *,
    origin: str | None = None,
    session: str = "",
    headers: dict[str, str] | None = None,
) -> Iterator[Page]:
    """A connection of a page; `session`: the number of an earlier one to take up. Raises InvalidStatus when refused."""
    with connect(
        f"{address.replace('http', 'ws', 1)}/_stcore/stream",
        origin=address if origin is None else origin or None,  # type: ignore[arg-type]
        subprotocols=["streamlit", "none", *([session] if session else [])],  # type: ignore[list-item]
        additional_headers={**({"Cookie": cookie} if cookie else {}), **(headers or {})},
        open_timeout=SECONDS,
        max_size=None,
    ) as connection:
        yield Page(connection)
