"""Bytes become documents. `load_paths` and `load_bytes` are the door; each format is one module behind it."""

from r3con_core.readers.ledger import LedgerLine, Loading, Member, Outcome, Reader, join_loadings
from r3con_core.readers.listing import digest_files, number_of
from r3con_core.readers.loading import (
    count_files,
    iter_load,
    iter_load_bytes,
    load_bytes,
    load_paths,
)
from r3con_core.readers.registry import READERS

__all__ = [
    "READERS",
    "LedgerLine",
    "Loading",
    "Member",
    "Outcome",
    "Reader",
    "count_files",
    "digest_files",
    "iter_load",
    "iter_load_bytes",
    "join_loadings",
    "load_bytes",
    "load_paths",
    "number_of",
]
