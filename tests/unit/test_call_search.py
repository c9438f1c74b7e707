"""The calls of a run listed and searched: what is found is in them, and what is in them is found."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from r3con_core.errors import StoreError
from r3con_core.exchange import About, Finish, Message, Prompt, Reply, Stage, Usage
from r3con_core.exports.calls import call_json, export_calls
from r3con_core.runs import RunSettings
from r3con_core.store import runs as run_rows
from r3con_core.store.call_search import (
    Where,
    call_lines,
    count_calls,
    count_calls_about,
    find_calls,
    load_call,
    shared_by,
)
from r3con_core.store.calls import Call, keep_call, list_calls
from r3con_core.store.project import Project, create_project
from r3con_core.tasks import make_task

GUIDE = "You read ONE document of the collection. " * 30


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    found = create_project(tmp_path, "Calls")
    yield found
    found.close()


def new_run(project: Project) -> str:
    run = run_rows.create_run(
        project, task=make_task("q"), document_ids=("doc-1", "doc-2"), settings=RunSettings(model="m"),
        waits=(False, False), endpoints={},
    )  # fmt: skip
    return run.id


@pytest.fixture
def run_id(project: Project) -> str:
    return new_run(project)


def keep(
    project: Project, run_id: str, *pieces: str, reply: str = "", about: About | None = None, **more: object
) -> str:
    """One call, kept; its key."""
    messages = (Message(role="system", pieces=(GUIDE,)), Message(role="user", pieces=pieces))
    prompt = Prompt(stage=more.pop("stage", Stage.RELEVANCE), about=about or About(), messages=messages)  # type: ignore[arg-type]
    said = Reply(text=reply, model="m", **more)  # type: ignore[arg-type]
    keep_call(
        project, run_id, Call(key=prompt.key("m"), prompt=prompt, reply=said, host="h", answered="2026-11-30T10:00:00")
    )
    return prompt.key("m")


def test_calls_are_listed_in_the_order_they_were_answered_without_their_texts(project: Project, run_id: str) -> None:
    usage = Usage(prompt=90, cached=40, output=7, counted=False)
    first = keep(project, run_id, "b", about=About(document_id="doc-2", round=1), usage=usage, seconds=1.5)
    second = keep(project, run_id, "a", finish=Finish.CUT_OFF, stage=Stage.PARSING)
    keep(project, new_run(project), "of another run")
    one, two = call_lines(project, run_id)
    assert (one.number, one.key, one.stage, one.about) == (
        1,
        first,
        Stage.RELEVANCE,
        About(document_id="doc-2", round=1),
    )
    assert (one.usage, one.seconds, one.finish, one.reused) == (usage, 1.5, Finish.COMPLETE, False)
    assert (two.number, two.key, two.stage, two.finish) == (2, second, Stage.PARSING, Finish.CUT_OFF)
    assert count_calls(project, run_id) == 2


def test_words_are_found_in_prompts_and_replies_or_in_one_of_them(project: Project, run_id: str) -> None:
    asked = keep(project, run_id, "The Petrel at Lime\nQuay", "2")
    said = keep(project, run_id, "1", reply="the petrel", thinking="Émile came by")

    def found(words: str, where: Where = Where.BOTH) -> set[str]:
        return set(find_calls(project, run_id, words, where))

    assert found("petrel") == {asked, said}
    assert found("PETREL", Where.PROMPTS) == {asked}
    assert found("petrel", Where.REPLIES) == {said}
    assert found('"lime quay"') == {asked}
    assert found('"lime qua"') == set()
    assert found("emile") == {said}
    assert found("petrel lime") == {asked}
    assert found("lime OR emile") == {asked, said}
    assert found("petrel -lime") == {said}
    assert found("collection") == {asked, said}
    assert found("collection", Where.REPLIES) == set()
    assert found("zeppelin") == set()
    assert found("") == {asked, said}


def test_pieces_of_other_runs_are_not_found(project: Project, run_id: str) -> None:
    keep(project, run_id, "mine")
    other = new_run(project)
    keep(project, other, "theirs")
    keep(project, run_id, "mine too")
    assert find_calls(project, run_id, "theirs") == frozenset()
    assert len(find_calls(project, other, "theirs")) == 1


WORDS = st.lists(st.sampled_from(["lime", "Quay", "petrel", "x", "żółw", "12"]), max_size=4).map(" ".join)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(calls=st.lists(st.tuples(st.lists(WORDS, min_size=1, max_size=4), WORDS), min_size=1, max_size=6), word=WORDS)
def test_a_call_is_found_exactly_when_each_word_is_in_it(
    project: Project, calls: list[tuple[list[str], str]], word: str
) -> None:
    run_id = new_run(project)
    kept = {
        keep(project, run_id, *pieces, str(n), reply=reply): (pieces, reply) for n, (pieces, reply) in enumerate(calls)
    }
    kept = {key: said for key, said in kept.items() if load_call(project, run_id, key)}
    texts = {call.key: [*call.prompt.messages[1].pieces, call.reply.text] for call in list_calls(project, run_id)}
    wanted = word.casefold().split()

    def holds(text: str, one: str) -> bool:
        said = text.casefold()
        return one in (said.split() if len(one) < 3 else said)

    expected = {key for key, said in texts.items() if all(any(holds(t, one) for t in said) for one in wanted)}
    assert find_calls(project, run_id, word) == expected


def test_what_calls_share_is_told_piece_by_piece(project: Project, run_id: str) -> None:
    first = keep(project, run_id, "note", "own")
    keep(project, run_id, "note", "other")
    keep(project, run_id, "third", "third")
    keep(project, new_run(project), "own")
    assert shared_by(project, run_id, first) == ((3,), (2, 1))
    assert shared_by(project, run_id, "no such") == ()


def test_one_call_is_read_whole(project: Project, run_id: str) -> None:
    key = keep(project, run_id, "a", reply="b")
    assert load_call(project, run_id, key) == list_calls(project, run_id)[0]
    assert load_call(project, new_run(project), key) is None


def test_calls_about_a_document_a_round_or_a_step_are_counted(project: Project, run_id: str) -> None:
    for number in (1, 2):
        keep(project, run_id, "x", about=About(document_id="doc-1", round=number))
    keep(project, run_id, "y", about=About(step=3), stage=Stage.REASONING)

    def count(stage: Stage, **about: object) -> int:
        return count_calls_about(project, run_id, stage, About(**about))  # type: ignore[arg-type]

    assert count(Stage.RELEVANCE, document_id="doc-1") == 2
    assert count(Stage.RELEVANCE, document_id="doc-1", round=2) == 1
    assert count(Stage.RELEVANCE, document_id="doc-2") == 0
    assert count(Stage.REASONING, step=3) == 1
    assert count(Stage.REASONING, step=2) == 0


def test_calls_of_an_older_project_are_found_too(project: Project, run_id: str) -> None:
    key = keep(project, run_id, "new", reply="said")
    told = json.dumps([{"role": "user", "content": "Read this memo"}])
    project.db.execute("update calls set messages = ?, pieces = ''", (told,))
    assert find_calls(project, run_id, "memo") == {key}
    assert find_calls(project, run_id, "memo", Where.REPLIES) == frozenset()
    assert shared_by(project, run_id, key) == ((1,),)


def test_a_damaged_prompt_is_said_to_be(project: Project, run_id: str) -> None:
    keep(project, run_id, "one")
    project.db.execute("update texts set text = ?", (b"not packed",))
    with pytest.raises(StoreError, match="damaged"):
        find_calls(project, run_id, "one")


def test_calls_leave_as_json_lines(project: Project, run_id: str) -> None:
    keys = [keep(project, run_id, "a\u2028b", reply='{"é": 1}'), keep(project, run_id, "c")]
    lines = export_calls(project, run_id, keys).decode("ascii").splitlines()
    read = [json.loads(line) for line in lines]
    assert [one["key"] for one in read] == keys
    assert read[0]["messages"] == [{"role": "system", "content": GUIDE}, {"role": "user", "content": "a\u2028b"}]
    assert (read[0]["reply"], read[0]["usage"]["prompt"], read[0]["stage"]) == ('{"é": 1}', 0, "relevance")
    assert call_json(list_calls(project, run_id)[0]) == f"{lines[0]}\n"
    with pytest.raises(StoreError, match="no call"):
        export_calls(project, run_id, ["call-0"])


def test_calls_that_are_too_many_for_a_file_are_not_cut_short(
    project: Project, run_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = keep(project, run_id, "a")
    monkeypatch.setattr("r3con_core.exports.calls.MOST_BYTES", 100)
    with pytest.raises(StoreError, match="Filter them first"):
        export_calls(project, run_id, [key])
