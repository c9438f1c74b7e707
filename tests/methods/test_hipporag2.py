import json
from dataclasses import replace
from pathlib import Path

import networkx as nx
import pytest

from r3con_core.documents import Corpus
from r3con_core.exchange import Finish, Prompt, Reply, Stage
from r3con_core.method.layout import left_in
from r3con_core.methods import method_of
from r3con_core.methods.chunks import Chunk, cut
from r3con_core.methods.hipporag2 import HIPPORAG2
from r3con_core.methods.phrases import Index, build_graph, rank_passages, seed_phrases, synonyms_of
from r3con_core.methods.seam import Size, options_of
from r3con_core.methods.triples import Triple
from r3con_core.runs import RunState
from r3con_core.store.answers import load_answer
from r3con_core.store.built import load_built
from r3con_core.store.project import Project
from r3con_core.store.usage import document_tokens
from r3con_core.traces import Built
from tests.fakes import Scripted, harbour_project, text_document, text_project
from tests.methods.running import carry_method, start
from tests.methods.scripts import reply


def three_passages() -> tuple[Chunk, ...]:
    texts = ("The Petrel left her mooring.", "The launch landed cases.", "The Heron lay on the slip.")
    documents = tuple(text_document(text, path=f"{number}.txt") for number, text in enumerate(texts))
    return cut(Corpus(documents=documents), 100)


def index() -> Index:
    triples = (
        Triple(passage=0, subject="the Petrel", relation="left", object="her mooring"),
        Triple(passage=1, subject="The Petrel", relation="landed", object="cases"),
        Triple(passage=1, subject="cases", relation="came from", object="the Petrel"),
        Triple(passage=2, subject="Heron", relation="lay on", object="slip"),
    )
    names = {key: name for t in triples for key, name in zip(t.keys, (t.subject, t.object), strict=True)}
    return Index(
        passages=three_passages(),
        triples=triples,
        names=names,
        synonyms=(("her mooring", "slip", 0.9), ("cases", "the petrel", 0.8)),
    )


def test_triples_passages_and_synonyms_make_one_graph_with_weights() -> None:
    edges = {frozenset((a, b)): weight for a, b, weight in build_graph(index()).edges(data="weight")}
    assert edges == {
        frozenset(("e:the petrel", "e:her mooring")): 1.0,
        frozenset(("e:the petrel", "e:cases")): 2.0,
        frozenset(("e:heron", "e:slip")): 1.0,
        frozenset(("e:her mooring", "e:slip")): 0.9,
        frozenset(("p1", "e:the petrel")): 1.0,
        frozenset(("p1", "e:her mooring")): 1.0,
        frozenset(("p2", "e:the petrel")): 1.0,
        frozenset(("p2", "e:cases")): 1.0,
        frozenset(("p3", "e:heron")): 1.0,
        frozenset(("p3", "e:slip")): 1.0,
    }


def test_a_walk_begins_at_phrases_by_mean_score_and_rarity() -> None:
    # "the Petrel" is in two kept facts (mean 0.75) and in two passages, the others in one fact and one passage
    assert seed_phrases(index(), [(0, 1.0), (1, 0.5)]) == {"her mooring": 1.0, "cases": 0.5, "the petrel": 0.375}


def test_a_walk_begins_at_five_phrases_at_most() -> None:
    triples = tuple(Triple(passage=0, subject=f"s{n}", relation="r", object=f"o{n}") for n in range(4))
    many = Index(passages=three_passages(), triples=triples, names={})
    assert list(seed_phrases(many, [(n, 1.0 - n / 10) for n in range(4)])) == ["o0", "s0", "o1", "s1", "o2"]


def test_passages_are_ranked_by_the_pagerank_of_networkx() -> None:
    seeds = {"e:cases": 1.0, "p1": 0.0, "p2": 0.025, "p3": 0.05}
    ranks = nx.pagerank(build_graph(index()), alpha=0.5, personalization=seeds, tol=1e-14, max_iter=1000)
    ours = rank_passages(index(), {"cases": 1.0}, [0.0, 0.5, 1.0], weight=0.05, damping=0.5)
    assert ours == pytest.approx([ranks["p1"], ranks["p2"], ranks["p3"]], abs=1e-9)


def test_without_a_kept_fact_passages_are_ranked_by_their_likeness() -> None:
    assert rank_passages(index(), {}, [0.1, 0.9, 0.4], weight=0.05, damping=0.5) == [0.1, 0.9, 0.4]


def test_names_with_other_figures_are_no_synonyms() -> None:
    names = {"a": "17 March", "b": "19 March", "c": "the 17th of March"}
    assert synonyms_of(names, [(0, 1, 0.95), (0, 2, 0.85)]) == (("a", "c", 0.85),)


def memos(root: Path) -> Project:
    texts = {
        "a.txt": "The Petrel carried Josiah Venn to Lime Quay.",
        "b.txt": "Josiah Venn paid Edwin Quill twelve pounds.",
        "c.txt": "Ruth Hanley sang for the Mayor.",
    }
    return text_project(root, tuple(text_document(text, path=path) for path, text in texts.items()))


