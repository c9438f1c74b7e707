"""Changing the selected record type or field: its form, its place, what can be added to it."""

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.widgets.errors import plain
from pages.widgets.schema.desk import NODE, Desk, carry_out, settle_selection
from pages.widgets.schema.kinds import choose_kind, fill_in_kind
from pages.widgets.schema.words import KindChoice, choice_of, dotted, fault_in_words, kind_of
from r3con_core.errors import SchemaError
from r3con_core.schema.edits import (
    AddField,
    AddRecordType,
    Describe,
    Explain,
    Move,
    Nest,
    Node,
    Path,
    Remove,
    Rename,
    Retype,
    SchemaEdit,
    find,
)
from r3con_core.schemas import Field, RecordType, Scalar, ScalarType, inner_fields

TEXT = KindChoice(kind=ScalarType.TEXT.value)
NAME_HELP = "Letters, digits and underscores, starting with a letter. The model sees it."
MEANING_HELP = "What is meant, for the model that fills it in: the clearer, the better the records."
WHY_HELP = "For you and other readers: which part of the question this serves. The model does not see it."
LABEL_NOTE = "The first field names the record: references lead to it by this, so it holds a single value."


def show(desk: Desk) -> None:
    """The selected node's form and buttons; the selection can be made here too."""
    path = settle_selection(desk)
    with st.container(border=True, key="schema-inspector"):
        path = st.selectbox("Selected", desk.paths(), key=NODE, format_func=in_tree, help="Or press it in the tree.")
        node = find(desk.schema, path)
        _form(desk, path, node)
        _place(desk, path, node)


def in_tree(path: Path) -> str:
    """A path as one line of the list of nodes."""
    return " / ".join(path)


def _form(desk: Desk, path: Path, node: Node) -> None:
    key = desk.key(path, "edit")
    chosen = TEXT
    if isinstance(node, Field):
        chosen = choose_kind(key, choice_of(node.kind))
    with st.form(key, border=False):
        name = st.text_input("Name", node.name, key=f"{key}-name", help=NAME_HELP)
        by_name = st.container()
        meaning = st.text_area("Meaning", node.meaning, key=f"{key}-meaning", height=80, help=MEANING_HELP)
        why = st.text_area("Why the question needs it", node.why, key=f"{key}-why", height=68, help=WHY_HELP)
        if isinstance(node, Field):
            chosen = fill_in_kind(key, chosen, desk.schema, node.kind)
        by_kind = st.container()
        saved = st.form_submit_button("Save changes", type="primary", icon=":material/check:")
    if saved:
        try:
            entered = replace(node, name=name.strip(), meaning=meaning.strip(), why=why.strip())
            if isinstance(entered, Field):
                entered = replace(entered, kind=kind_of(chosen, inner_fields(entered.kind)))
        except SchemaError as error:
            _explain(by_kind, error, path)
            return
        beside = {Rename: by_name, Describe: by_kind, Explain: by_kind, Retype: by_kind}
        carry_out(desk, _edits(path, node, entered), beside, then=(*path[:-1], entered.name))


def _edits(path: Path, before: Node, after: Node) -> list[SchemaEdit]:
    """What turns a node into what was entered; its name last, so that the path holds for the others."""
    edits: list[SchemaEdit] = []
    if after.meaning != before.meaning:
        edits.append(Describe(path=path, meaning=after.meaning))
    if after.why != before.why:
        edits.append(Explain(path=path, why=after.why))
    if isinstance(after, Field) and isinstance(before, Field) and after.kind != before.kind:
        edits.append(Retype(path=path, kind=after.kind))
    if after.name != before.name:
        edits.append(Rename(path=path, name=after.name))
    return edits


def _explain(where: DeltaGenerator, error: SchemaError, path: Path) -> None:
    where.error(plain(fault_in_words(error, path)), icon=":material/error:")


