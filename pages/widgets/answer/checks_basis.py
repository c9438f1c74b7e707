"""What an answer rests on, in figures, and in full what was read and what was not."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.widgets import state
from pages.widgets.errors import plain
from pages.widgets.evidence import Found
from pages.widgets.words import count, money
from pages.widgets.worked_out import once
from r3con_core.answers import Answer
from r3con_core.costs import cost_so_far
from r3con_core.coverages import Failure, RunCoverage, coverage_of
from r3con_core.derived import begun_from
from r3con_core.exchange import Stage
from r3con_core.progress import progress_of
from r3con_core.runs import Run
from r3con_core.store.documents import DocumentLine, ledger_mark, list_documents
from r3con_core.store.project import Project
from r3con_core.store.runs import list_runs
from r3con_core.views.tables import Proof, proof_of

MOST_LISTED = 200


def covered(project: Project, run: Run, found: Found) -> RunCoverage:
    """What stands behind the run's answer; made once for as long as run and files stay the same."""
    return once(found, ("coverage", ledger_mark(project)), partial(coverage_of, project, run.id, found.data))


def show(project: Project, run: Run, answer: Answer, found: Found) -> None:
    """Documents, records, quotes, and who read them."""
    st.subheader("What this rests on", anchor=False)
    known = covered(project, run, found)
    with st.container(border=True):
        documents, kept, quotes, made = st.columns([2, 2, 2, 3], gap="medium")
        unread = len(known.unread)
        left_out = f"{unread:,} not, or not in full" if unread else "none left out"
        _figure(documents, "Documents", f"{known.documents - unread:,} of {known.documents:,} read", left_out)
        _figure(kept, "Records", *once(found, ("used", answer.record_ids), lambda: _records(answer, found)))
        _figure(quotes, "Quotes", *once(found, "quotes", lambda: _quotes(found)))
        _figure(made, "Read and reasoned by", _models(run), _method(project, run, answer))
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(coverage_in_words(known), width="content")
            state.page_link("corpus", "See the ledger", tab="ledger")
        if told := begun_from(project, run):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.markdown(f"**{run.relation[0].upper()}{run.relation[1:]}.** {told}", width="content")
                if run.parent in {one.id for one in list_runs(project)}:
                    state.page_link("answer", "Open the earlier run", run=run.parent)


def _figure(column: DeltaGenerator, name: str, figure: str, more: str) -> None:
    with column.container(gap="xsmall"):
        st.caption(name)
        st.markdown(f"**{figure}**")
        st.caption(more)


def _records(answer: Answer, found: Found) -> tuple[str, str]:
    records = found.data.records
    used, aside = sum(record.counts for record in records), sum(record.set_aside for record in records)
    taken_out = len(records) - used - sum(record.set_aside and not record.counts for record in records)
    by_people = f", {taken_out:,} taken out by people" if taken_out > 0 else ""
    more = f"{aside or 'none'} set aside{by_people}; the answer cites {len(answer.record_ids):,}"
    return f"{used:,} of {len(records):,} used", more


def _quotes(found: Found) -> tuple[str, str]:
    proofs = Counter(proof_of(quoted) for record in found.data.records for quoted in record.evidence)
    unproved = [f"{proofs[proof]:,} {proof.value}" for proof in Proof if proof is not Proof.EXACT and proofs[proof]]
    return f"{proofs[Proof.EXACT]:,} of {proofs.total():,} found exactly", " · ".join(unproved) or "none missing"


def _models(run: Run) -> str:
    settings = run.settings
    second = f", schema and reasoning by {plain(settings.reasoning_model)}" if settings.reasoning_model else ""
    return f"{plain(settings.model)}{second}, on {plain(run.host)}"


def _method(project: Project, run: Run, answer: Answer) -> str:
    progress = progress_of(project, run.id)
    usage = progress.usage
    about = "" if usage.counted else "about "
    cost = cost_so_far(project, run.id, state.home())
    return " · ".join(
        [
            "coding agent" if answer.steps else "direct, without code",
            count(len(progress.rounds), "round"),
            count(progress.calls, "call"),
            f"{about}{usage.prompt:,} tokens sent, {usage.output:,} written",
            f"{about}{money(cost.amount, cost.currency)} in all" if cost else "cost not known: no price is set",
        ]
    )


