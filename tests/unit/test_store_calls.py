"""The call log: no prompt is asked twice, whoever asks it and whatever ended before, and each piece is kept once."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from r3con_core.documents import Unread
from r3con_core.errors import StoppedError, StoreError
from r3con_core.exchange import About, Message, Prompt, Reply, Stage, Usage
from r3con_core.progress import RoundProgress, progress_of
from r3con_core.runs import Caps, RunSettings
from r3con_core.snippets import Digest, RelevanceSnippet, Sight, SightCounts
from r3con_core.store import runs as run_rows
from r3con_core.store import snippets as snippet_rows
from r3con_core.store.calls import iter_calls, list_calls, remembering, usage_by_stage
from r3con_core.store.caps import load_caps, save_caps
from r3con_core.store.copies import bring_up_to_date, check_store, copy_run
from r3con_core.store.digests import clear_digests, load_digests, save_digest
from r3con_core.store.migrations import MIGRATIONS, migrate
from r3con_core.store.project import FILE, Project, create_project, open_project
from r3con_core.store.sights import count_sights, load_sight, load_sights, save_sight
from r3con_core.tasks import make_task

IDS = tuple(f"doc-{number}" for number in range(1, 41))


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    found = create_project(tmp_path, "Calls")
    yield found
    found.close()


def new_run(project: Project, rounds: int = 2) -> str:
    run = run_rows.create_run(
        project, task=make_task("q"), document_ids=IDS, settings=RunSettings(model="m", rounds=rounds),
        waits=(False, False), endpoints={},
    )  # fmt: skip
    return run.id


@pytest.fixture
def run_id(project: Project) -> str:
    return new_run(project)


def prompt_of(*pieces: str, document_id: str = "doc-1", stage: Stage = Stage.RELEVANCE) -> Prompt:
    messages = (Message(role="system", pieces=("Be brief.",)), Message(role="user", pieces=pieces))
    return Prompt(stage=stage, about=About(document_id=document_id, round=1), messages=messages)


def says(text: str) -> Callable[[Prompt], Reply]:
    return lambda _: Reply(text=text, model="m")


def never(_: Prompt) -> Reply:
    raise AssertionError("this prompt was to be asked no more")


def no_wait() -> None:
    raise AssertionError("there was nobody to wait for")


# What is kept

PIECES = st.text(st.characters(exclude_categories=()), max_size=40) | st.sampled_from("abc").map(lambda s: s * 1500)
PROMPTS = st.builds(
    Prompt,
    stage=st.sampled_from(Stage),
    attempt=st.integers(1, 3),
    messages=st.lists(
        st.builds(
            Message,
            role=st.sampled_from(["system", "user", "assistant"]),
            pieces=st.lists(PIECES, max_size=6).map(tuple),
        ),
        max_size=3,
    ).map(tuple),
    shape=st.none() | st.just({"type": "object", "properties": {"ż": {"type": "string"}}}),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(prompt=PROMPTS)
def test_every_prompt_survives_piece_by_piece_and_keeps_its_key(project: Project, prompt: Prompt) -> None:
    run_id = new_run(project)
    prompt = replace(prompt, about=About(document_id=run_id))  # the same words may be there in other pieces
    remembering(project, run_id, "m", "here", says("yes"))(prompt)
    (call,) = list_calls(project, run_id)
    assert (call.prompt, call.prompt.key("m"), call.reply.text) == (prompt, call.key, "yes")


def test_a_piece_that_many_prompts_share_is_kept_once(project: Project, run_id: str) -> None:
    notes = [f"[{number}] what document {number} says" for number in range(40)]
    ask = remembering(project, run_id, "m", "", says("yes"))
    for place, document_id in enumerate(IDS):
        ask(prompt_of(*notes[:place], *notes[place + 1 :], "Write.", document_id=document_id))
    (kept,) = project.db.execute("select count(*) from texts").fetchone()
    rows = project.db.execute("select messages, pieces from calls order by rowid").fetchall()
    assert kept == 40 + 2
    assert {row["messages"] for row in rows} == {""}
    assert [row["pieces"] for row in rows[:3]] == [
        "system:1 user:2-41",
        "system:1 user:42,3-41",
        "system:1 user:42,2,4-41",
    ]
    first, second = (call.prompt.messages[1].pieces for call in list_calls(project, run_id)[:2])
    assert first[1] is second[1]


def test_another_process_adds_to_the_pieces_that_are_kept(project: Project, run_id: str) -> None:
    shared = prompt_of("one", "two")
    remembering(project, run_id, "m", "", says("yes"))(shared)
    other = open_project(project.folder)
    remembering(other, run_id, "m", "", says("yes"))(prompt_of("two", "three"))
    other.close()
    remembering(project, run_id, "m", "", says("yes"))(prompt_of("three", "four"))
    texts = [text for (text,) in project.db.execute("select text from texts order by id")]
    assert texts == ["Be brief.", "one", "two", "three", "four"]


def test_a_long_piece_takes_less_room_than_its_letters(project: Project, run_id: str) -> None:
    document = " ".join(f"crate {number} landed at pier {number % 7}." for number in range(2000))
    remembering(project, run_id, "m", "", says("yes"))(prompt_of(document))
    (size,) = project.db.execute("select max(length(text)) from texts").fetchone()
    assert size < len(document) / 3
    assert list_calls(project, run_id)[0].prompt.messages[1].pieces == (document,)


def older_project(folder: Path, prompt: Prompt) -> Path:
    """The file of a project from before pieces, with one call that no run has used."""
    said = json.dumps([{"role": m.role, "content": m.content} for m in prompt.messages], ensure_ascii=False)
    folder.mkdir()
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as db:
        migrate(db, MIGRATIONS[:3])
        db.execute("insert into project values ('Older', '2026-01-01T00:00:00+00:00')")
        db.execute(
            "insert into calls values (?, 'm', '', 'relevance', 'doc-1', 1, 0, 0, 1, ?, ?, 512, 0.0, 'kept', '', 'stop',"
            " 1, 0, 1, 1, 0.5, '2026-01-01T00:00:00+00:00')",
            (prompt.key("m"), said, json.dumps(prompt.shape)),
        )
    return folder / FILE


def test_the_calls_of_an_older_project_are_read_reused_and_copied(tmp_path: Path) -> None:
    prompt = replace(prompt_of("Read this: żółw"), shape={"type": "object"})
    file = older_project(tmp_path / "older", prompt)
    check_store(file)
    bring_up_to_date(file)
    project = open_project(file.parent)
    run_id = new_run(project)
    assert remembering(project, run_id, "m", "", never)(prompt).text == "kept"
    (call,) = iter_calls(project, run_id, Stage.RELEVANCE)
    assert (call.prompt, call.prompt.key("m"), call.reused) == (prompt, call.key, True)
    copy = create_project(tmp_path / "elsewhere", "Copy")
    copy_run(file, copy, run_id)
    assert list_calls(copy, run_id) == (call,)
    project.close()
    copy.close()


@pytest.mark.parametrize(
    ("damage", "values"),
    [
        ("delete from texts where id = 2", ()),
        ("update texts set text = ? where id = 2", (b"not packed",)),
        ("update texts set text = ? where id = 2", (zlib.compress(b"cut short")[:-2],)),
        ("update texts set text = ? where id = 2", (zlib.compress(bytes(70_000_000)),)),
        ("update calls set pieces = 'user:two'", ()),
        ("update calls set pieces = 'user:3-2'", ()),
        ("update calls set pieces = 'user:1-999999999999'", ()),
        ("update calls set pieces = ?", ("user:" + ",".join(["3"] * 70),)),
        ("update calls set pieces = ?", (" ".join(["user:3"] * 70),)),
    ],
)
def test_a_prompt_that_was_damaged_is_said_to_be(
    project: Project, run_id: str, damage: str, values: tuple[bytes | str, ...]
) -> None:
    remembering(project, run_id, "m", "", says("yes"))(prompt_of("one", "x" * 1_000_000))
    project.db.execute(damage, values)
    with pytest.raises(StoreError):
        list_calls(project, run_id)


# Never twice


def test_a_prompt_that_another_run_is_asking_is_waited_for(project: Project) -> None:
    first, second = new_run(project), new_run(project)
    begun, go_on = threading.Event(), threading.Event()

    def slow(_: Prompt) -> Reply:
        begun.set()
        assert go_on.wait(30)
        return Reply(text="once", model="m", usage=Usage(prompt=7))

    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(remembering(project, first, "m", "", slow), prompt_of("q"))
        assert begun.wait(30)

        def wait() -> None:
            go_on.set()
            asked.result(30)

        assert remembering(project, second, "m", "", never, wait=wait)(prompt_of("q")).text == "once"
    assert [(u.calls, u.reused, u.usage.prompt) for u in usage_by_stage(project, first)] == [(1, 0, 7)]
    assert [(u.calls, u.reused, u.usage.prompt) for u in usage_by_stage(project, second)] == [(1, 1, 0)]


def test_many_threads_with_one_prompt_ask_it_once(project: Project, run_id: str) -> None:
    asked: list[Prompt] = []

    def model(prompt: Prompt) -> Reply:
        asked.append(prompt)
        return Reply(text="once", model="m")

    ask = remembering(project, run_id, "m", "", model, wait=lambda: None)
    with ThreadPoolExecutor(16) as pool:
        texts = {reply.text for reply in pool.map(ask, [prompt_of("q")] * 64)}
    assert (texts, len(asked)) == ({"once"}, 1)


def test_a_prompt_whose_asking_failed_is_asked_by_the_next(project: Project, run_id: str) -> None:
    def fails(_: Prompt) -> Reply:
        raise StoppedError

    with pytest.raises(StoppedError):
        remembering(project, run_id, "m", "", fails)(prompt_of("q"))
    assert remembering(project, run_id, "m", "", says("now"), wait=no_wait)(prompt_of("q")).text == "now"


def claim_for(project: Project, pid: int, since: float) -> None:
    project.db.execute("insert into asking values (?, ?, ?)", (prompt_of("q").key("m"), pid, since))


@pytest.fixture
def neighbour() -> Iterator[subprocess.Popen[bytes]]:
    """A living process that is not ours."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def test_what_a_living_process_asks_is_waited_for_until_it_ends(
    project: Project, run_id: str, neighbour: subprocess.Popen[bytes]
) -> None:
    claim_for(project, neighbour.pid, time.monotonic())
    waited: list[bool] = []

    def wait() -> None:
        assert not waited
        waited.append(True)
        neighbour.kill()
        neighbour.wait(30)

    assert remembering(project, run_id, "m", "", says("now"), wait=wait)(prompt_of("q")).text == "now"
    assert waited == [True]


