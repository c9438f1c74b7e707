"""Compare: two runs over the same documents side by side, and how far repeats of one run agree."""

import streamlit as st

from pages.widgets import other_methods, state, under_way
from pages.widgets.answer import second_reading
from pages.widgets.compare import answers as compare_answers
from pages.widgets.compare import choice as compare_choice
from pages.widgets.compare import records as compare_records
from pages.widgets.compare import repeats as compare_repeats
from pages.widgets.compare import rest as compare_rest
from pages.widgets.compare.choice import Pair
from pages.widgets.errors import plain
from pages.widgets.question import begin
from pages.widgets.sidebar import STATE_WORDS
from r3con_core import jobs
from r3con_core.derived import plan_ablation, why_not
from r3con_core.relations import Relation
from r3con_core.runs import Run, RunState
from r3con_core.store.documents import list_documents
from r3con_core.store.project import Project
from r3con_core.store.runs import list_runs, load_run

ANSWERS, RECORDS = ":material/short_text: Answers", ":material/table_rows: Records"
READ, TOOK = ":material/find_in_page: Snippets and schema", ":material/payments: Settings, cost and time"
REPEATS, MORE = ":material/replay: Repeats", ":material/add: Another way"
ABLATIONS = {
    Relation.WITHOUT_RELEVANCE: "Leave out relevance: no rounds of reading. The schema comes from the question alone, "
    "and each document is parsed without knowing what the others say.",
    Relation.WITHOUT_STRUCTURE: "Leave out structure: no schema and no records. The answer is reasoned from the "
    "snippets alone, which are kept.",
}


def show_ways(project: Project, run: Run) -> None:
    """Ways to make a run that this one can be compared with, each with what it takes."""
    if other_methods.is_other(run):
        st.info(
            "Of R3Con's runs others can be made here. This one is of another method: compare it on the page Methods."
        )
        return
    with st.expander("Another model or mode (a second reading)", icon=":material/visibility:", expanded=False):
        st.caption(second_reading.EXPLANATION)
        second_reading.show_start(project, run, key="compare-second")
    with st.expander("The same once more (a repeat)", icon=":material/replay:"):
        st.caption(compare_repeats.WHY)
        compare_repeats.show_start(project, run)
    with st.expander("Without a stage (an ablation)", icon=":material/science:"):
        st.caption("For experiments: to see what a stage of the method is worth. The answer is usually worse.")
        for relation, words in ABLATIONS.items():
            st.markdown(words)
            if fault := why_not(project, run, relation):
                st.info(fault, icon=":material/info:")
                continue
            planned = plan_ablation(project, run.id, relation)
            begin.show(project, [planned], begin.Offer(label=f"Run it {relation.value}", key=relation.value))


def show_summary(pair: Pair) -> None:
    """Where the two agree, in words."""
    with st.container(border=True):
        if kin := compare_choice.kinship(pair.left.run, pair.right.run):
            st.markdown(kin)
        unfinished = [
            f"The {which} is not done: {STATE_WORDS[side.run.state]}."
            for side, which in ((pair.left, "first"), (pair.right, "second"))
            if side.run.state is not RunState.DONE
        ]
        if unfinished:
            st.markdown(f":material/pending: {' '.join(unfinished)} What there is so far stands below.")
            return
        st.markdown(f"- **Answers:** {compare_answers.in_words(pair.found.sentences)}.")
        if pair.found.records:
            st.markdown(f"- **Records:** {compare_records.records_in_words(pair.found)}.")
        else:
            st.markdown("- **Records:** neither has any of the documents that both have.")
        compare_rest.say_left_out(pair.found)


def show_pair(project: Project, pair: Pair) -> None:
    """The comparison in tabs."""
    titles = {line.id: line.title for line in list_documents(project)}
    answers, records, read, took, repeats, more = st.tabs(
        [ANSWERS, RECORDS, READ, TOOK, REPEATS, MORE], key="compare-tabs", on_change="rerun"
    )
    runs = (pair.left.run, pair.right.run)
    with answers:
        names = (second_reading.reasoner(runs[0]), second_reading.reasoner(runs[1]))
        compare_answers.show(pair.found.sentences, names)
    if records.open:
        with records:
            compare_records.show(pair.found, runs, titles)
    if read.open:
        with read:
            compare_rest.show_snippets(pair.found, titles)
            compare_rest.show_schema(pair.found)
    if took.open:
        with took:
            compare_rest.show_settings(pair)
            compare_rest.show_costs(project, pair)
    if repeats.open:
        with repeats:
            compare_repeats.show(project, runs[0])
    if more.open:
        with more:
            show_ways(project, runs[0])


def show_alone(project: Project, run: Run) -> None:
    """What to do while there is nothing to compare with."""
    with st.container(border=True):
        st.subheader("There is one run to look at", anchor=False)
        st.markdown(
            "Two runs over the same documents can be compared: their answers, their records cell by cell, cost and time. "
            "Read the question again another way, and what comes of it stands beside this run."
        )
    show_ways(project, run)


def open_compare() -> None:
    """Draw the page."""
    st.title("Compare", anchor=False)
    project = state.require_project()
    state.page_link("methods", "Compare with other methods than R3Con")
    jobs.reconcile(project)
    run = load_run(project, state.require_run(project).id)
    st.markdown(f"##### {plain(run.task.text)}")
    top = st.container()
    show_all(project, run)
    with top:
        under_way.show(project, run)


def show_all(project: Project, run: Run) -> None:
    """The comparison, or how to come to one."""
    others = compare_choice.others_of(list_runs(project), run)
    if not others:
        show_alone(project, run)
        return
    pair = compare_choice.load_pair(project, run, compare_choice.choose(run, others))
    show_summary(pair)
    show_pair(project, pair)


open_compare()