def coverage_in_words(known: RunCoverage) -> str:
    """Such as "287 of 300 pages read, 2 of 15 files could not be read, 1 held back", as Markdown."""
    counts = known.counts
    told = [f"**{counts.pages_read:,} of {counts.pages:,} pages read**"] if counts.pages else []
    told.append(
        f"{counts.unread:,} of {count(counts.files, 'file')} could not be read"
        if counts.unread
        else "every file could be read"
    )
    told += [f"{counts.held:,} held back"] if counts.held else []
    told += [f"{count(len(known.excluded), 'document')} excluded by a person"] if known.excluded else []
    told += [f"{count(len(known.later), 'document')} of the project not in this run"] if known.later else []
    told += [f"{count(len(known.silent), 'document')} with nothing to say"] if known.silent else []
    words = ", ".join(told)
    return f"{words[0].upper()}{words[1:]}"


def show_coverage(project: Project, run: Run, found: Found) -> None:
    """Everything that was not read, or left out, by kind and by name."""
    known = covered(project, run, found)
    lines = {line.id: line for line in list_documents(project)}
    st.caption(
        "What no one has read cannot speak against the answer. Here is all that this run did not read, or did not use, "
        "and why."
    )
    _say_pages(known, lines)
    _list("Documents that some stage could not read", [_failure(one, found) for one in known.failures])
    _list("Files that could not be read", [f"{one.path}: {one.outcome}, {one.reason}" for one in known.lost])
    _list("Documents with pages that could not be read", [_pages(lines[each], found) for each in known.partly])
    _list("Excluded from this run by a person", [found.document_name(each) for each in known.excluded])
    _list("Held back from every model", [f"{lines[each].title}: {lines[each].held}" for each in known.held])
    _list("In the project, but not in this run", [lines[each].title for each in known.later])
    if known.complete:
        st.success("Every file of the project was read, by every stage, to its last page.", icon=":material/done_all:")
    _list("Read, with nothing to say and no record", [found.document_name(each) for each in known.silent])


def _say_pages(known: RunCoverage, lines: dict[str, DocumentLine]) -> None:
    counts = known.counts
    told = [f"{count(known.documents, 'document')} in this run; {count(len(lines), 'document')} in the project"]
    if counts.pages:
        told.append(f"{counts.pages_read:,} of {count(counts.pages, 'page')} read")
        share = known.recognised / counts.pages_read if counts.pages_read else 0
        told.append(f"{known.recognised:,} of them ({share:.0%}) by recognising text in pictures (OCR)")
    else:
        told.append("none has pages: mails, texts and tables are read whole")
    st.markdown("\n".join(f"- {words}" for words in told))


def _failure(failure: Failure, found: Found) -> str:
    when = f"in round {failure.round}" if failure.stage is Stage.RELEVANCE else "when parsed"
    return f"{found.document_name(failure.document_id)}, {when}: {failure.reason}"


def _pages(line: DocumentLine, found: Found) -> str:
    numbers = ", ".join(map(str, line.unread_pages[:20])) + (" …" if len(line.unread_pages) > 20 else "")
    return f"{found.document_name(line.id)}: {count(len(line.unread_pages), 'page')} of {line.pages:,} not read ({numbers})"


def _list(title: str, words: Sequence[str]) -> None:
    if not words:
        return
    with st.expander(f"{title} ({len(words):,})", expanded=len(words) <= 3, type="compact"):
        st.markdown("\n".join(_items(words)))


def _items(words: Sequence[str]) -> Iterator[str]:
    yield from (f"- {plain(' '.join(text.split()))}" for text in words[:MOST_LISTED])
    if len(words) > MOST_LISTED:
        yield f"- … and {len(words) - MOST_LISTED:,} more"
