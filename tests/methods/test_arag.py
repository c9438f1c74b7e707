import json
from collections.abc import Iterator
from pathlib import Path

from r3con_core.documents import Corpus
from r3con_core.embedding import WordVectors
from r3con_core.exchange import Prompt, Stage
from r3con_core.method.layout import left_in
from r3con_core.methods.arag import ARAG
from r3con_core.methods.chunks import cut
from r3con_core.methods.lookups import Library, Lookup, make_library
from r3con_core.methods.seam import Size, options_of
from r3con_core.runs import RunState
from r3con_core.store.answers import load_answer
from r3con_core.store.built import load_built
from r3con_core.store.project import Project
from r3con_core.store.usage import document_tokens
from r3con_core.traces import Built
from tests.fakes import Scripted, harbour_project, text_document, text_project
from tests.methods.running import carry_method, start

TEXTS = (
    "The Petrel left her mooring. Nobody saw the Petrel again.",
    "Lime Quay lay dark. The Petrel came.",
    "Cheese is made of milk.",
)


def library(most: int = 2) -> Library:
    documents = tuple(text_document(text, path=f"{number}.txt") for number, text in enumerate(TEXTS))
    return make_library(cut(Corpus(documents=documents), 100), WordVectors(), most)


def test_keywords_score_by_how_often_they_stand_there_times_their_letters() -> None:
    # chunk 1: 2 x 6 letters; chunk 2: 6 + 9
    assert library().keyword_search(["petrel", "Lime Quay"]) == [
        (2, "Lime Quay lay dark. The Petrel came."),
        (1, "The Petrel left her mooring. Nobody saw the Petrel again."),
    ]
    assert library().keyword_search(["mooring"]) == [(1, "The Petrel left her mooring.")]
    assert library().keyword_search(["Heron"]) == []


def test_a_search_by_meaning_shows_the_nearest_sentences_of_the_nearest_chunks() -> None:
    [(number, text)] = library(most=1).semantic_search("what is cheese made of")
    assert (number, text) == (3, "Cheese is made of milk.")


def test_a_search_by_meaning_shows_three_sentences_a_chunk() -> None:
    document = text_document("Cheese is old. Cheese is new. Cheese is blue. Cheese is dear. Milk is white.")
    chunks = cut(Corpus(documents=(document,)), 100)
    [(_, text)] = make_library(chunks, WordVectors(), 1).semantic_search("cheese")
    assert text.count("Cheese") == 3


def test_a_chunk_that_was_read_is_not_given_again() -> None:
    first = library().look_up(1, {"tool": "read_chunk", "chunks": [1, 9]}, (), room=1000)
    assert first.full == (1,)
    assert first.found.endswith(f"{TEXTS[0]}\n\nThere is no chunk 9: they go from 1 to 3.")
    second = library().look_up(2, {"tool": "read_chunk", "chunks": [2, 1, 2]}, (first,), room=1000)
    assert second.full == (2,)
    assert second.found == f"[chunk 2, Document 2]\n{TEXTS[1]}\n\n[chunk 1] was read before, in step 1."


def test_the_same_search_is_not_made_twice() -> None:
    said = {"tool": "keyword_search", "keywords": ["Petrel"]}
    first = library().look_up(1, said, (), room=1000)
    assert first.chunks == (1, 2)
    assert library().look_up(2, said, (first,), room=1000).found.startswith("This search was made in step 1.")


def test_a_lookup_that_says_nothing_to_look_up_is_told_so() -> None:
    def found(said: dict[str, object]) -> str:
        return library().look_up(1, said, (), room=1000).found

    assert found({"tool": "keyword_search", "keywords": [" ", "..."[:0]]}) == "Name at least one keyword."
    assert found({"tool": "semantic_search"}) == "Say what to search for."
    assert found({"tool": "read_chunk"}) == "Name at least one chunk by its number."
    assert found({"tool": "answer", "answer": ""}).startswith("The answer was empty.")


