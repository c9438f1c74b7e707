"""Where each value of a record stands: in one of its quotes, elsewhere in its document, or nowhere.

Pure. Whether a value is in its document was found when the record was made (`Record.unsupported`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from r3con_core.documents import Document, Span
from r3con_core.evidence import SURE, Grounded, find_quote
from r3con_core.method.grounding import is_supported
from r3con_core.records import Record, Value
from r3con_core.schemas import Choice, Field, Group, Kind, ListOf, RecordType
from r3con_core.snippets import Author


class CellState(StrEnum):
    """Where a value stands, best first."""

    QUOTED = "in its quote"
    DOCUMENT = "in its document, not in its quote"
    NOWHERE = "not in its document"
    CHOICE = "a choice, not looked for in the text"
    PERSON = "given by a person"
    EMPTY = "not stated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One single value of a record."""

    path: tuple[str, ...]
    """Field names, and places in lists from 0, such as ("goods", "0", "owner")."""
    field: Field
    value: Value
    """A single value, or None; lists and groups are several cells."""
    state: CellState
    quote: int | None = None
    """Which of the record's quotes holds it, from 0; None when none of those found does."""
    written: str | None = None
    """What the document has, where a person found that the name means another one."""

    @property
    def name(self) -> str:
        """Its path as `Record.unsupported` writes it: "goods.0.owner"."""
        return ".".join(self.path)


def cells_of(record: Record, record_type: RecordType, written: Mapping[str, str] | None = None) -> tuple[Cell, ...]:
    """All cells of a record in the order of the schema; a list without entries is one empty cell.

    `written` are the names that are read otherwise than the document has them, by path (`Corrected.written`).
    """
    return tuple(
        _cell(record, field, path, (value, (written or {}).get(".".join(path))))
        for top in record_type.fields
        for field, path, value in _single(top, (top.name,), record.values.get(top.name))
    )


def _single(field: Field, path: tuple[str, ...], value: Value) -> Iterator[tuple[Field, tuple[str, ...], Value]]:
    kind = field.kind.item if isinstance(field.kind, ListOf) else field.kind
    if isinstance(value, list) and value:
        for at, item in enumerate(value):
            yield from _single(field, (*path, str(at)), item)
    elif isinstance(kind, Group) and isinstance(value, dict):
        for inner in kind.fields:
            yield from _single(inner, (*path, inner.name), value.get(inner.name))
    else:
        yield field, path, None if isinstance(value, list | dict) else value


def _cell(record: Record, field: Field, path: tuple[str, ...], told: tuple[Value, str | None]) -> Cell:
    value, written = told
    quote = _quote_with(record, value if written is None else written)
    state = _state(record, field.kind, path, value)
    if state is CellState.DOCUMENT and quote is not None:
        state = CellState.QUOTED
    return Cell(path=path, field=field, value=value, state=state, quote=quote, written=written)


def _quote_with(record: Record, value: Value) -> int | None:
    """The first quote found in a document that holds the value; yes and no stand in no words."""
    if value is None or isinstance(value, bool):
        return None
    found = ((at, one.quote) for at, one in enumerate(record.evidence) if isinstance(one, Grounded))
    return next((at for at, quote in found if is_supported(value, quote)), None)


def _state(record: Record, kind: Kind, path: tuple[str, ...], value: Value) -> CellState:
    """Without a look at the quotes."""
    if value is None:
        return CellState.EMPTY
    if path[0] in record.changed or record.author is Author.HUMAN:
        return CellState.PERSON
    if isinstance(value, bool) or isinstance(kind.item if isinstance(kind, ListOf) else kind, Choice):
        return CellState.CHOICE
    return CellState.NOWHERE if ".".join(path) in record.unsupported else CellState.DOCUMENT


def find_value(value: Value, document: Document) -> Span | None:
    """Where in a document a value stands as it is, or a number as it may be written; None where that is nowhere."""
    forms = [str(value)]
    if isinstance(value, int | float) and not isinstance(value, bool):
        whole = int(value) if float(value).is_integer() else value
        forms = [str(whole), *(f"{whole:,}".replace(",", separator) for separator in (",", ".", " ", "\u00a0", "'"))]
    for form in forms:
        found = find_quote(form, document, None, finders=SURE) if form.strip() else None
        if found is not None:
            return found.span
    return None
