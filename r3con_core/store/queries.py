"""Queries kept by name in a project, as rows; what a query is, the package `queries` says."""

from dataclasses import dataclass

from r3con_core.errors import StoreError
from r3con_core.exchange import whole_letters
from r3con_core.store.project import Project, now

LONGEST_NAME = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedQuery:
    """One query as it is kept."""

    number: int
    """Of the project, in the order in which they were saved."""
    name: str
    query: str
    """As JSON."""
    author: str
    made: str
    """UTC, ISO 8601."""


def save_query(project: Project, name: str, query: str, *, author: str) -> SavedQuery:
    """Keep a query under a name, in place of one of that name; StoreError for a name that cannot be."""
    name, query, author = " ".join(whole_letters(name).split()), whole_letters(query), whole_letters(author)
    if not name:
        raise StoreError("Give the query a name.")
    if len(name) > LONGEST_NAME:
        raise StoreError(f"A query's name may have {LONGEST_NAME} characters at most.")
    with project.change() as db:
        db.execute("delete from queries where name = ?", (name,))
        added = db.execute(
            "insert into queries (name, query, author, made) values (?, ?, ?, ?)", (name, query, author, now())
        )
        row = db.execute("select * from queries where number = ?", (added.lastrowid,)).fetchone()
    return SavedQuery(**dict(row))


def list_queries(project: Project) -> tuple[SavedQuery, ...]:
    """All that are kept, by name."""
    rows = project.db.execute("select number, name, query, author, made from queries")
    return tuple(sorted((SavedQuery(**dict(row)) for row in rows), key=lambda one: (one.name.casefold(), one.number)))


def query_called(project: Project, name: str) -> SavedQuery:
    """The query of that name; StoreError when none is kept."""
    found = next((one for one in list_queries(project) if one.name == name), None)
    if found is None:
        raise StoreError(f"No query is kept under the name {name!r} in this project.")
    return found


def delete_query(project: Project, name: str) -> None:
    """Keep it no longer; StoreError when there is none of that name."""
    one = query_called(project, name)
    with project.change() as db:
        db.execute("delete from queries where number = ?", (one.number,))