def test_chunks_that_do_not_fit_are_left_for_another_step() -> None:
    got = library().look_up(1, {"tool": "read_chunk", "chunks": [1, 2, 3]}, (), room=60)
    assert got.full == (1,)
    assert "There was no more room for chunk 2. Read it in another step." in got.found
    again = library().look_up(2, {"tool": "read_chunk", "chunks": [2]}, (got,), room=60)
    assert isinstance(again, Lookup)
    assert again.full == (2,)


def run_arag(
    project: Project, said: Iterator[dict[str, object]], window: int = 32_768, **options: float
) -> tuple[Scripted, dict[str, Built], str]:
    model = Scripted(lambda prompt: json.dumps(next(said)) if prompt.shape else "The Petrel did.")
    run_id = start(project, "arag", "Which launch?", window=window, **options)
    assert carry_method(project, run_id, model) is RunState.DONE
    answer = load_answer(project, run_id)
    assert answer is not None
    return model, {built.name: built for built in load_built(project, run_id)}, answer.text


def searches() -> Iterator[dict[str, object]]:
    for number in range(1000):
        yield {"thought": "On.", "tool": "keyword_search", "keywords": [f"word{number}", "Petrel"]}


def test_after_its_last_step_the_model_must_answer(tmp_path: Path) -> None:
    model, built, answer = run_arag(harbour_project(tmp_path), searches(), steps=4.0)
    assert len(model.prompts) == 5
    assert [prompt.shape is None for prompt in model.prompts] == [False] * 4 + [True]
    assert [item.title for item in built["Steps of the agent"].items] == ["Step 1", "Step 2", "Step 3", "Step 4"]
    assert answer == "The Petrel did."


def test_an_answer_in_a_step_ends_it_and_says_what_it_was_written_from(tmp_path: Path) -> None:
    plan: list[dict[str, object]] = [
        {"thought": "Read.", "tool": "read_chunk", "chunks": [6]},
        {"thought": "Done.", "tool": "answer", "answer": "It was the Petrel."},
    ]
    model, built, answer = run_arag(harbour_project(tmp_path), iter(plan))
    assert (len(model.prompts), answer) == (2, "It was the Petrel.")
    [item] = built["What the answer was written from"].items
    assert item.chosen
    assert item.places[0].document_id in (model.prompts[1].holds or ())
    assert model.prompts[0].holds == ()
    assert item.text in model.prompts[1].messages[-1].content


def test_what_no_longer_fits_the_window_is_left_out_and_marked_so(tmp_path: Path) -> None:
    def reads() -> Iterator[dict[str, object]]:
        for number in range(1, 9):
            yield {"thought": "Read.", "tool": "read_chunk", "chunks": [number]}

    documents = tuple(text_document(f"Memo {n}. " + "All was quiet. " * 70, path=f"{n}.txt") for n in range(8))
    model, built, _ = run_arag(text_project(tmp_path, documents), reads(), 2048, steps=8.0, passage=400.0)
    chosen = [item.chosen for item in built["What the answer was written from"].items]
    assert chosen == sorted(chosen)
    assert chosen[0] is False
    assert chosen[-1] is True
    assert all(left_in(2048, prompt.messages) >= prompt.max_tokens for prompt in model.prompts)


def test_a_model_that_gives_nothing_usable_still_has_to_answer_and_the_fault_is_told(tmp_path: Path) -> None:
    def answer(prompt: Prompt) -> str:
        return "Let me think." if prompt.shape else "I cannot tell."

    project, model = harbour_project(tmp_path), Scripted(answer)
    run_id = start(project, "arag", "Which launch?")
    assert carry_method(project, run_id, model) is RunState.DONE
    steps = load_built(project, run_id)[0]
    assert steps.items[-1].fault


def test_it_asks_as_often_as_planned(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    ids = tuple(id_ for (id_,) in project.db.execute("select id from documents order by position"))
    size = Size(documents=document_tokens(project, ids), window=32_768)
    model, _, _ = run_arag(project, searches())
    assert ARAG.plan is not None
    calls = [
        one.calls for one in ARAG.plan(size, dict(options_of(ARAG.settings(size)))) if one.stage is Stage.REASONING
    ]
    assert sum(one.low for one in calls) <= len(model.prompts) <= sum(one.high for one in calls)
