"""What each run sent: a row for every try, written before anything leaves and completed when it has ended.

`documents` are ranges of numbers in the run. A row holds no text and no key.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from r3con_core.sendings import ANSWERED, End, Ended, Sending
from r3con_core.store.numbering import count_ranges, document_numbers, joined, read_ranges, write_ranges
from r3con_core.store.project import Project


def begin_sending(project: Project, sending: Sending) -> End:
    """Write down a sending of a run that is about to go out; StoreError where that cannot be, and then it may not go."""
    numbers = document_numbers(project, sending.run_id)
    held = write_ranges(sorted({numbers[each] for each in sending.documents if each in numbers}))
    with project.change() as db:
        number = db.execute(
            "insert into egress (sent, run_id, purpose, host, call, document_id, documents, bytes_sent) "
            "values (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                sending.sent,
                sending.run_id,
                sending.purpose,
                sending.host,
                sending.call,
                sending.document_id,
                held,
                sending.bytes_sent,
            ),
        ).lastrowid

    def end(ended: Ended) -> None:
        with project.change() as db:
            db.execute(
                "update egress set outcome = ?, bytes_received = ? where number = ?",
                (ended.outcome, ended.bytes_received, number),
            )

    return end


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One request of a run as it is kept."""

    sent: str
    """UTC, ISO 8601 to the millisecond."""
    purpose: str
    host: str
    call: str
    document_id: str
    """The document whose text it held; "" for none."""
    documents: str
    """Numbers in the run of all documents of which it held anything, as ranges."""
    bytes_sent: int
    bytes_received: int
    outcome: str
    """"" where its end was not seen."""

    @property
    def count(self) -> int:
        """Of how many documents it held anything."""
        return count_ranges(self.documents)


_COLUMNS = "sent, purpose, host, call, document_id, documents, bytes_sent, bytes_received, outcome"


def list_sent(project: Project, run_id: str) -> tuple[Sent, ...]:
    """What one run sent, oldest first."""
    rows = project.db.execute(f"select {_COLUMNS} from egress where run_id = ? order by number", (run_id,))
    return tuple(Sent(**dict(row)) for row in rows)


def count_sent(project: Project, run_id: str) -> int:
    """How many requests that were."""
    return int(project.db.execute("select count(*) from egress where run_id = ?", (run_id,)).fetchone()[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class HostTotal:
    """What went to one host altogether."""

    host: str
    requests: int
    answered: int
    bytes_sent: int
    bytes_received: int
    documents: int
    """Of which any text, snippet or record went there."""


def totals_by_host(sent: Iterable[Sent]) -> tuple[HostTotal, ...]:
    """One line for each host, in the order they were first sent to."""
    grouped: dict[str, list[Sent]] = {}
    for each in sent:
        grouped.setdefault(each.host, []).append(each)
    return tuple(
        HostTotal(
            host=host,
            requests=len(there),
            answered=sum(each.outcome == ANSWERED for each in there),
            bytes_sent=sum(each.bytes_sent for each in there),
            bytes_received=sum(each.bytes_received for each in there),
            documents=_count_all(each.documents for each in there),
        )
        for host, there in grouped.items()
    )


def _count_all(documents: Iterable[str]) -> int:
    ranges = (each for text in set(documents) for each in read_ranges(text))
    return sum(last - first + 1 for first, last in joined(ranges))
