"""How far repeats of one run agree, and how to make more of them."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pages.widgets.compare.choice import load_side
from pages.widgets.compare.records import value_in_words
from pages.widgets.question import begin
from pages.widgets.words import count
from r3con_core.comparing.agreement import DEFINITION, Agreement, agreement_of
from r3con_core.derived import plan_repeats, repeats_of, why_not
from r3con_core.jobs import EMBEDDED
from r3con_core.relations import Relation
from r3con_core.runs import Run
from r3con_core.store.project import Project
from r3con_core.store.runs import latest_seq, list_runs

MOST_AT_ONCE = 4
MOST_ROWS = 5_000
WHY = (
    "The same run once more, with the same question, settings and schema, and every prompt asked anew. What comes out "
    "otherwise is the model's chance, not the documents': how far repeats agree says how far one run can be relied on."
)


def show(project: Project, run: Run) -> None:
    """The score of a run and its repeats, what is unstable, and the button for more."""
    st.caption(WHY)
    repeats = repeats_of(list_runs(project), run)
    if len(repeats) > 1:
        seqs = tuple(latest_seq(project, one.id) for one in repeats)
        _scores(_agreement(project, str(project.folder), tuple(one.id for one in repeats), seqs), repeats)
    else:
        st.markdown("This run has no repeat yet that is done.")
    show_start(project, run)


@st.cache_resource(max_entries=4, show_spinner="Comparing the repeats")
def _agreement(_project: Project, folder: str, ids: tuple[str, ...], seqs: tuple[int, ...]) -> Agreement:  # noqa: ARG001
    return agreement_of([load_side(_project, run_id) for run_id in ids])


def _scores(found: Agreement, repeats: Sequence[Run]) -> None:
    with st.container(horizontal=True, gap="large"):
        _score("Records agree", found.records_score, f"over {count(len(found.cells), 'value')}")
        _score(
            "Answers agree",
            found.answers_score,
            f"over {count(len(found.terms), 'figure or name', 'figures and names')}",
        )
        st.metric("Runs", f"{len(repeats)}", "the run and its repeats", delta_color="off", delta_arrow="off")
    st.caption(DEFINITION)
    shaky = [term for term in found.terms if term.score < 1]
    if shaky:
        st.markdown("**Figures and names that not all answers have**")
        rows = [{"Figure or name": t.term, "In": f"{sum(t.held)} of {len(t.held)} answers"} for t in shaky]
        st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Unstable figures and names", key="repeat-terms")
    _unstable(found, repeats)


def _score(label: str, score: float | None, over: str) -> None:
    told = "–" if score is None else f"{score:.0%}"
    st.metric(label, told, over, delta_color="off", delta_arrow="off", help=DEFINITION)


def _unstable(found: Agreement, repeats: Sequence[Run]) -> None:
    if not found.unstable:
        if found.cells:
            st.success("Every value of every record is the same in all of them.", icon=":material/check_circle:")
        return
    st.markdown(f"**Values that are not stable ({len(found.unstable):,} of {len(found.cells):,})**")
    names = ["the run" if one.settings.repeat == 0 else f"repeat {one.settings.repeat}" for one in repeats]
    rows = [
        {
            "Agreement": cell.score,
            "Record": cell.record.type,
            "Field": cell.name.replace("_", " "),
            **{name: value_in_words(value) for name, value in zip(names, cell.values, strict=True)},
            "Quote": cell.record.evidence[0].quote if cell.record.evidence else "",
        }
        for cell in found.unstable[:MOST_ROWS]
    ]
    column = st.column_config.ProgressColumn(format="percent", min_value=0, max_value=1, width=110)
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        column_config={"Agreement": column},
        alt="Values that differ between repeats",
        key="repeat-cells",
    )


def show_start(project: Project, run: Run) -> None:
    """How many more, what they take, and the button."""
    if fault := why_not(project, run, Relation.REPEAT):
        st.info(fault, icon=":material/info:")
        return
    one = plan_repeats(project, run.id, 1)
    number = 1
    if one[0].choices.reading.base_url != EMBEDDED:
        number = int(st.number_input("How many more", 1, MOST_AT_ONCE, 1, key="repeats-number", width=160))
    planned = one if number == 1 else plan_repeats(project, run.id, number)
    label = "Repeat the run" if number == 1 else f"Repeat the run {number} times"
    begin.show(project, planned, begin.Offer(label=label, key="repeat", icon=":material/replay:"))
