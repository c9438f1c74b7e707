"""What holds a project's documents back from models: the usual signs of counsel, and the analyst's own list."""

from collections.abc import Iterable, Sequence

from r3con_core.folders import naming_pattern, places_of
from r3con_core.privilege import HOLDING_KINDS, Holding, held_family
from r3con_core.store.decisions import hold_documents, released_ids
from r3con_core.store.documents import iter_documents
from r3con_core.store.holding import list_holding, places_read, replace_holding
from r3con_core.store.project import Project

BY_LIST = "the list"
"""Who holds back what the analyst's list names."""


def holding_of(project: Project) -> Holding:
    """The signs that count in this project."""
    listed = list_holding(project)
    return Holding(**{kind: listed.get(kind, ()) for kind in HOLDING_KINDS})


def hold_listed(project: Project, *, author: str) -> int:
    """Hold back the documents here that the list, as it is now, makes privileged or never lets be sent; how many.

    Released ones stay so.
    """
    found = held_family(iter_documents(project), holding_of(project))
    return _hold(project, {**found, **_placed(project)}, author)


def never_send(project: Project, patterns: Iterable[str], *, author: str) -> int:
    """Add folders and files, here or to come, to those that are never sent; how many documents that holds back now."""
    listed = list_holding(project).get("folders", ())
    replace_holding(project, "folders", dict.fromkeys((*listed, *patterns)), author=author)
    return hold_placed(project, author=author)


def hold_placed(project: Project, *, author: str = BY_LIST) -> int:
    """Hold back the documents one of whose places the list names: where they were read, or a file just like them."""
    return _hold(project, _placed(project), author)


def why_never_sent(path: str, read_from: Iterable[str], folders: Sequence[str]) -> str:
    """Why a document at this path of an import is never sent, as a plain phrase; "" when it may be."""
    pattern = naming_pattern(places_of(path, read_from), folders) if folders else ""
    return f"never sent: “{pattern}” is on your list" if pattern else ""


def _placed(project: Project) -> dict[str, str]:
    folders = list_holding(project).get("folders", ())
    if not folders:
        return {}
    told = ((of, why_never_sent(path, read_from, folders)) for of, path, read_from in places_read(project))
    return {of: reason for of, reason in told if reason}


def _hold(project: Project, found: dict[str, str], author: str) -> int:
    released = released_ids(project)
    by_reason: dict[str, list[str]] = {}
    for document_id, reason in found.items():
        if document_id not in released:
            by_reason.setdefault(reason, []).append(document_id)
    return sum(hold_documents(project, ids, author=author, note=reason) for reason, ids in by_reason.items())
