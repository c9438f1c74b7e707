"""What holds a project's documents back from models: the usual signs of counsel, and the analyst's own list."""

from r3con_core.privilege import HOLDING_KINDS, Holding, held_family
from r3con_core.store.decisions import hold_documents, released_ids
from r3con_core.store.documents import iter_documents
from r3con_core.store.holding import list_holding
from r3con_core.store.project import Project


def holding_of(project: Project) -> Holding:
    """The signs that count in this project."""
    listed = list_holding(project)
    return Holding(**{kind: listed.get(kind, ()) for kind in HOLDING_KINDS})


def hold_listed(project: Project, *, author: str) -> int:
    """Hold back the documents here that the list, as it is now, makes privileged; how many. Released ones stay so."""
    found = held_family(iter_documents(project), holding_of(project))
    released = released_ids(project)
    by_reason: dict[str, list[str]] = {}
    for document_id, reason in found.items():
        if document_id not in released:
            by_reason.setdefault(reason, []).append(document_id)
    return sum(hold_documents(project, ids, author=author, note=reason) for reason, ids in by_reason.items())