def test_waiting_ends_when_the_analyst_stops_the_run(
    project: Project, run_id: str, neighbour: subprocess.Popen[bytes]
) -> None:
    claim_for(project, neighbour.pid, time.monotonic())

    def stop() -> None:
        raise StoppedError

    with pytest.raises(StoppedError):
        remembering(project, run_id, "m", "", never, wait=stop)(prompt_of("q"))


def test_a_claim_of_an_earlier_process_with_our_number_does_not_count(project: Project, run_id: str) -> None:
    claim_for(project, os.getpid(), time.monotonic())
    assert remembering(project, run_id, "m", "", says("now"), wait=no_wait)(prompt_of("q")).text == "now"


def test_an_old_claim_counts_only_while_a_run_of_that_process_shows_signs_of_life(
    project: Project, run_id: str, neighbour: subprocess.Popen[bytes]
) -> None:
    claim_for(project, neighbour.pid, time.monotonic() - 3600)
    run_rows.claim_run(project, run_id, neighbour.pid)

    def wait() -> None:
        assert run_rows.holder(project, run_id)[0] == neighbour.pid
        run_rows.release_run(project, run_id)

    assert remembering(project, run_id, "m", "", says("now"), wait=wait)(prompt_of("q")).text == "now"
    claim_for(project, neighbour.pid, time.monotonic() - 3600)
    project.db.execute("delete from run_calls")
    project.db.execute("delete from calls")
    assert remembering(project, run_id, "m", "", says("anew"), wait=no_wait)(prompt_of("q")).text == "anew"


