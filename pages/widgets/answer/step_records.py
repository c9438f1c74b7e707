"""The records that a step touched, told as exactly as can be, with links to each."""

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.widgets import evidence, state
from pages.widgets.errors import plain, shown
from pages.widgets.walls import why_no_code
from pages.widgets.words import count
from r3con_core.answers import Step
from r3con_core.checks.touched import Touch, Touched, Touching
from r3con_core.runs import Run
from r3con_core.step_variables import Variable, variables_of_steps
from r3con_core.store.project import Project
from r3con_core.store.runs import latest_seq
from r3con_core.views.tables import flat, in_words

MOST_NAMED = 40
"""Records that are linked one by one in a line."""
FEW = 8
"""Records that are also told in a few words."""
SIGNS = {
    Touch.HANDED: ":material/task_alt:",
    Touch.PRINTED: ":material/print:",
    Touch.WRITTEN: ":material/code:",
    Touch.VALUE: ":material/question_mark:",
}
TOLD = {
    Touch.HANDED: "Named in the answer it handed over",
    Touch.PRINTED: "Named in what it printed",
    Touch.WRITTEN: "Named in its code",
    Touch.VALUE: "Perhaps: a value that few records have stands in what it printed",
}
_HELP = (
    "Code that goes through all records reads every one of them, so reading tells nothing. Shown are the records that it "
    "picked out: those whose label, such as R12, stands in the answer it handed over, in what it printed, or in the code "
    "itself. A value in what it printed is a sign only, not a proof. What the code merely read or counted is not shown."
)
_KEPT_HELP = (
    "Runs the steps once more over the records as they stand, without a model, and looks after each which records its "
    "variables hold. A variable that only counts, or holds a sum, shows none."
)


def touching(project: Project, run: Run) -> Touching | None:
    """Finds records that steps touched; None before there are records."""
    found = evidence.found_by(project, run.id)
    if found is None:
        return None
    made = found.worked_out.setdefault("touching", Touching(data=found.data))
    assert isinstance(made, Touching)
    return made


@st.cache_data(max_entries=8, show_spinner="Running the code again")
def _kept(_project: Project, run_id: str, known: str) -> Mapping[int, tuple[Variable, ...]]:  # noqa: ARG001 - the cache's
    """What each step kept; `known` changes with the data of the run."""
    return variables_of_steps(_project, run_id)


def look_into_variables(project: Project, run: Run) -> Mapping[int, tuple[Variable, ...]]:
    """A switch that runs the code again to see which records the variables hold; empty while it is off."""
    fault = why_no_code()
    label = "Also show the records that each step kept in its variables"
    if not st.toggle(label, help=_KEPT_HELP, disabled=bool(fault)) or fault:
        return {}
    with shown():
        return _kept(project, run.id, f"{project.folder} {latest_seq(project, run.id)}")
    return {}


def show(touching: Touching, step: Step, kept: Sequence[Variable] = ()) -> None:
    """A line for each way in which records show, and for each variable that holds some."""
    found = touching.by(step)
    st.markdown("**Records it touched**", help=_HELP)
    lines = [_line(touching, how, found) for how in Touch if any(one.how is how for one in found)]
    lines += [_variable(touching, one) for one in kept]
    if lines:
        st.markdown("\n".join(f"- {line}" for line in lines))
    else:
        st.caption("None can be told from its code, from what it printed, or from what it handed over.")


def _variable(touching: Touching, kept: Variable) -> str:
    links = ", ".join(_link(touching, record_id, told=False) for record_id in kept.record_ids[:MOST_NAMED])
    over = kept.count - min(len(kept.record_ids), MOST_NAMED)
    more = f" and {count(over, 'more record')}" if over else ""
    return f":material/inventory_2: Kept in its variable **{plain(kept.name)}**: {links}{more}"


def _line(touching: Touching, how: Touch, found: Sequence[Touched]) -> str:
    these = [one for one in found if one.how is how]
    named = ", ".join(_link(touching, one.record_id, told=len(these) <= FEW) for one in these[:MOST_NAMED])
    more = f" and {count(len(these) - MOST_NAMED, 'more record')}" if len(these) > MOST_NAMED else ""
    return f"{SIGNS[how]} {TOLD[how]}: {named}{more}"


def _link(touching: Touching, record_id: str, *, told: bool) -> str:
    data = touching.data
    record = data.get(record_id)
    name = in_words(flat(record.values.get(data.schema.get(record.type).label)))
    name = " ".join(name.split())
    shown = f" {plain(name[:48])}{'…' if len(name) > 48 else ''}" if told and name else ""
    return f"[{data.label(record_id)}]({state.url('data', record=record_id)}){shown}"