def run_memos(
    root: Path, keep: list[int], broken: str = "no such words"
) -> tuple[RunState, dict[str, Built], Scripted]:
    def answer(prompt: Prompt) -> str:
        if "keep" in (prompt.shape or {}).get("properties", {}):
            return json.dumps({"keep": keep})
        if prompt.stage is Stage.BUILDING and broken in prompt.messages[1].content:
            return "I will not."
        return reply(prompt)

    project, model = memos(root), Scripted(answer)
    run_id = start(project, "hipporag2", "Whom did the Petrel bring to Lime Quay?", read=1.0)
    state = carry_method(project, run_id, model)
    assert load_answer(project, run_id)
    return state, {built.name: built for built in load_built(project, run_id)}, model


def test_the_facts_that_the_model_keeps_lead_to_the_passage_that_is_read(tmp_path: Path) -> None:
    state, built, model = run_memos(tmp_path, [1])
    assert state is RunState.DONE
    facts = built["Facts near the question"].items
    assert [item.chosen for item in facts] == [True, *[False] * (len(facts) - 1)]
    assert facts[0].text == "Josiah Venn | to | Lime Quay"
    ranking = built["Ranking of passages"]
    assert ranking.read
    assert [item.title for item in ranking.items if item.chosen] == ["Document 1"]
    assert "Ruth Hanley" not in model.prompts[-1].messages[-1].content
    assert "Josiah Venn to Lime Quay" in model.prompts[-1].messages[-1].content


def test_no_prompt_of_the_index_says_the_task(tmp_path: Path) -> None:
    _, _, model = run_memos(tmp_path, [1])
    building = [prompt for prompt in model.prompts if prompt.stage is Stage.BUILDING]
    assert len(building) == 6
    assert not any("Whom did" in message.content for prompt in building for message in prompt.messages)


def test_the_model_keeps_facts_by_their_numbers(tmp_path: Path) -> None:
    _, built, _ = run_memos(tmp_path, [3, 2])
    assert [item.chosen for item in built["Facts near the question"].items] == [False, True, True, False, False]


def test_where_the_model_keeps_no_fact_the_ranking_is_by_likeness_and_says_so(tmp_path: Path) -> None:
    state, built, _ = run_memos(tmp_path, [])
    assert state is RunState.DONE
    assert "no fact was kept" in built["Ranking of passages"].says
    assert not any(item.chosen for item in built["Graph of phrases and passages"].items)


def test_a_passage_without_usable_triples_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    state, built, _ = run_memos(tmp_path, [1], broken="twelve pounds")
    assert state is RunState.DONE
    faults = [bool(item.fault) for item in built["Triples"].items]
    assert faults == [False, True, False]
    assert len(built["Ranking of passages"].items) == 3


def test_it_asks_as_often_as_planned(tmp_path: Path) -> None:
    project, model = harbour_project(tmp_path), Scripted(reply)
    ids = tuple(id_ for (id_,) in project.db.execute("select id from documents order by position"))
    size = Size(documents=document_tokens(project, ids), window=8192)
    options = dict(options_of(HIPPORAG2.settings(size)))
    carry_method(project, start(project, "hipporag2", window=8192), model)
    assert HIPPORAG2.plan is not None
    plan = {(one.stage): one.calls for one in HIPPORAG2.plan(size, options) if one.stage is Stage.BUILDING}
    asked = sum(prompt.stage is Stage.BUILDING for prompt in model.prompts)
    assert plan[Stage.BUILDING].low <= asked <= plan[Stage.BUILDING].high
    assert method_of("hipporag2") is HIPPORAG2


def test_every_prompt_fits_the_window_whatever_is_chosen(tmp_path: Path) -> None:
    names = " ".join(f"Captain Number{n} met Keeper Number{n}." for n in range(200))
    project, model = text_project(tmp_path, (text_document(names, path="a.txt"),)), Scripted(reply)
    run_id = start(project, "hipporag2", "Whom did Captain Number7 meet?", window=2048, passage=1e9, read=100.0)
    assert carry_method(project, run_id, model) is RunState.DONE
    assert all(left_in(2048, prompt.messages) >= prompt.max_tokens for prompt in model.prompts)


def test_many_at_once_build_the_same_as_one_after_the_other(tmp_path: Path) -> None:
    traces = []
    for workers in (1, 4):
        project = harbour_project(tmp_path / str(workers))
        run_id = start(project, "hipporag2")
        carry_method(project, run_id, Scripted(reply), workers=workers)
        traces.append(load_built(project, run_id))
    assert traces[0] == traces[1]


def test_a_list_of_triples_that_was_cut_off_is_taken_as_far_as_it_goes(tmp_path: Path) -> None:
    class CutOff(Scripted):
        def __call__(self, prompt: Prompt) -> Reply:
            said = super().__call__(prompt)
            if "triples" not in (prompt.shape or {}).get("properties", {}):
                return said
            text = (
                '{"triples": [{"subject": "Petrel", "relation": "carried", "object": "Venn"}, {"subject": "Heron", "rel'
            )
            return replace(said, text=text, finish=Finish.CUT_OFF)

    project = memos(tmp_path)
    run_id = start(project, "hipporag2", "Whom did the Petrel bring?")
    assert carry_method(project, run_id, CutOff(reply)) is RunState.DONE
    triples = load_built(project, run_id)[0]
    assert [item.text for item in triples.items] == ["Petrel | carried | Venn"] * 3
