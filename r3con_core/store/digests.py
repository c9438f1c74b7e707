"""Digests of snippets as rows; the documents one covers are kept as ranges of their numbers in the run."""

from collections.abc import Sequence

from r3con_core.snippets import Digest
from r3con_core.store.numbering import document_numbers, read_documents, write_documents
from r3con_core.store.project import Project
from r3con_core.store.runs import next_seq


def save_digest(project: Project, run_id: str, round_number: int, digest: Digest) -> None:
    """One digest of a round's snippets, in place of the one of its level and number."""
    covers = write_documents(document_numbers(project, run_id), digest.covers)
    place = (run_id, round_number, digest.level, digest.number)
    kept = (covers, digest.text, digest.cut)
    with project.change() as db:
        same = db.execute(
            "select 1 from digests where (run_id, round, level, number, covers, text, cut) = (?, ?, ?, ?, ?, ?, ?)",
            (*place, *kept),
        ).fetchone()
        if not same:
            row = (*place, *kept, next_seq(db, run_id))
            db.execute("insert or replace into digests values (?, ?, ?, ?, ?, ?, ?, ?)", row)


def clear_digests(project: Project, run_id: str, round_number: int) -> None:
    """Forget a round's digests, before it is divided into groups anew."""
    with project.change() as db:
        if db.execute("delete from digests where run_id = ? and round = ?", (run_id, round_number)).rowcount:
            next_seq(db, run_id)


def save_digests(project: Project, run_id: str, round_number: int, digests: Sequence[Digest]) -> None:
    """All digests of a round, in place of those it had."""
    if load_digests(project, run_id, round_number) == tuple(digests):
        return
    clear_digests(project, run_id, round_number)
    for digest in digests:
        save_digest(project, run_id, round_number, digest)


def load_digests(project: Project, run_id: str, round_number: int) -> tuple[Digest, ...]:
    """A round's digests, by level and number."""
    rows = project.db.execute(
        "select * from digests where run_id = ? and round = ? order by level, number", (run_id, round_number)
    ).fetchall()
    ids = tuple(document_numbers(project, run_id)) if rows else ()
    return tuple(
        Digest(
            level=row["level"],
            number=row["number"],
            covers=read_documents(ids, row["covers"]),
            text=row["text"],
            cut=bool(row["cut"]),
        )
        for row in rows
    )
