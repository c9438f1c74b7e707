from pathlib import Path

import networkx as nx
import pytest

from r3con_core.documents import Corpus
from r3con_core.exchange import Stage
from r3con_core.method.layout import left_in
from r3con_core.methods.chunks import cut
from r3con_core.methods.linearrag import LINEARRAG
from r3con_core.methods.seam import Size, options_of
from r3con_core.methods.trigraph import TriGraph, activate, build_graph, importance, make_graph, rank_passages
from r3con_core.runs import RunState
from r3con_core.store.built import load_built
from tests.fakes import Scripted, text_document, text_project
from tests.methods.running import carry_method, finished, start
from tests.methods.scripts import reply

TEXTS = (
    "At home by night we saw that Ann met Bob. And later on Bob rang Cleo.",
    "After that we know that Cleo wrote to Dan. Nobody saw with Eve and Ann.",
)


def graph() -> TriGraph:
    documents = tuple(text_document(text, path=f"{number}.txt") for number, text in enumerate(TEXTS))
    return make_graph(cut(Corpus(documents=documents), 100))


def test_sentences_mention_entities_and_passages_contain_them() -> None:
    made = graph()
    assert made.mentions == (("ann", "bob"), ("bob", "cleo"), ("cleo", "dan"), ("eve", "ann"))
    assert [dict(counts) for counts in made.counts()] == [
        {"ann": 1, "bob": 2, "cleo": 1},
        {"cleo": 1, "dan": 1, "eve": 1, "ann": 1},
    ]


def spread(relevance: list[float], threshold: float, steps: int) -> dict[str, tuple[float, int, int | None]]:
    activated = activate(graph(), {"ann": 0.9}, relevance, threshold=threshold, steps=steps)
    return {key: (round(one.score, 6), one.level, one.sentence) for key, one in activated.items()}


def test_activation_goes_over_sentences_times_their_relevance() -> None:
    assert spread([0.8, 0.5, 0.5, 0.1], 0.05, 3) == {
        "ann": (0.9, 1, None),
        "bob": (0.72, 2, 0),
        "eve": (0.09, 2, 3),
        "cleo": (0.36, 3, 1),
        "dan": (0.18, 4, 2),
    }


def test_what_is_activated_less_than_the_threshold_is_pruned_and_leads_nowhere() -> None:
    assert list(spread([0.8, 0.5, 0.5, 0.1], 0.2, 3)) == ["ann", "bob", "cleo"]
    assert list(spread([0.8, 0.2, 0.9, 0.1], 0.2, 3)) == ["ann", "bob"]
    assert list(spread([0.8, 0.8, 0.8, 0.8], 0.95, 3)) == []


def test_it_goes_no_further_than_so_many_steps() -> None:
    assert list(spread([1.0, 1.0, 1.0, 0.0], 0.1, 1)) == ["ann", "bob"]
    assert list(spread([1.0, 1.0, 1.0, 0.0], 0.1, 0)) == ["ann"]


def test_no_activation_exceeds_one() -> None:
    activated = activate(graph(), {"ann": 1.0, "cleo": 1.0}, [1.0, 1.0, 0.0, 0.0], threshold=0.1, steps=3)
    assert activated["bob"].score == 1.0


def test_passages_are_ranked_by_the_pagerank_of_networkx_over_entities_and_passages() -> None:
    made = graph()
    activated = activate(made, {"ann": 0.9}, [0.8, 0.5, 0.5, 0.1], threshold=0.2, steps=3)
    seeds = {
        "e:ann": 0.9,
        "e:bob": 0.72,
        "e:cleo": 0.36,
        # 0.05 * (1.5 * likeness + ln(1 + the sum of score * ln(1 + mentions) / level))
        "p1": 0.05 * 1.0431321,
        "p2": 0.05 * 2.0347434,
    }
    first, second = made.counts()
    assert importance(first, activated, 0.2, balance=1.5) == pytest.approx(seeds["p1"], abs=1e-7)
    assert importance(second, activated, 1.0, balance=1.5) == pytest.approx(seeds["p2"], abs=1e-7)
    theirs = nx.pagerank(build_graph(made), alpha=0.5, personalization=seeds, tol=1e-14, max_iter=1000)
    ours = rank_passages(made, activated, [0.2, 1.0], balance=1.5)
    assert ours == pytest.approx([theirs["p1"], theirs["p2"]], abs=1e-7)


def test_no_model_is_asked_before_the_reader(tmp_path: Path) -> None:
    project, run_id, model = finished(tmp_path, "linearrag")
    assert [prompt.stage for prompt in model.prompts] == [Stage.REASONING]
    built = {one.name: one for one in load_built(project, run_id)}
    named = [item.text for item in built["Names the question leads to"].items if item.title == "Named by the question"]
    assert sorted(named) == ["Lime Quay", "March 1931", "Petrel"]
    read = [item for item in built["Ranking of passages"].items if item.chosen]
    assert len(read) == 5
    assert all(item.text in model.prompts[0].messages[-1].content for item in read)


def test_a_question_without_names_is_answered_by_likeness(tmp_path: Path) -> None:
    documents = (text_document("the cellar was flooded", path="a.txt"), text_document("the roof was dry", path="b.txt"))
    project = text_project(tmp_path, documents)
    run_id = start(project, "linearrag", "was the cellar flooded?", read=1.0)
    assert carry_method(project, run_id, Scripted(reply)) is RunState.DONE
    ranking = load_built(project, run_id)[-1]
    assert "names nothing known" in ranking.says
    assert [item.text for item in ranking.items if item.chosen] == ["the cellar was flooded"]


def test_a_passage_longer_than_the_window_is_read_from_its_beginning_and_that_is_told(tmp_path: Path) -> None:
    document = text_document("Petrel sailed by night. " * 3000, path="a.txt")
    project, model = text_project(tmp_path, (document,)), Scripted(reply)
    run_id = start(project, "linearrag", "When did the Petrel sail?", window=2048, passage=100_000.0)
    assert carry_method(project, run_id, model) is RunState.DONE
    assert left_in(2048, model.prompts[0].messages) >= model.prompts[0].max_tokens
    options = dict(options_of(LINEARRAG.settings(Size(documents=(20_000,), window=2048)), {"passage": 1e9}))
    assert options["passage"] < 2048
