"""Choosing the kind of a field: what changes the form stands above it, the details in it."""

from dataclasses import replace

import streamlit as st

from pages.widgets.schema.words import CHOICE, GROUP, KINDS, REFERENCE, KindChoice, lost_by
from pages.widgets.words import count
from r3con_core.schemas import Kind, Schema

KIND_HELP = (
    "What the model may fill in. A choice of words: one of the options that you list. A reference: the name of a record "
    "of another type, which joins the two. A group of fields: several values that belong together, such as an address."
)
REFERENCE_HELP = "The record type that this field names a record of, as a payment names its payer."
LIST_HELP = "Any number of values in one record, such as all witnesses of an event."


def choose_kind(prefix: str, now: KindChoice, label: str = "Kind", many_label: str = "List of these") -> KindChoice:
    """Kind and list; outside the form, because the form's fields depend on them."""
    with st.container(horizontal=True, vertical_alignment="bottom", wrap=False):
        kind = st.selectbox(
            label,
            list(KINDS),
            list(KINDS).index(now.kind),
            format_func=lambda one: KINDS[one],
            key=f"{prefix}-kind",
            help=KIND_HELP,
        )
        many = st.checkbox(many_label, now.many, key=f"{prefix}-many", help=LIST_HELP, width="content")
    return replace(now, kind=kind, many=many)


def fill_in_kind(prefix: str, now: KindChoice, schema: Schema, before: Kind | None = None) -> KindChoice:
    """What the kind chosen needs to know; inside the form."""
    match now.kind:
        case _ if now.kind == CHOICE:
            options = st.text_area(
                "Options, one a line", now.options, height=96, key=f"{prefix}-options", placeholder="paid\npromised"
            )
            return replace(now, options=options)
        case _ if now.kind == REFERENCE:
            names = [record_type.name for record_type in schema.record_types]
            target = st.selectbox(
                "Refers to",
                names,
                names.index(now.target) if now.target in names else None,
                key=f"{prefix}-target",
                placeholder="Choose a record type",
                help=REFERENCE_HELP,
            )
            return replace(now, target=target or "")
        case _ if now.kind == GROUP and (before is None or not lost_by(before, "")):
            first = st.text_input("Name of the group's first field", key=f"{prefix}-first", placeholder="street")
            return replace(now, first=first)
        case _:
            if before is not None and (lost := lost_by(before, now.kind)):
                st.warning(f"Saving removes {count(lost, 'field')} inside it. Undo brings them back.")
            return now
