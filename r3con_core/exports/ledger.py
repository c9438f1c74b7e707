"""The ledger as a file to take along."""

from collections.abc import Iterable

from r3con_core.store.documents import LedgerEntry
from r3con_core.views.tables import to_csv


def export_ledger(lines: Iterable[LedgerEntry]) -> bytes:
    """All columns of the ledger as CSV, a row for each file and member."""
    return to_csv([ledger_row(line) for line in lines])


def ledger_row(line: LedgerEntry) -> dict[str, object]:
    """One line by column."""
    return {
        "file": line.path,
        "outcome": line.outcome,
        "why": line.reason,
        "bytes": line.size,
        "sha256": line.sha256,
        "type": line.media_type,
        "pages": line.pages or None,
        "pages read": line.pages_read if line.pages else None,
        "needs a password": line.locked,
        "loaded (UTC)": line.loaded,
    }
