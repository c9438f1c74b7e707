"""How the rows of load files belong together: pages of one document, tables of the same documents, families."""

import re
from collections.abc import Mapping, Sequence

from r3con_core.readers.loadfiles import Page, Role, Row, Table
from r3con_core.readers.productions_places import folder_of


def groups_of(pages: Mapping[str, Sequence[Page]]) -> dict[tuple[str, str], list[Page]]:
    """The pages of each document that the lists of pages begin, by list and first Bates number."""
    groups: dict[tuple[str, str], list[Page]] = {}
    for path, of_file in pages.items():
        current: list[Page] = []
        for page in of_file:
            if page.first or not current:
                current = groups.setdefault((path, page.bates.casefold()), [])
            current.append(page)
    return groups


def merged_rows(tables: Mapping[str, Table]) -> dict[str, tuple[Row, ...]]:
    """The rows of each table; a second table of the same documents in a folder adds its columns to the first."""
    merged: dict[str, tuple[Row, ...]] = {}
    for path, table in tables.items():
        begins = {row.get(Role.BEGIN).casefold() for row in table.rows}
        for other, rows in merged.items():
            if folder_of(other) == folder_of(path) and begins <= {row.get(Role.BEGIN).casefold() for row in rows}:
                merged[other] = _joined(rows, table.rows)
                merged[path] = ()
                break
        else:
            merged[path] = table.rows
    return merged


def _joined(rows: Sequence[Row], others: Sequence[Row]) -> tuple[Row, ...]:
    more = {row.get(Role.BEGIN).casefold(): row for row in others}
    return tuple(_with_fields(row, more.get(row.get(Role.BEGIN).casefold())) for row in rows)


def _with_fields(row: Row, other: Row | None) -> Row:
    has = {column.casefold() for column, _ in row.fields}
    return Row(fields=(*row.fields, *(one for one in (other.fields if other else ()) if one[0].casefold() not in has)))


def parents_of(rows: Sequence[Row], begins: Mapping[str, str]) -> dict[str, str]:
    """The family's parent of each attachment, by first Bates numbers; a document is never its own."""
    parents: dict[str, str] = {}
    for row in rows:
        begin = row.get(Role.BEGIN)
        for child in row.get(Role.CHILDREN).replace(",", ";").split(";"):
            parents.setdefault(child.strip().casefold(), begin)
    for row in rows:
        stated = [row.get(Role.PARENT), *_first_of_range(row.get(Role.FAMILY))]
        known = [begins[name.casefold()] for name in stated if name.casefold() in begins]
        if known:
            parents[row.get(Role.BEGIN).casefold()] = known[0]
    own = {child: begins.get(child, "").casefold() for child in parents}
    return {own[child]: parent for child, parent in parents.items() if own[child] not in ("", parent.casefold())}


def _first_of_range(stated: str) -> list[str]:
    """What may be the first number in "A-1", "A-1 - A-9", "A-000001-A-000009"."""
    middle = len(stated) // 2
    halved = [stated[:middle]] if len(stated) % 2 and stated[middle] in "-\u2013" else []
    return [stated, re.split(r"\s+(?:-|\u2013|to)\s+|;", stated)[0].strip(), *halved]
