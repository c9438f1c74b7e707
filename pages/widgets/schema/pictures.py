"""A schema as a tree and as a diagram, drawn in the browser by components of ours."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from pages.widgets.errors import plain
from pages.widgets.schema.desk import DIAGRAM, TREE
from pages.widgets.schema.words import kind_in_words
from r3con_core.schema.edits import Node
from r3con_core.schema.views import diagram_columns
from r3con_core.schemas import Field, ListOf, Reference, Schema, inner_fields

_FRONTEND = Path(__file__).parents[1] / "frontend"


def _component(name: str) -> ComponentRenderer:
    return st.components.v2.component(
        f"r3con_{name}",
        html=(_FRONTEND / f"{name}.html").read_text("utf-8"),
        css=(_FRONTEND / f"{name}.css").read_text("utf-8"),
        js=(_FRONTEND / f"{name}.js").read_text("utf-8"),
    )


_TREE = _component("schema_tree")
_DIAGRAM = _component("schema_diagram")


def _ignore() -> None:
    """For pictures to look at only."""


def show_tree(schema: Schema, *, selected: tuple[str, ...] = (), on_select: Callable[[], None] | None = None) -> None:
    """Record types and fields, indented, with kinds and meanings; with `on_select` one can be chosen."""
    rows = []
    for record_type in schema.record_types:
        rows.append(_row((record_type.name,), "record type", record_type))
        rows += [
            _row(path, kind_in_words(field.kind), field, names_record=path[1:] == (record_type.label,))
            for path, field in schema.walk()
            if path[0] == record_type.name
        ]
    _TREE(
        key=TREE,
        data={"rows": rows, "selected": ".".join(selected), "live": on_select is not None},
        on_select_change=on_select or _ignore,
    )


def _row(path: tuple[str, ...], kind: str, node: Node, *, names_record: bool = False) -> dict[str, object]:
    return {
        "id": ".".join(path),
        "level": len(path),
        "name": path[-1],
        "kind": kind,
        "meaning": node.meaning,
        "why": node.why,
        "label": names_record,
    }


def show_diagram(schema: Schema, *, on_select: Callable[[], None] | None = None) -> None:
    """Record types as boxes, references as arrows; the relations once more in words."""
    relations = [f"{'.'.join(path)} refers to {reference.record_type}" for path, reference in schema.references()]
    _DIAGRAM(
        key=DIAGRAM,
        data={
            "columns": [[_box(schema, name) for name in column] for column in diagram_columns(schema)],
            "live": on_select is not None,
            "alt": "Record types and their relations: " + ("; ".join(relations) or "no record type refers to another"),
        },
        on_select_change=on_select or _ignore,
    )
    if relations:
        with st.expander("The relations in words"):
            st.markdown("\n".join(f"- {plain(relation)}" for relation in relations))
    else:
        st.caption("No record type refers to another yet. A field of the kind “reference” makes an arrow.")


def _box(schema: Schema, name: str) -> dict[str, object]:
    record_type = schema.get(name)
    fields = [(path, field) for path, field in schema.walk() if path[0] == name]
    return {
        "id": name,
        "name": name,
        "meaning": record_type.meaning,
        "fields": [
            {
                "id": ".".join(path),
                "name": field.name,
                "kind": _short_kind(field),
                "level": len(path) - 1,
                "group": bool(inner_fields(field.kind)),
                "target": target_of(field),
            }
            for path, field in fields
        ],
    }


def target_of(field: Field) -> str:
    """The record type a field refers to, or ""."""
    kind = field.kind.item if isinstance(field.kind, ListOf) else field.kind
    return kind.record_type if isinstance(kind, Reference) else ""


def _short_kind(field: Field) -> str:
    """The kind in a word or two; a choice's words are in the tree."""
    if target := target_of(field):
        return f"{'list of ' if isinstance(field.kind, ListOf) else ''}→ {target}"
    return kind_in_words(field.kind).replace("one of: ", "").replace("list of one of: ", "list of ")
