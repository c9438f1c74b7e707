"""What was sent, as a table to take along: who got what of which documents; never a word of it."""

import json
from collections.abc import Iterable, Mapping

from r3con_core.store.egress import HostTotal, Sent, list_sent
from r3con_core.store.numbering import document_numbers
from r3con_core.store.project import Project
from r3con_core.views.tables import to_csv

PURPOSES = {
    "focus": "what to look for",
    "relevance": "reading a document",
    "digest": "digest of snippets",
    "schema": "schema",
    "parsing": "parsing a document",
    "reasoning": "reasoning",
}
"""Stages as people say them; other purposes are words already."""
_COLUMNS = [
    *("sent (UTC)", "run", "purpose", "host", "call", "text of document", "anything of documents"),
    *("bytes sent", "bytes received", "outcome"),
]
NOT_SEEN = "end not seen"
"""Of a request whose process ended before it."""


def sent_rows(project: Project, run_id: str, sent: Iterable[Sent]) -> list[dict[str, object]]:
    """Requests of a run by column; documents by their numbers in it."""
    numbers = document_numbers(project, run_id)
    return [
        {
            "sent (UTC)": each.sent,
            "run": run_id,
            "purpose": PURPOSES.get(each.purpose, each.purpose),
            "host": each.host,
            "call": each.call,
            "text of document": numbers.get(each.document_id),
            "anything of documents": each.documents,
            "bytes sent": each.bytes_sent,
            "bytes received": each.bytes_received,
            "outcome": each.outcome or NOT_SEEN,
        }
        for each in sent
    ]


def export_sent_csv(rows: Iterable[Mapping[str, object]]) -> bytes:
    """The same as CSV; its head alone for no rows."""
    return to_csv(list(rows), _COLUMNS)


def export_sent_json(rows: Iterable[Mapping[str, object]]) -> bytes:
    """The same as JSON lines."""
    return "".join(json.dumps(dict(row)) + "\n" for row in rows).encode("ascii")


def sent_text(project: Project, run_id: str) -> str:
    """The whole log of a run as CSV text."""
    return export_sent_csv(sent_rows(project, run_id, list_sent(project, run_id))).decode("utf-8-sig")


def total_text(total: HostTotal) -> str:
    """What went to one host, in a line."""
    return (
        f"{total.host}: {total.requests:,} requests, {total.answered:,} answered, of {total.documents:,} documents, "
        f"{total.bytes_sent:,} bytes sent and {total.bytes_received:,} received"
    )
