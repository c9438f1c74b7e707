"""A schema as source to copy and take along."""

import json

import streamlit as st

from r3con_core.schema.files import json_schema_file, pydantic_source
from r3con_core.schemas import Schema


def show_json(schema: Schema) -> None:
    """What the records of one document satisfy, with all that the schema says beside."""
    text = json.dumps(json_schema_file(schema), indent=2, ensure_ascii=False)
    _show(
        text,
        ("json", "schema.json", "application/json"),
        "What the records of one document must satisfy. Read back under “Start from”, it is this schema again.",
    )


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
