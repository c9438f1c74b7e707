"""E-discovery productions: load files bring loose texts, page pictures and natives together into documents.

How the loader uses this, once for a folder tree or an unpacked container:

1. `plan([(path, content), ...])` with every file, paths as the analyst knows them ("prod/DATA/p.dat", or
   "prod.zip > DATA/p.dat"). It opens only what may be a load file, and nothing by a path that a load file states.
2. A path in `Plan.lines` is not read on its own: that line is its ledger line. Every other file is read as always.
3. After the line of a load file come the documents it lists, `Plan.nodes[path]`, in its order. Each is read like any
   file: `read_file(node.file(settings))`; the node's media type has its reader, `read_production_document`.
"""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from r3con_core.documents import Source
from r3con_core.readers import kinds
from r3con_core.readers.content import Content
from r3con_core.readers.ledger import File, LedgerLine, Outcome, ReadSettings, shown_name
from r3con_core.readers.loadfiles import Page, Role, Row, Table, read_list_of_pages, read_table_of_documents
from r3con_core.readers.productions_listed import Listed, bates_range, is_day_first, listed
from r3con_core.readers.productions_places import Places, folder_of, parts_of
from r3con_core.readers.productions_rows import groups_of, merged_rows, parents_of

_NAMED = 2
"""Documents that the line of a file names when it is part of several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One document of a production, to be read as a file of its own."""

    source: Source
    """Its path is that of the load file and its first Bates number: "prod/DATA/p.dat > NDHA-000101"."""
    content: Content
    """What the load file says of it, a `productions_listed.Listed` as JSON; small, in memory."""
    companions: tuple[tuple[str, Content], ...] = ()
    """Its files as role and content: "text", "text:NDHA-000102", "image:NDHA-000102", "native:NATIVES/a.xlsx"."""

    def file(self, settings: ReadSettings) -> File:
        """What its reader is given."""
        return File(content=self.content, source=self.source, settings=settings, companions=self.companions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How the files of a folder or container make up productions; empty when there is no load file among them."""

    nodes: Mapping[str, tuple[Node, ...]] = field(default_factory=dict)
    """The documents that each load file lists, in its order, by the load file's path."""
    lines: Mapping[str, LedgerLine] = field(default_factory=dict)
    """The ledger line of every load file and of every text, picture and native that is part of a document, by path."""


def plan(files: Iterable[tuple[str, Content]]) -> Plan:
    """The productions among `files`, which are given as path and content in any order."""
    contents = dict(files)
    pages = {path: listing for path, one in contents.items() if (listing := read_list_of_pages(path, one))}
    tables = {path: table for path, one in contents.items() if (table := read_table_of_documents(path, one))}
    if not pages and not tables:
        return Plan()
    return _Planning(contents, tables=tables, pages=pages).plan()


@dataclass(slots=True, kw_only=True)
class _Draft:
    """A document as far as its files are found."""

    listed: Listed
    companions: list[tuple[str, str]] = field(default_factory=list)
    """Role and path."""
    missing: list[str] = field(default_factory=list)


class _Planning:
    """Puts the documents of all load files together."""

    def __init__(
        self, contents: Mapping[str, Content], *, tables: Mapping[str, Table], pages: Mapping[str, Sequence[Page]]
    ) -> None:
        self._contents = contents
        self._pages = pages
        self._places = Places(path for path in contents if path not in pages)
        self._tables = {path: table for path, table in tables.items() if self._is_load_file(path, table)}
        self._groups = groups_of(pages)
        self._used_groups: set[tuple[str, str]] = set()
        self._parts: dict[str, list[str]] = defaultdict(list)
        """Which documents each file is part of, by its path."""

    def plan(self) -> Plan:
        drafts = {path: self._drafts(path, rows) for path, rows in merged_rows(self._tables).items()}
        for path in self._pages:
            drafts[path] = self._drafts_without_table(path)
        nodes = {path: tuple(self._node(path, draft) for draft in of_file) for path, of_file in drafts.items()}
        lines = {path: self._part_line(path, names) for path, names in self._parts.items()}
        lines |= {path: self._load_file_line(path, of_file) for path, of_file in drafts.items()}
        return Plan(nodes={path: found for path, found in nodes.items() if found}, lines=lines)

    def _is_load_file(self, path: str, table: Table) -> bool:
        """Whether a table is one for certain, or states the path of a file that is there."""
        stated = (row.get(role) for row in table.rows[:200] for role in (Role.TEXT, Role.NATIVE, Role.PICTURE))
        finds = any(self._places.find(value, near=path) for value in stated if value and len(value) < 1000)
        begins = {row.get(Role.BEGIN).casefold() for row in table.rows}
        pictured = any(page.bates.casefold() in begins for of_file in self._pages.values() for page in of_file[:200])
        return finds or pictured or table.sure

    def _drafts(self, path: str, rows: Sequence[Row]) -> list[_Draft]:
        day_first = is_day_first(rows)
        taken: set[str] = set()
        begins = {number.casefold(): row.get(Role.BEGIN) for row in rows for number in row.all(Role.BEGIN)}
        parents = parents_of(rows, begins)
        drafts = []
        for number, row in enumerate(rows, 1):
            begin = row.get(Role.BEGIN) or f"row {number}"
            one = listed(row, name=_apart(begin, taken), day_first=day_first)
            parent = parents.get(begin.casefold(), "")
            draft = _Draft(listed=replace(one, parent=f"{path} > {shown_name(parent)}" if parent else ""))
            self._add_files(draft, row, path)
            drafts.append(draft)
        return drafts

    def _drafts_without_table(self, path: str) -> list[_Draft]:
        """The documents of a list of pages that no table names."""
        drafts = []
        for key, group in self._groups.items():
            if key[0] != path or key in self._used_groups:
                continue
            one = Listed(name=group[0].bates, begin=group[0].bates, end=group[-1].bates)
            draft = _Draft(listed=one)
            self._add_files(draft, Row(fields=(("BEGDOC", one.begin), ("ENDDOC", one.end))), path)
            drafts.append(draft)
        return drafts

    def _add_files(self, draft: _Draft, row: Row, path: str) -> None:
        """Find the files of a document, and note those that are missing."""
        group = self._group(draft.listed.begin, path)
        stated = bates_range(draft.listed.begin, draft.listed.end)
        shown = [page.bates for page in group]
        keys = stated if set(shown) <= set(stated) else shown
        draft.listed = replace(draft.listed, pages=tuple(keys))
        self._add_text(draft, row, path)
        for page in group:
            self._add(draft, f"image:{page.bates}", page.path, near=path, what="page picture")
        for role, name in ((Role.PICTURE, "image"), (Role.NATIVE, "native")):
            if (value := row.get(role)) and not (group and role is Role.PICTURE):
                label = draft.listed.begin if role is Role.PICTURE else value
                self._add(draft, f"{name}:{label}", value, near=path, what=_WHAT[role])
        if not row.get(Role.NATIVE) and (value := row.get(Role.SOURCE_PATH)):
            self._add_from_source_path(draft, value, near=path)

    def _add_from_source_path(self, draft: _Draft, stated: str, *, near: str) -> None:
        """Take the path for that of a native if it leads to one here, or at least does not start at somebody's disk."""
        found = self._places.find(stated, near=near)
        if found and parts_of(found)[-2:] == parts_of(stated)[-2:]:
            self._take(draft, f"native:{stated}", found)
        elif not found and not _ABSOLUTE.match(stated) and kinds.suffix_of(stated):
            draft.missing.append(f"native file {shown_name(stated)}")

    def _add_text(self, draft: _Draft, row: Row, path: str) -> None:
        value = row.get(Role.TEXT)
        if value and _is_words(value):
            draft.listed = replace(draft.listed, text=value)
            return
        own = self._places.find(value, near=path) if value else None
        by_page = self._texts_by_page(draft.listed.pages, beside=own, near=path)
        if by_page and (own is None or own in by_page.values()):
            for bates, found in by_page.items():
                self._take(draft, f"text:{bates}", found)
        elif own:
            self._take(draft, "text", own)
        elif value:
            draft.missing.append(f"text file {shown_name(value)}")

    def _texts_by_page(self, pages: Sequence[str], *, beside: str | None, near: str) -> dict[str, str]:
        """Text files that are called like the pages: those in one folder with `beside`, when that is given."""
        folder = folder_of(beside) if beside else ""
        if beside and not any(self._places.find(f"{folder}{bates}.txt", near=near) for bates in pages[1:2]):
            return {}
        stated = ((bates, self._places.find(f"{folder}{bates}.txt", near=near)) for bates in pages)
        found = {bates: path for bates, path in stated if path is not None and path.startswith(folder)}
        return found if not beside or len(found) > 1 else {}

    def _group(self, begin: str, near: str) -> Sequence[Page]:
        """The pages of the document that begins with this number, from the list of pages closest to the table."""
        with_it = [key for key in ((path, begin.casefold()) for path in self._pages) if key in self._groups]
        if not with_it:
            return ()
        home = parts_of(near)
        key = max(with_it, key=lambda one: _shared(parts_of(one[0]), home))
        self._used_groups.add(key)
        return self._groups[key]

    def _add(self, draft: _Draft, role: str, stated: str, *, near: str, what: str = "") -> None:
        if found := self._places.find(stated, near=near):
            self._take(draft, role, found)
        elif what:
            draft.missing.append(f"{what} {shown_name(stated)}")

    def _take(self, draft: _Draft, role: str, path: str) -> None:
        if path not in (taken for _, taken in draft.companions):
            draft.companions.append((role, path))
            self._parts[path].append(draft.listed.name)

    def _node(self, path: str, draft: _Draft) -> Node:
        missing = [f"Its {name} is missing." for name in draft.missing]
        if not draft.companions and not draft.listed.text and not missing:
            missing = ["The production has no text, page picture or native of it."]
        one = replace(draft.listed, warnings=(*draft.listed.warnings, *_few(missing)))
        companions = tuple((role, self._contents[found]) for role, found in draft.companions)
        said = json.dumps({**one.as_json(), "files": [[role, content.size] for role, content in companions]}).encode()
        source = Source(
            path=f"{path} > {shown_name(one.name)}",
            sha256=hashlib.sha256(said).hexdigest(),
            media_type=kinds.PRODUCTION_DOCUMENT,
        )
        return Node(source=source, content=Content.held(said), companions=companions)

    def _part_line(self, path: str, names: Sequence[str]) -> LedgerLine:
        kept = [shown_name(name) for name in dict.fromkeys(names)]
        more = [f"{len(kept) - _NAMED} more documents"] if len(kept) > _NAMED + 1 else kept[_NAMED:]
        reason = f"part of {' and '.join([*kept[:_NAMED], *more])}"
        return LedgerLine(path=path, outcome=Outcome.READ, reason=reason, size=self._contents[path].size)

    def _load_file_line(self, path: str, drafts: Sequence[_Draft]) -> LedgerLine:
        size = self._contents[path].size
        if not drafts:
            reason = "a load file, whose pages belong to documents of another" if path in self._pages else "a load file"
            return LedgerLine(path=path, outcome=Outcome.READ, reason=reason, size=size)
        missing = sum(len(draft.missing) for draft in drafts)
        bare = sum(not draft.companions and not draft.listed.text for draft in drafts)
        said = [f"a load file of {_number(len(drafts), 'document')}"]
        said += [f"{_number(missing, 'file')} it names {'is' if missing == 1 else 'are'} missing"] if missing else []
        said += [f"{_number(bare, 'document')} without any file"] if bare else []
        outcome = Outcome.READ_WITH_WARNINGS if len(said) > 1 else Outcome.READ
        return LedgerLine(path=path, outcome=outcome, reason="; ".join(said), size=size)


_WHAT = {Role.PICTURE: "page pictures", Role.NATIVE: "native file"}
_ABSOLUTE = re.compile(r"[A-Za-z]:|\\\\|/|[a-z]+://")
_WORDS = 260
"""Characters beyond which no value is a path."""


def _is_words(value: str) -> bool:
    """Whether the value of a column of texts is a text itself, and not the path of one."""
    if "\n" in value or len(value) > _WORDS:
        return True
    return " " in value.strip() and "\\" not in value and "/" not in value and not kinds.suffix_of(value)


def _apart(name: str, taken: set[str]) -> str:
    own, number = name, 1
    while own in taken:
        number += 1
        own = f"{name} ({number})"
    taken.add(own)
    return own


def _few(sentences: Sequence[str]) -> Iterator[str]:
    yield from sentences[:3]
    if len(sentences) > 3:
        yield f"{len(sentences) - 3} more of its files are missing."


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
