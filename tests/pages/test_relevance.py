"""The Relevance page: where the run stands, what can be done, what the documents said."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.widgets import runstate, state
from pages.widgets.documents.tracked import changes_of
from pages.widgets.errors import plain
from r3con_core.changes import AddRound, EditSnippet, ExcludeDocument, Hint, PinSnippet, VetoSnippet
from r3con_core.costs import cost_so_far
from r3con_core.documents import Unread
from r3con_core.exchange import Stage
from r3con_core.jobs import ModelChoice, RunChoices, create_run, steer
from r3con_core.progress import progress_of
from r3con_core.runs import RunState
from r3con_core.snippets import Digest, RelevanceSnippet, Sight
from r3con_core.store import runs as run_rows
from r3con_core.store import snippets as snippet_rows
from r3con_core.store.calls import list_calls
from r3con_core.store.changes import list_changes
from r3con_core.store.digests import save_digests
from r3con_core.store.documents import list_documents
from r3con_core.store.project import Project
from r3con_core.store.sights import save_sight
from tests.fakes import Scripted, carry_scripted, finished_harbour, harbour_project, start_harbour_run
from tests.harbour_script import LOOK_FOR, QUESTION, ROUND_1
from tests.pages.conftest import Workers
from tests.pages.opened import click, open_page


def relevance(run_id: str) -> AppTest:
    return open_page("relevance", project="harbour", run=run_id)


def labels(at: AppTest) -> list[str]:
    return [button.label for button in at.main.button]


def end(project: Project, run_id: str, state: RunState, error: str = "") -> None:
    run_rows.set_state(project, run_id, RunState.RELEVANCE)
    run_rows.set_state(project, run_id, state, error=error)


def test_without_a_question_the_page_leads_to_asking_one(project: Project) -> None:
    assert list_documents(project)
    at = open_page("relevance", project="harbour")
    assert at.subheader[0].value == "Nothing has been asked yet"
    click(at, "Ask a question")
    assert at.title[0].value == "Question"


def test_a_finished_run_shows_every_round_and_leads_to_the_answer(home: Path) -> None:
    _, run_id = finished_harbour(home / "projects")
    at = relevance(run_id)
    assert at.success[0].value == "Done. The answer is there."
    assert labels(at) == ["Read the answer"]
    assert QUESTION in at.main.markdown[0].value
    assert LOOK_FOR[0] in " ".join(markdown.value for markdown in at.markdown)
    at.session_state["relevance-tabs"] = "Table"
    table = at.run().dataframe[0].value
    assert list(table["No."]) == list(range(1, 11))
    assert table["Round 1"][5].startswith("Letter of Josiah Venn, 5 March 1931")
    assert table["Round 2"][1] == "(nothing to say)"


def test_the_figures_are_those_the_server_counted(home: Path) -> None:
    project, run_id = finished_harbour(home / "projects")
    captions = [caption.value for caption in relevance(run_id).main.caption]
    usage = progress_of(project, run_id).usage
    calls = len(list_calls(project, run_id))
    told = f"{calls} calls · {100 * calls:,} tokens sent, {40 * calls:,} of them known to the server"
    assert captions[:2] == [f"{told} · {usage.output:,} tokens written", "Read by scripted on this computer"]


def test_a_run_at_work_tells_what_it_costs_so_far_and_likely_in_all(project: Project) -> None:
    reading = ModelChoice(model="gpt-4o-mini", base_url="https://api.openai.com/v1", window=16_384)
    run_id = create_run(project, QUESTION, RunChoices(reading=reading)).id
    run_rows.claim_run(project, run_id, os.getpid())
    run_rows.set_state(project, run_id, RunState.RELEVANCE)
    told = [text.value for text in relevance(run_id).main.markdown]
    (bill,) = [text for text in told if "so far" in text]
    assert bill.startswith("**0.00 USD so far, about 0.0")
    assert " USD in all** (0.00" in bill
    assert bill.endswith(")")
    assert " left (up to " in bill


def test_a_paid_run_that_is_done_tells_what_it_has_cost(home: Path) -> None:
    project = harbour_project(home / "projects")
    reading = ModelChoice(model="gpt-4o-mini", base_url="https://api.openai.com/v1", window=16_384)
    run_id = create_run(project, QUESTION, RunChoices(reading=reading, straight_through=True)).id
    carry_scripted(project, run_id, Scripted())
    spent = cost_so_far(project, run_id)
    assert spent is not None
    assert f"**{spent.amount:.4f} USD spent**" in [text.value for text in relevance(run_id).main.markdown]


def digested(project: Project) -> str:
    """A run whose second round was read with digests: documents 1 to 5 in one, 6 to 10 in another that was cut."""
    run_id = start_harbour_run(project)
    ids = [line.id for line in list_documents(project)]
    groups = [tuple(ids[:5]), tuple(ids[5:])]
    texts = ["Two landings at <b>Lime Quay</b>.", "Document 6: the Petrel landed 20 cases"]
    digests = [
        Digest(level=1, number=number, covers=covers, text=text, cut=number == 2)
        for number, (covers, text) in enumerate(zip(groups, texts, strict=True), start=1)
    ]
    save_digests(project, run_id, 1, digests)
    run_rows.set_state(project, run_id, RunState.RELEVANCE)
    for number in (1, 2):
        for document_id in ids:
            snippet_rows.save_snippet(
                project, run_id, number, RelevanceSnippet(document_id=document_id, text="A launch.")
            )
    sight = Sight(document_id=ids[0], whole=(ids[6],), shortened=tuple(ids[1:5]), digested=(ids[5], *ids[7:]))
    save_sight(project, run_id, Stage.RELEVANCE, 2, sight)
    save_sight(project, run_id, Stage.RELEVANCE, 2, Sight(document_id=ids[1], whole=tuple(ids[:1] + ids[2:])))
    run_rows.set_state(project, run_id, RunState.STOPPED)
    return run_id


def test_while_digests_are_made_the_round_that_is_read_is_told_and_not_the_next(project: Project) -> None:
    run_id = start_harbour_run(project)
    run_rows.claim_run(project, run_id, os.getpid())
    run_rows.set_state(project, run_id, RunState.RELEVANCE)
    for line in list_documents(project):
        snippet_rows.save_snippet(project, run_id, 1, RelevanceSnippet(document_id=line.id, text="A launch."))
    run_rows.set_note(project, run_id, "making digests of the snippets of round 1")
    told = " ".join(markdown.value for markdown in relevance(run_id).main.markdown)
    assert "**Reading the documents, round 1 of 2** (making digests of the snippets of round 1)" in told
    run_rows.set_note(project, run_id, "")
    told = " ".join(markdown.value for markdown in relevance(run_id).main.markdown)
    assert "**Reading the documents, round 2 of 2**" in told


def test_the_table_tells_what_each_reader_saw(project: Project) -> None:
    at = relevance(digested(project))
    at.session_state["relevance-tabs"] = "Table"
    seen = list(at.run().dataframe[0].value["Seen in round 2"])
    assert seen[:3] == ["1 snippet in full, 4 shortened, 4 within 1 digest", "all other snippets", ""]


def test_digests_are_shown_with_the_documents_they_tell_and_marked_where_no_model_wrote_them(project: Project) -> None:
    at = relevance(digested(project))
    at.session_state["relevance-tabs"] = "Digests"
    at.run()
    assert not at.exception
    told = [text.value for text in at.main.markdown]
    assert "**Digest 1** · 5 documents: 1–5" in told
    assert "**Digest 2** · 5 documents: 6–10" in told
    assert "Two landings at \\<b\\>Lime Quay\\</b\\>." in told
    assert len([text for text in told if "No model wrote this" in text]) == 1
    at.session_state["covers-1-2"] = True
    table = at.run().dataframe[0].value
    assert list(table["No."]) == [6, 7, 8, 9, 10]


def test_a_run_without_digests_has_no_tab_for_them(home: Path) -> None:
    _, run_id = finished_harbour(home / "projects")
    assert [tab.label for tab in relevance(run_id).tabs] == ["Cards", "Table"]


def test_a_schema_that_waits_is_said_and_reached(project: Project) -> None:
    run_id = start_harbour_run(project)
    carry_scripted(project, run_id, Scripted())
    at = relevance(run_id)
    assert "a schema is proposed" in at.info[0].value
    assert labels(at) == ["Look at the schema"]


def test_a_run_at_work_shows_its_rounds_and_can_be_stopped(project: Project) -> None:
    run_id = start_harbour_run(project)
    first, second, third = (line.id for line in list_documents(project)[:3])
    run_rows.claim_run(project, run_id, 1)
    run_rows.set_state(project, run_id, RunState.RELEVANCE)
    snippet_rows.save_snippet(project, run_id, 1, RelevanceSnippet(document_id=first, text="A launch."))
    snippet_rows.save_snippet(project, run_id, 1, RelevanceSnippet(document_id=second, text=""))
    unread = Unread(document_id=third, reason="The model would not answer this text.")
    snippet_rows.save_unread(project, run_id, Stage.RELEVANCE, unread, 1)
    at = relevance(run_id)
    assert "Reading the documents, round 1 of 2" in " ".join(markdown.value for markdown in at.markdown)
    assert [found.text for found in at.get("progress")] == [
        "Round 1: 3 of 10 documents, 1 with nothing to say, 1 failed",
        "Round 2: 0 of 10 documents",
    ]
    assert labels(at) == ["Stop", "Stop now"]
    click(at, "Stop")
    assert run_rows.stop_asked(project, run_id)
    assert labels(at) == ["Stopping after the calls in flight", "Stop now"]
    at.session_state["relevance-tabs"] = "Table"
    table = at.run().dataframe[0].value
    assert list(table["Round 1"][:4]) == [
        "A launch.",
        "(nothing to say)",
        "(failed: The model would not answer this text.)",
        "",
    ]


@pytest.mark.parametrize("state", [RunState.FAILED, RunState.STOPPED, RunState.INTERRUPTED])
def test_a_run_that_ended_early_says_why_and_goes_on(project: Project, workers: Workers, state: RunState) -> None:
    run_id = start_harbour_run(project)
    end(project, run_id, state, "models.example refused the key. Check it.")
    at = relevance(run_id)
    assert "models.example refused the key" in [*at.error, *at.warning][0].value
    click(at, "Resume")
    assert workers.started == [run_id]
    assert run_rows.load_run(project, run_id).state is RunState.QUEUED


def test_resuming_asks_for_a_key_that_is_not_kept_here(project: Project, workers: Workers) -> None:
    reading = ModelChoice(model="reader-9b", base_url="https://models.example/v1")
    run_id = create_run(project, QUESTION, RunChoices(reading=reading)).id
    end(project, run_id, RunState.FAILED, "models.example wants a key.")
    at = relevance(run_id)
    at.text_input[0].set_value("sk-secret").run()
    click(at, "Resume")
    assert workers.keys == [{"models.example": "sk-secret"}]


def test_a_server_of_ones_own_that_refused_the_key_is_given_another(project: Project, workers: Workers) -> None:
    reading = ModelChoice(model="reader-9b", base_url="http://localhost:8000/v1")
    run_id = create_run(project, QUESTION, RunChoices(reading=reading)).id
    end(project, run_id, RunState.FAILED, "This computer wants a key and none is set. Enter one for this address.")
    at = relevance(run_id)
    at.text_input[0].set_value("sk-secret").run()
    assert at.text_input[0].value == ""
    click(at, "Resume")
    assert workers.keys == [{"localhost:8000": "sk-secret"}]


def test_a_run_whose_process_died_is_found_out_when_the_page_opens(project: Project) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    run_id = start_harbour_run(project)
    run_rows.claim_run(project, run_id, gone.pid)
    run_rows.set_state(project, run_id, RunState.RELEVANCE)
    at = relevance(run_id)
    assert "process ended before it was done" in at.error[0].value
    assert labels(at) == ["Resume"]


def test_two_views_show_the_same_since_nothing_lives_in_a_session(home: Path) -> None:
    _, run_id = finished_harbour(home / "projects")
    first, second = relevance(run_id), relevance(run_id)
    assert [m.value for m in first.markdown] == [m.value for m in second.markdown]


def test_a_run_that_no_process_took_up_can_be_started_again(
    project: Project, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runstate, "START_SECONDS", -1.0)
    run_id = start_harbour_run(project)
    at = relevance(run_id)
    assert "has not started" in at.warning[0].value
    click(at, "Resume")
    assert workers.started == [run_id]


def test_a_run_that_a_person_ends_at_once_is_stopped_and_has_not_failed(project: Project) -> None:
    run_id = start_harbour_run(project)
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", "r3con_core.worker"])
    run_rows.claim_run(project, run_id, sleeper.pid)
    run_rows.set_state(project, run_id, RunState.RELEVANCE)
    at = click(relevance(run_id), "Stop now")
    assert [text.value for text in at.warning] == ["Stopped. Everything finished so far is kept; resume to go on."]
    assert labels(at) == ["Resume"]
    assert sleeper.wait(5) is not None


def steered(project: Project, **choices: object) -> str:
    """A run that waits after its first round; its id."""
    run_id = start_harbour_run(project, between_rounds=True, straight_through=True, **choices)
    assert carry_scripted(project, run_id, Scripted()) is RunState.BETWEEN
    return run_id


def at_document(run_id: str, number: int, project: Project) -> AppTest:
    return open_page("relevance", project="harbour", run=run_id, doc=list_documents(project)[number - 1].id)


def changes(project: Project, run_id: str) -> list[object]:
    return [entry.change for entry in list_changes(project, run_id) if entry.counts]


def told(at: AppTest) -> str:
    return " ".join(found.value for found in (*at.main.markdown, *at.info, *at.caption))


def test_a_run_between_two_rounds_says_what_to_do_and_goes_on(project: Project, workers: Workers) -> None:
    run_id = steered(project)
    at = relevance(run_id)
    assert at.info[0].value.startswith("Round 1 of 2 is read, and the run waits for you.")
    assert labels(at) == ["Read round 2"]
    click(at, "Read round 2")
    assert workers.started == [run_id]
    assert run_rows.load_run(project, run_id).state is RunState.QUEUED
    assert carry_scripted(project, run_id, Scripted()) is RunState.DONE


def test_a_snippet_is_edited_with_a_note_and_is_not_taken_in_yet(project: Project) -> None:
    run_id = steered(project)
    first = list_documents(project)[0].id
    at = at_document(run_id, 1, project)
    area = next(area for area in at.text_area if area.label == "Snippet of round 1")
    assert area.value == ROUND_1[1]
    area.set_value("A grey launch came to Lime Quay.").run()
    at.text_input[0].set_value("Shorter.").run()
    click(at, "Keep my words")
    assert changes(project, run_id) == [
        EditSnippet(document_id=first, round=1, text="A grey launch came to Lime Quay.")
    ]
    (entry,) = list_changes(project, run_id)
    assert (entry.author, entry.note) == (state.analyst(), "Shorter.")
    assert "**1 change** is not taken in yet; the next round is read with it. That takes about 10" in told(at)
    assert f"Own words in round 1 · {plain(state.analyst())}" in told(at)
    click(at, "Take back")
    assert changes(project, run_id) == []
    assert "not taken in yet" not in told(at)


def test_a_snippet_is_pinned_and_vetoed_and_a_document_excluded_and_taken_back(project: Project) -> None:
    run_id = steered(project)
    sixth = list_documents(project)[5].id
    at = at_document(run_id, 6, project)
    click(at, "Pin")
    click(at, "Veto")
    at.radio[0].set_value(0).run()
    click(at, "Exclude it")
    assert changes(project, run_id) == [
        PinSnippet(document_id=sixth, round=1),
        VetoSnippet(document_id=sixth, round=1),
        ExcludeDocument(document_id=sixth, round=0),
    ]
    assert "It is excluded." in told(at)
    assert "Keep my words" not in labels(at)
    assert labels(at).count("Take back") == 3


def test_a_hint_for_the_next_round_is_kept(project: Project) -> None:
    run_id = steered(project)
    at = relevance(run_id)
    at.session_state[f"next-round-{run_id}-{RunState.BETWEEN.value}"] = True
    at.run()
    at.text_area[0].set_value("Who wore a red scarf?").run()
    click(at, "Keep the hint")
    assert changes(project, run_id) == [Hint(round=2, text="Who wore a red scarf?")]


def test_one_more_round_of_chosen_documents_says_its_calls_and_starts(home: Path, workers: Workers) -> None:
    project, run_id = finished_harbour(home / "projects")
    ids = [line.id for line in list_documents(project)]
    at = relevance(run_id)
    at.session_state[f"next-round-{run_id}-{RunState.DONE.value}"] = True
    at.run()
    assert re.search(r"About 1\d \(10 to \d+\) calls for reading\.", told(at))
    at.multiselect[0].set_value([ids[2]]).run()
    assert re.search(r"About 1 (?:\(1 to \d\) )?calls for reading\.", told(at))
    click(at, "Read round 3")
    assert changes(project, run_id) == [AddRound(only=(ids[2],))]
    assert workers.started == [run_id]


def test_changes_after_the_end_are_applied_when_the_person_says_so(home: Path, workers: Workers) -> None:
    project, run_id = finished_harbour(home / "projects")
    at = at_document(run_id, 9, project)
    click(at, "Veto")
    assert "**1 change** is not taken in yet. No document is read again for it." in told(at)
    click(at, "Apply it")
    assert workers.started == [run_id]
    assert carry_scripted(project, run_id, Scripted()) is RunState.DONE
    assert "not taken in yet" not in told(at_document(run_id, 9, project))


def test_nothing_can_be_steered_while_the_run_is_at_work_and_the_page_says_why(project: Project) -> None:
    run_id = start_harbour_run(project)
    run_rows.claim_run(project, run_id, os.getpid())
    run_rows.set_state(project, run_id, RunState.RELEVANCE)
    at = at_document(run_id, 1, project)
    assert "The run is at work, so nothing can be changed now." in told(at)
    assert not {"Keep my words", "Pin", "Veto"} & set(labels(at))


def test_a_vetoed_snippet_that_is_carried_over_is_no_document_with_nothing_to_say(home: Path) -> None:
    project, run_id = finished_harbour(home / "projects")
    seventh = list_documents(project)[6].id
    steer(project, run_id, VetoSnippet(document_id=seventh, round=1), author="R. Marsh")
    steer(project, run_id, PinSnippet(document_id=seventh, round=1), author="R. Marsh")
    _, second = changes_of(project, run_id, 0, seventh)["changes"]
    assert (second["hidden"], "".join(text for text, _ in second["pieces"])) == (True, ROUND_1[7])
    assert any(told.startswith("Vetoed in round 1 by R. Marsh, ") for told in second["people"])
    assert second["carried"]
    steer(project, run_id, EditSnippet(document_id=seventh, round=2, text="A barge."), author="R. Marsh")
    _, second = changes_of(project, run_id, 0, seventh)["changes"]
    assert (second["hidden"], "".join(text for text, _ in second["pieces"])) == (False, "A barge.")


def test_the_rounds_say_how_much_they_changed(home: Path) -> None:
    _, run_id = finished_harbour(home / "projects")
    assert "Round 2 changed **3 of 10** snippets." in told(relevance(run_id))


def test_the_cards_tell_whose_words_stand_and_what_they_lean_on(home: Path) -> None:
    project, run_id = finished_harbour(home / "projects")
    ids = [line.id for line in list_documents(project)]
    edit = EditSnippet(document_id=ids[8], round=1, text="The yellow barge of Abel Stone.")
    steer(project, run_id, edit, author="R. Marsh", note="Seen on the plan.")
    steer(project, run_id, VetoSnippet(document_id=ids[6], round=1), author="R. Marsh")
    steer(project, run_id, PinSnippet(document_id=ids[3], round=1), author="R. Marsh")
    cards = {(card["document"], card["round"]): card for card in changes_of(project, run_id, 0)["changes"]}
    edited = cards[ids[8], 1]
    assert "".join(text for text, _ in edited["pieces"]) == "The yellow barge of Abel Stone."
    assert edited["people"][0].startswith("Written by R. Marsh, ")
    assert edited["people"][0].endswith(". Seen on the plan.")
    assert (edited["byModel"], edited["foreign"]) == (ROUND_1[9], ["Abel Stone"])
    vetoed = cards[ids[6], 1]
    assert (vetoed["hidden"], "".join(text for text, _ in vetoed["pieces"])) == (True, ROUND_1[7])
    pinned = cards[ids[3], 2]
    assert (pinned["carried"], pinned["changed"], pinned["saw"]) == (True, False, "")
    assert pinned["people"][0].startswith("Kept from round 1: pinned by R. Marsh")
    leans = {number: lean["words"] for lean in cards[ids[0], 2]["leans"] for number in lean["numbers"]}
    assert any("Petrel" in words for words in leans.values())
    assert set(leans) >= {7, 9}
    one = changes_of(project, run_id, 0, ids[0])["changes"]
    assert [(card["document"], card["round"]) for card in one] == [(ids[0], 1), (ids[0], 2)]
