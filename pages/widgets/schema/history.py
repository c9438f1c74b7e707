"""How a schema came to be: every version, what differs between any two, and the way back."""

from datetime import datetime

import streamlit as st

from pages.widgets.errors import plain
from pages.widgets.schema import desk as schema_desk
from pages.widgets.schema.desk import Desk
from pages.widgets.schema.words import dotted
from r3con_core.schema.history import Changed, Difference, differences
from r3con_core.schema.views import outline_difference
from r3con_core.snippets import Author
from r3con_core.store.schemas import SchemaVersion, change_of

AUTHORS = {Author.MODEL: "the model", Author.HUMAN: "you"}
SIGNS = {
    Changed.ADDED: ("add_circle", "Added"),
    Changed.REMOVED: ("do_not_disturb_on", "Removed"),
    Changed.RENAMED: ("edit", "Renamed"),
    Changed.MOVED: ("drive_file_move", "Moved"),
    Changed.KIND: ("tune", "Another kind"),
    Changed.MEANING: ("notes", "Another meaning"),
    Changed.WHY: ("help", "Another reason"),
}


def show(desk: Desk, *, editing: bool) -> None:
    """The comparison of two versions, then every version, newest first."""
    if len(desk.versions) > 1:
        _compare(desk)
    before: dict[int, SchemaVersion] = {
        later.version: earlier for earlier, later in zip(desk.versions, desk.versions[1:], strict=False)
    }
    for version in reversed(desk.versions):
        with st.container(border=True, gap="xsmall"):
            _head(desk, version, editing=editing)
            if version.version in before:
                change = outline_difference(before[version.version].schema, version.schema)
                none = "Only an order or a reason."
                st.code(change or none, language="diff", wrap_lines=True)


def _head(desk: Desk, version: SchemaVersion, *, editing: bool) -> None:
    first = version.version == 1
    proposed = first and version.author is Author.MODEL
    mark = " :green-badge[accepted]" if version.version == desk.accepted else ""
    when = datetime.fromisoformat(version.created).astimezone()
    who = plain(version.made_by) if version.made_by else AUTHORS[version.author]
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        with st.container(gap=None):
            st.markdown(f"**{version.version}. {plain('Proposed' if proposed else version.reason)}**{mark}")
            st.caption(f"By {who}, {when:%-d %B %Y, %H:%M}")
        may = editing and version.version != desk.version and version.schema != desk.schema
        if may and st.button(
            "Go back to this",
            key=f"schema-back-{version.version}",
            icon=":material/history:",
            help="Makes a new version that says what this one says. Nothing is lost.",
        ):
            reason = f"Went back to version {version.version}"
            schema_desk.put_in_place(desk.project, desk.run_id, version.schema, reason)


def _compare(desk: Desk) -> None:
    numbers = [version.version for version in desk.versions]
    with st.expander("Compare two versions", icon=":material/compare_arrows:"):
        with st.container(horizontal=True):
            start = (desk.accepted or 1) - 1 if (desk.accepted or 1) != desk.version else len(numbers) - 2
            one = st.selectbox("From version", numbers, start, key=f"schema-compare-from-{desk.version}")
            other = st.selectbox("To version", numbers, len(numbers) - 1, key=f"schema-compare-to-{desk.version}")
        found = differences(change_of(desk.project, desk.run_id, one, other))
        if not found:
            st.caption("They say the same; only the order may differ.")
            return
        st.markdown("\n".join(f"- {difference_in_words(each)}" for each in found))


def difference_in_words(difference: Difference) -> str:
    """One difference as Markdown, its sign and word first."""
    icon, word = SIGNS[difference.of]
    was, now = plain(difference.was), plain(difference.now)
    place = f":material/{icon}: **{word}:** {plain(dotted(difference.path))}"
    match difference.of:
        case Changed.ADDED:
            return f"{place} ({now})"
        case Changed.REMOVED:
            return f"{place} ({was})"
        case _:
            return f"{place}, from {_quoted(was)} to {_quoted(now)}"


def _quoted(text: str) -> str:
    return f"“{text}”" if text else "nothing"