OTHER_PROCESS = """
import sys
from pathlib import Path
from r3con_core.exchange import Reply
from r3con_core.store.calls import remembering
from r3con_core.store.project import open_project
from tests.unit.test_store_calls import prompt_of

project, run_id = open_project(Path(sys.argv[1])), sys.argv[2]

def model(prompt):
    print(prompt.messages[1].content, flush=True)
    if sys.argv[3] == "hang":
        sys.stdin.read()
    return Reply(text=prompt.messages[1].content, model="m")

ask = remembering(project, run_id, "m", "", model, wait=lambda: None)
for number in range(60):
    ask(prompt_of(f"question {number}"))
"""


def start_process(project: Project, run_id: str, how: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", OTHER_PROCESS, str(project.folder), run_id, how]
    root = Path(__file__).parents[2]
    return subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_two_processes_on_one_store_ask_each_prompt_once(project: Project) -> None:
    runs = [new_run(project), new_run(project)]
    processes = [start_process(project, run_id, "go") for run_id in runs]
    said = [process.communicate(timeout=60)[0].split("\n")[:-1] for process in processes]
    assert sorted(said[0] + said[1]) == sorted(f"question {number}" for number in range(60))
    assert [len(list_calls(project, run_id)) for run_id in runs] == [60, 60]
    assert sum(u.reused for run_id in runs for u in usage_by_stage(project, run_id)) == 60


def test_a_killed_process_blocks_nobody(project: Project, run_id: str) -> None:
    with start_process(project, run_id, "hang") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "question 0\n"
        assert project.db.execute("select pid from asking").fetchall()[0]["pid"] == process.pid
        process.send_signal(signal.SIGKILL)
        process.wait(30)
    ask = remembering(project, run_id, "m", "", says("now"), wait=no_wait)
    assert ask(prompt_of("question 0")).text == "now"
    assert project.db.execute("select * from asking").fetchall() == []


def test_sixty_four_threads_write_at_once_and_nothing_is_lost(project: Project, run_id: str) -> None:
    notes = tuple(f"note {number}" for number in range(100))
    ask = remembering(project, run_id, "m", "", lambda p: Reply(text=p.about.document_id, model="m"))
    prompts = [prompt_of(*notes, document_id=f"doc-{number}") for number in range(640)]
    with ThreadPoolExecutor(64) as pool:
        replies = [reply.text for reply in pool.map(ask, prompts)]
    assert replies == [f"doc-{number}" for number in range(640)]
    kept = {call.prompt.about.document_id: call.prompt for call in iter_calls(project, run_id)}
    assert kept == {prompt.about.document_id: prompt for prompt in prompts}


def test_a_change_within_a_change_is_refused_and_leaves_nothing(project: Project, run_id: str) -> None:
    with pytest.raises(sqlite3.OperationalError), project.change() as db:
        db.execute("update runs set note = 'x'")
        run_rows.set_note(project, run_id, "y")
    assert run_rows.note_of(project, run_id) == ""


# How far a run is


def test_progress_counts_what_came_of_each_document_in_each_round(project: Project, run_id: str) -> None:
    for number, text in enumerate(("said", "said", "")):
        snippet_rows.save_snippet(project, run_id, 1, RelevanceSnippet(document_id=IDS[number], text=text))
    snippet_rows.save_unread(project, run_id, Stage.RELEVANCE, Unread(document_id=IDS[3], reason="why"), 1)
    snippet_rows.save_unread(project, run_id, Stage.PARSING, Unread(document_id=IDS[3], reason="why"))
    assert progress_of(project, run_id).rounds == (
        RoundProgress(number=1, said=2, silent=1, failed=1, documents=40),
        RoundProgress(number=2, said=0, silent=0, failed=0, documents=40),
    )


def test_each_stage_has_its_usage_and_what_was_reused_costs_nothing(project: Project) -> None:
    def model(prompt: Prompt) -> Reply:
        counted = prompt.stage is not Stage.DIGEST
        return Reply(text="", model="m", usage=Usage(prompt=10, cached=4, output=2, counted=counted), seconds=1)

    first, second = new_run(project), new_run(project)
    for stage in (Stage.SCHEMA, Stage.DIGEST):
        remembering(project, first, "m", "", model)(prompt_of("q", stage=stage))
        remembering(project, second, "m", "", model)(prompt_of("q", stage=stage))
    progress = progress_of(project, first)
    assert [(s.stage, s.calls, s.usage) for s in progress.stages] == [
        (Stage.DIGEST, 1, Usage(prompt=10, cached=4, output=2, counted=False)),
        (Stage.SCHEMA, 1, Usage(prompt=10, cached=4, output=2)),
    ]
    again = progress_of(project, second)
    assert (again.calls, again.reused, again.usage) == (2, 2, Usage())


# Digests and what each document saw

DIGESTS = (
    Digest(level=1, number=1, covers=IDS[:20], text="The first twenty."),
    Digest(level=1, number=2, covers=(*IDS[20:30], *IDS[35:]), text="", cut=True),
    Digest(level=2, number=1, covers=(*IDS[:30], *IDS[35:]), text="All."),
)


def test_digests_come_with_their_round(project: Project, run_id: str) -> None:
    snippet_rows.save_snippet(project, run_id, 1, RelevanceSnippet(document_id="doc-1", text="a"))
    snippet_rows.save_snippet(project, run_id, 2, RelevanceSnippet(document_id="doc-1", text="b"))
    for digest in reversed(DIGESTS):
        save_digest(project, run_id, 1, digest)
    first, second = snippet_rows.load_context(project, run_id, IDS).rounds
    assert (first.digests, second.digests) == (DIGESTS, ())
    assert load_digests(project, run_id, 1) == DIGESTS


def test_a_changed_digest_is_a_change_of_the_run_and_the_same_one_is_none(project: Project, run_id: str) -> None:
    save_digest(project, run_id, 1, DIGESTS[0])
    seen = run_rows.latest_seq(project, run_id)
    save_digest(project, run_id, 1, DIGESTS[0])
    assert run_rows.latest_seq(project, run_id) == seen
    save_digest(project, run_id, 1, replace(DIGESTS[0], text="Other words."))
    assert run_rows.latest_seq(project, run_id) == seen + 1
    clear_digests(project, run_id, 1)
    assert (load_digests(project, run_id, 1), run_rows.latest_seq(project, run_id)) == ((), seen + 2)


def test_what_each_document_saw_survives_in_a_few_letters(project: Project, run_id: str) -> None:
    sights = {
        "doc-7": Sight(document_id="doc-7", whole=(*IDS[20:], *IDS[:6]), shortened=IDS[20:22], digested=IDS[7:20]),
        "": Sight(document_id="", whole=()),
    }
    for sight in sights.values():
        save_sight(project, run_id, Stage.RELEVANCE, 2, replace(sight, whole=IDS[:1]))
        save_sight(project, run_id, Stage.RELEVANCE, 2, sight)
    assert load_sights(project, run_id, Stage.RELEVANCE, 2) == sights
    assert load_sights(project, run_id, Stage.PARSING, 2) == {}
    assert load_sight(project, run_id, Stage.RELEVANCE, 2, document_id="doc-7") == sights["doc-7"]
    assert load_sight(project, run_id, Stage.RELEVANCE, 2, document_id="doc-8") is None
    counts = count_sights(project, run_id, Stage.RELEVANCE, 2, ["doc-7", "doc-8"])
    assert counts == {"doc-7": SightCounts(whole=26, shortened=2, digested=13)}
    rows = project.db.execute("select whole, shortened, digested from sights where document_id = 'doc-7'").fetchall()
    assert [tuple(row) for row in rows] == [("21-40,1-6", "21-22", "8-20")]


@pytest.mark.parametrize("whole", ["0-3", "40-41", "1-999999999", "-1", "1,,2", "1-40,1-40,1-40"])
def test_a_sight_of_documents_that_are_not_there_is_damage(project: Project, run_id: str, whole: str) -> None:
    save_sight(project, run_id, Stage.PARSING, 0, Sight(document_id="doc-1", whole=()))
    project.db.execute("update sights set whole = ?", (whole,))
    with pytest.raises(StoreError):
        load_sights(project, run_id, Stage.PARSING, 0)


# Copies


def test_a_copy_of_a_run_has_its_own_prompts_digests_and_sights_and_nobody_at_work(
    project: Project, tmp_path: Path
) -> None:
    other, mine = new_run(project), new_run(project)
    remembering(project, other, "m", "", says("a"))(prompt_of("of the other run", "shared"))
    wanted = replace(prompt_of("shared", "mine"), shape={"type": "object"})
    remembering(project, mine, "m", "", says("b"))(wanted)
    save_digest(project, mine, 1, DIGESTS[0])
    save_sight(project, mine, Stage.RELEVANCE, 1, Sight(document_id="doc-1", whole=IDS[1:]))
    save_caps(project, mine, Caps(money=1.5, tokens=10))
    claim_for(project, os.getpid(), time.monotonic())
    copy = create_project(tmp_path / "elsewhere", "Copy")
    copy_run(project.path, copy, mine)
    assert [call.prompt for call in list_calls(copy, mine)] == [wanted]
    texts = {text for (text,) in copy.db.execute("select text from texts")}
    assert texts == {"Be brief.", "shared", "mine", '{"type": "object"}'}
    assert load_digests(copy, mine, 1) == (DIGESTS[0],)
    assert load_sights(copy, mine, Stage.RELEVANCE, 1) == load_sights(project, mine, Stage.RELEVANCE, 1)
    assert load_caps(copy, mine) == Caps(money=1.5, tokens=10)
    assert copy.db.execute("select * from asking").fetchall() == []
    copy.close()
