"""What an evidence bundle says of itself: whose run it is, and the hash of each of its members."""

import hashlib
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from r3con_core import __version__
from r3con_core.runs import Run

RUN_FILE_SUFFIX = ".r3con.zip"
FORMAT = "r3con-run"
FORMAT_VERSION = 2
"""2 has a hash of the whole, and prompts, replies, changes and settings as texts; 1 is still opened."""
MANIFEST = "manifest.json"
MAX_FILE_BYTES = 2 << 30
MAX_STORE_BYTES = 4 << 30
MAX_MANIFEST_BYTES = 1 << 20
MAX_MEMBERS = 500
_SAFE_NAME = re.compile(r"(?:records/)?[\w][\w.-]*")
RUN_ID = re.compile(r"run-[0-9A-Za-z-]{1,60}")
DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, RuntimeError, EOFError),
    *(ValueError, OverflowError),
)
"""What reading a torn or strange zip file ends in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """What the manifest says of one member."""

    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The whole of it."""

    format: str
    version: int
    made_by: str
    project: str
    run: str
    question: str
    created: str
    files: dict[str, Member]
    chain: str = ""
    """SHA-256 of all else here; what a person signs or has stamped with the time. Empty in version 1."""

    def chained(self) -> str:
        """What `chain` must be."""
        told = asdict(replace(self, chain=""))
        said = json.dumps(told, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()


def is_safe(name: str) -> bool:
    """Whether a member may be called so; records have their type's name, which may have signs that no word has."""
    record_type = name.removeprefix("records/").removesuffix(".csv")
    return bool(_SAFE_NAME.fullmatch(name)) or (record_type.isidentifier() and name == f"records/{record_type}.csv")


def made_by() -> str:
    """This product and its version."""
    return f"R3Con Analyst {__version__}"


def make_manifest(project_name: str, run: Run, files: Mapping[str, bytes]) -> Manifest:
    """The manifest of a bundle with these members."""
    manifest = Manifest(
        format=FORMAT,
        version=FORMAT_VERSION,
        made_by=made_by(),
        project=storable(project_name),
        run=run.id,
        question=storable(run.task.text),
        created=run.created,
        files={name: Member(sha256=hashlib.sha256(data).hexdigest(), bytes=len(data)) for name, data in files.items()},
    )
    return replace(manifest, chain=manifest.chained())


def storable(text: str) -> str:
    """As it comes back from a file."""
    return text.encode("utf-8", "replace").decode("utf-8")


def written(manifest: Manifest) -> bytes:
    """The manifest as the member it is."""
    return json.dumps(asdict(manifest), ensure_ascii=False, indent=1).encode("utf-8", "replace")
