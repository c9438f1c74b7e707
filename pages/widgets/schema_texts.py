"""A schema as source to copy and take along, and how it came to be."""

import json
from datetime import datetime

import streamlit as st

from pages.widgets.errors import plain
from pages.widgets.schema_desk import Desk
from r3con_core.schema_views import json_schema, outline_difference, pydantic_source
from r3con_core.schemas import Schema
from r3con_core.snippets import Author
from r3con_core.store.schemas import SchemaVersion

AUTHORS = {Author.MODEL: "the model", Author.HUMAN: "you"}


def show_json(schema: Schema) -> None:
    """What the model's reply about one document must satisfy."""
    text = json.dumps(json_schema(schema), indent=2, ensure_ascii=False)
    _show(text, ("json", "schema.json", "application/json"), "What the records of one document must satisfy.")


def show_pydantic(schema: Schema) -> None:
    """The same for programs."""
    _show(
        pydantic_source(schema),
        ("python", "schema.py", "text/x-python"),
        "For use in programs of your own. This app never runs it.",
    )


def _show(text: str, kind: tuple[str, str, str], about: str) -> None:
    language, file, mime = kind
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.caption(f"{about} The button in the corner of the text copies it.")
        st.download_button(f"Download {file}", text, file, mime, icon=":material/download:", on_click="ignore")
    st.code(text, language=language, line_numbers=True, height=480)


def show_history(desk: Desk) -> None:
    """Every version, newest first: when, who, what, and what changed in the outline."""
    before: dict[int, SchemaVersion] = {
        later.version: earlier for earlier, later in zip(desk.versions, desk.versions[1:], strict=False)
    }
    for version in reversed(desk.versions):
        first = version.version not in before
        with st.container(border=True, gap="xsmall"):
            what = "Proposed" if first else version.reason
            when = datetime.fromisoformat(version.created).astimezone()
            mark = " :green-badge[accepted]" if version.version == desk.accepted else ""
            st.markdown(f"**{version.version}. {plain(what)}**{mark}")
            st.caption(f"By {AUTHORS[version.author]}, {when:%-d %B %Y, %H:%M}")
            if not first:
                change = outline_difference(before[version.version].schema, version.schema)
                st.code(change or "The order of record types or fields.", language="diff", wrap_lines=True)
