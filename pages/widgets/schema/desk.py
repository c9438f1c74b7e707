"""The schema a person works on: what is selected, and edits that go to the store or say why not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.widgets import state
from pages.widgets.errors import plain, show
from pages.widgets.schema.words import edit_in_words, fault_in_words
from r3con_core.errors import R3ConError, SchemaError, StoreError
from r3con_core.runs import RunState
from r3con_core.schema.edits import AddField, AddRecordType, Path, SchemaEdit, edit_schema, find
from r3con_core.schemas import Schema
from r3con_core.snippets import Author
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from r3con_core.store.schemas import (
    SchemaVersion,
    accepted_version,
    apply_edit,
    save_schema,
    schema_versions,
    undo_edit,
)

NODE, TABS, TREE, DIAGRAM = "schema-node", "schema-tabs", "schema-tree", "schema-diagram"
TREE_TAB = "Tree"
_WISH, _REOPENED, _TAB = "schema-wish", "schema-reopened", "schema-tab-wish"


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """A run's schema as it stands."""

    project: Project
    run_id: str
    versions: tuple[SchemaVersion, ...]
    """Oldest first, at least one."""
    accepted: int
    """The version parsing uses; 0 before one is accepted."""

    @property
    def schema(self) -> Schema:
        """The newest version's."""
        return self.versions[-1].schema

    @property
    def version(self) -> int:
        """The newest version's number."""
        return self.versions[-1].version

    @property
    def changed(self) -> bool:
        """There are edits that can be taken back."""
        return self.version > max(self.accepted, 1)

    def paths(self) -> list[Path]:
        """Every record type and field, in the order of the tree."""
        fields = [path for path, _ in self.schema.walk()]
        return [
            path
            for record_type in self.schema.record_types
            for path in [(record_type.name,), *(p for p in fields if p[0] == record_type.name)]
        ]

    def key(self, path: Path, name: str) -> str:
        """A widget's key that is another one after every edit, so that the widget shows what is in the store."""
        return f"schema-{self.run_id}-{self.version}-{'.'.join(path)}-{name}"


def open_desk(project: Project, run_id: str) -> Desk | None:
    """The run's schema; None before one is proposed."""
    versions = schema_versions(project, run_id)
    if not versions:
        return None
    return Desk(project=project, run_id=run_id, versions=versions, accepted=accepted_version(project, run_id))


def carry_out(desk: Desk, edits: Sequence[SchemaEdit], beside: Mapping[type, DeltaGenerator], *, then: Path) -> None:
    """Keep all `edits`, each as a version, select `then` and draw anew; or none, and say why beside the control.

    `beside` has a place for each type of edit; it is drawn in there, and the values entered stay as they are.
    """
    schema = desk.schema
    for edit in edits:
        try:
            schema = edit_schema(schema, edit)
        except SchemaError as error:
            beside[type(edit)].error(plain(fault_in_words(error, path_of(edit))), icon=":material/error:")
            return
    if not edits:
        return
    try:
        _check_free(desk)
        for edit in edits:
            apply_edit(desk.project, desk.run_id, edit, reason=edit_in_words(edit), made_by=state.analyst())
    except R3ConError as error:
        with beside[type(edits[0])]:
            show(error)
        return
    wish(then)
    st.rerun()


def path_of(edit: SchemaEdit) -> Path:
    """Where the control stands that made the edit."""
    match edit:
        case AddRecordType():
            return ()
        case AddField(parent=parent):
            return parent
        case _:
            return edit.path


def take_back(desk: Desk, *, all_edits: bool = False) -> None:
    """Take back the newest edit, or all since the proposal or the accepted version, and draw anew."""
    _check_free(desk)
    while undo_edit(desk.project, desk.run_id) and all_edits:
        pass
    st.rerun()


def put_in_place(project: Project, run_id: str, schema: Schema, reason: str, adjustments: tuple[str, ...] = ()) -> None:
    """Make `schema` the newest version as a whole, and draw anew.

    Before a run proposes one it may be at work: it goes on with this one then, and waits for the person with it.
    """
    run = load_run(project, run_id)
    if run.state.active and (
        schema_versions(project, run_id) or run.state not in (RunState.QUEUED, RunState.RELEVANCE)
    ):
        raise StoreError("The run is at work with its schema now. Stop it first, then change the schema.")
    save_schema(
        project,
        run_id,
        schema,
        author=Author.HUMAN,
        reason=reason,
        adjustments=adjustments,
        made_by=state.analyst(),
    )
    st.rerun()


def wish_for_tree() -> None:
    """Open the tree when the page is drawn next."""
    st.session_state[_TAB] = TREE_TAB


def settle_tab(names: Sequence[str]) -> None:
    """Open the tab that was wished for, or the first where the one that was open is gone; before tabs are drawn."""
    if st.session_state.get(TABS) not in names:
        st.session_state.pop(TABS, None)
    if wished := st.session_state.pop(_TAB, None):
        st.session_state[TABS] = wished


def _check_free(desk: Desk) -> None:
    """The run may have been taken up from another window since this page was drawn."""
    if load_run(desk.project, desk.run_id).state.active:
        raise StoreError("The run is at work with this schema now. Stop it first, then change the schema.")


def wish(path: Path) -> None:
    """Select `path` when the page is drawn next."""
    st.session_state[_WISH] = path


def settle_selection(desk: Desk) -> Path:
    """The selected node: what was wished for, else what is chosen; the nearest one above where that is gone."""
    wished: Path = st.session_state.pop(_WISH, None) or st.session_state.get(NODE) or ()
    known = desk.paths()
    while wished and wished not in known:
        wished = wished[:-1]
    st.session_state[NODE] = wished or known[0]
    return wished or known[0]


def select_from(component: str, desk: Desk) -> None:
    """Select what was clicked in a component; what comes from a browser may be anything."""
    path = tuple(str(st.session_state[component]["select"]).split("."))
    try:
        find(desk.schema, path)
    except SchemaError:
        return
    wish(path)
    st.session_state[TABS] = TREE_TAB


def reopen(run_id: str) -> None:
    """Let an accepted schema be changed; from the first edit on, the store knows."""
    st.session_state[_REOPENED] = run_id


def close_again() -> None:
    """Show the accepted schema for reading only."""
    st.session_state.pop(_REOPENED, None)


def reopened(desk: Desk) -> bool:
    """Whether a person is changing a schema that was accepted."""
    return desk.version > desk.accepted or st.session_state.get(_REOPENED) == desk.run_id