def _place(desk: Desk, path: Path, node: Node) -> None:
    """Order, nesting, adding and removing, with one place below the buttons for what is wrong."""
    siblings = _siblings(desk, path)
    index = siblings.index(path[-1])
    with st.container(horizontal=True, gap="xsmall"):
        up = st.button("Up", key="schema-up", icon=":material/arrow_upward:", disabled=index == 0)
        down = st.button(
            "Down", key="schema-down", icon=":material/arrow_downward:", disabled=index == len(siblings) - 1
        )
        remove = st.button(
            "Remove", key="schema-remove", icon=":material/delete:", help="With all it holds. Undo brings it back."
        )
    below = st.container()
    _add_field(desk, path, node)
    if isinstance(node, Field):
        _move_elsewhere(desk, path)
    if len(path) == 2 and index == 0:
        st.caption(LABEL_NOTE)
    if up or down:
        carry_out(desk, [Move(path=path, index=index + (1 if down else -1))], {Move: below}, then=path)
    if remove:
        rest = [name for name in siblings if name != path[-1]]
        then = (*path[:-1], rest[min(index, len(rest) - 1)]) if rest else path[:-1]
        carry_out(desk, [Remove(path=path)], {Remove: below}, then=then)


def _siblings(desk: Desk, path: Path) -> list[str]:
    if len(path) == 1:
        return [record_type.name for record_type in desk.schema.record_types]
    return [field.name for field in fields_of(find(desk.schema, path[:-1]))]


def fields_of(node: Node) -> tuple[Field, ...]:
    """The fields a node holds."""
    return node.fields if isinstance(node, RecordType) else inner_fields(node.kind)


def _add_field(desk: Desk, path: Path, node: Node) -> None:
    parent = path if fields_of(node) else path[:-1]
    key = desk.key(path, "add")
    with st.expander(f"Add a field to {plain(dotted(parent))}", icon=":material/add:", key=f"{key}-open"):
        chosen = choose_kind(key, TEXT, "Kind of the new field", "A list of these")
        with st.form(key, border=False):
            name = st.text_input("Name of the new field", key=f"{key}-name", help=NAME_HELP)
            meaning = st.text_area("Its meaning", key=f"{key}-meaning", height=80, help=MEANING_HELP)
            chosen = fill_in_kind(key, chosen, desk.schema)
            beside = st.container()
            added = st.form_submit_button("Add the field", type="primary")
        if not added:
            return
        try:
            field = Field(name=name.strip(), meaning=meaning.strip(), kind=kind_of(chosen))
        except SchemaError as error:
            _explain(beside, error, parent)
            return
        carry_out(desk, [AddField(parent=parent, field=field)], {AddField: beside}, then=(*parent, field.name))


def _move_elsewhere(desk: Desk, path: Path) -> None:
    places = [
        place
        for place in desk.paths()
        if fields_of(find(desk.schema, place)) and place != path[:-1] and place[: len(path)] != path
    ]
    if not places:
        return
    key = desk.key(path, "nest")
    icon = ":material/subdirectory_arrow_right:"
    with st.expander(f"Move {plain(path[-1])} into another place", icon=icon, key=f"{key}-open"):
        parent = st.selectbox("Record type or group that gets it", places, key=f"{key}-to", format_func=in_tree)
        beside = st.container()
        if st.button("Move it there", type="primary", key=f"{key}-go"):
            carry_out(desk, [Nest(path=path, parent=parent)], {Nest: beside}, then=(*parent, path[-1]))


def add_record_type(desk: Desk) -> None:
    """What makes a new record type."""
    key = desk.key((), "type")
    with st.expander("Add a record type", icon=":material/add:", key=f"{key}-open"), st.form(key, border=False):
        name = st.text_input("Name of the new record type", key=f"{key}-name", placeholder="Payment", help=NAME_HELP)
        meaning = st.text_area("What one record of it is", key=f"{key}-meaning", height=80, help=MEANING_HELP)
        first = st.text_input(
            "Its first field", key=f"{key}-first", placeholder="what", help="Text that names one record in a few words."
        )
        beside = st.container()
        if st.form_submit_button("Add the record type", type="primary"):
            field = Field(name=first.strip(), meaning="", kind=Scalar())
            made = RecordType(name=name.strip(), meaning=meaning.strip(), fields=(field,))
            carry_out(desk, [AddRecordType(record_type=made)], {AddRecordType: beside}, then=(made.name,))
