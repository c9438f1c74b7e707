"""RAPTOR: every passage is under the root, texts belong to several clusters, and all layers are searched at once."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from r3con_core.exchange import Prompt
from r3con_core.methods.clustering import mixture, soft_clusters
from r3con_core.methods.raptor import FOUND, RAPTOR, TREE, collapsed
from r3con_core.methods.seam import Size, options_of
from r3con_core.store.answers import load_answer
from r3con_core.store.built import load_built
from r3con_core.traces import Item
from tests.fakes import harbour_documents
from tests.methods.running import finished
from tests.methods.scripts import reply


def _tree(root: Path) -> tuple[list[Item], list[Item], list[Prompt]]:
    project, run_id, model = finished(root, "raptor")
    built = {each.name: each for each in load_built(project, run_id)}
    return list(built[TREE].items), list(built[FOUND].items), model.prompts


def test_every_passage_is_under_the_one_root_and_layers_end(tmp_path: Path) -> None:
    nodes, _, _ = _tree(tmp_path)
    by_id = {node.id: node for node in nodes}
    sizes = [sum(node.level == level for node in nodes) for level in range(nodes[-1].level + 1)]
    assert sizes[0] > 10
    assert len(sizes) > 2
    assert all(above <= (below + 1) // 2 for below, above in pairwise(sizes))
    assert sizes[-1] == 1
    under, waiting = set(), [nodes[-1].id]
    while waiting:
        node = by_id[waiting.pop()]
        under.add(node.id)
        waiting += node.children
    assert under == set(by_id)


def test_passages_hold_every_word_of_the_documents_once(tmp_path: Path) -> None:
    nodes, _, _ = _tree(tmp_path)
    assert "".join(node.text for node in nodes if node.level == 0) == "".join(d.text for d in harbour_documents())


def test_summaries_are_written_without_the_task_and_the_answer_from_the_chosen_alone(tmp_path: Path) -> None:
    nodes, found, prompts = _tree(tmp_path)
    assert all("The task:" not in message.content for prompt in prompts[:-1] for message in prompt.messages)
    said = "\n".join(message.content for message in prompts[-1].messages)
    chosen = {item.id for item in found if item.chosen}
    assert chosen
    assert all((node.text in said) == (node.id in chosen) for node in nodes if node.level == 0)
    assert [item.score for item in found] == sorted((item.score or 0.0 for item in found), reverse=True)


def test_a_summary_that_is_not_given_is_a_fault_and_the_tree_goes_on(tmp_path: Path) -> None:
    def silent(prompt: Prompt) -> str:
        return "" if prompt.about.part == 1 and prompt.about.step == 1 else reply(prompt)

    project, run_id, _ = finished(tmp_path, "raptor", silent)
    faulty = [node for node in load_built(project, run_id)[0].items if node.fault]
    assert [node.id for node in faulty] == ["1.1"]
    assert faulty[0].text
    assert load_answer(project, run_id) is not None


def test_the_collapsed_tree_gives_the_nearest_of_all_layers_within_count_and_tokens() -> None:
    vectors = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [0.8, 0.6]])
    scores = [float(score) for score in vectors @ np.array([1.0, 0.0])]
    assert collapsed(scores, [10, 10, 10, 10], most=3, budget=100) == (0, 3, 1)
    assert collapsed(scores, [10, 10, 10, 10], most=3, budget=20) == (0, 3)
    assert collapsed(scores, [10, 5, 5, 15], most=4, budget=20) == (0,)
    assert collapsed([0.5, 0.5], [1, 1], most=2, budget=2) == (0, 1)


def _unit(rows: "np.typing.NDArray[np.float64]") -> "np.typing.NDArray[np.float32]":
    unit: np.typing.NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def test_texts_of_three_kinds_are_never_in_one_cluster() -> None:
    chance = np.random.default_rng(3)
    kinds = np.repeat(np.eye(3, 20), 12, axis=0)
    vectors = _unit(kinds + chance.normal(scale=0.05, size=kinds.shape))
    groups = soft_clusters(vectors, [10] * 36, 1000)
    assert all(len({row // 12 for row in group}) == 1 for group in groups)
    assert {row for group in groups for row in group} == set(range(36))


def test_a_text_between_two_clusters_belongs_to_both() -> None:
    circle = np.linspace(0.0, 2 * np.pi, 30, endpoint=False)
    ring = np.stack([np.cos(circle), np.sin(circle)], axis=1)
    picture = np.concatenate([ring, ring + np.array([4.0, 0.0]), [[2.0, 0.0]]])
    assert sorted(mixture(picture)) == [(*range(30), 60), (*range(30, 60), 60)]


@pytest.mark.parametrize("count", [1, 2, 3, 11, 12, 13, 30])
def test_equal_texts_are_clustered_into_half_as_many_at_most(count: int) -> None:
    vectors = _unit(np.ones((count, 4)))
    groups = soft_clusters(vectors, [10] * count, 30)
    assert {row for group in groups for row in group} == set(range(count))
    assert len(groups) <= (count + 1) // 2
    assert groups == soft_clusters(vectors, [10] * count, 30)


def test_settings_are_the_papers_for_a_million_tokens_and_its_plan_holds_on_harbour(tmp_path: Path) -> None:
    paper = {one.name: one.value for one in RAPTOR.settings(Size(documents=(10_000,) * 100, window=131_072))}
    assert paper == {"leaf": 2000, "ceiling": 40_000, "summary": 400, "top": 20, "budget": 16_000}
    _, _, prompts = _tree(tmp_path)
    size = Size(documents=(210,) * 10, window=32_768)
    assert RAPTOR.plan is not None
    building = RAPTOR.plan(size, dict(options_of(RAPTOR.settings(size))))[0]
    assert building.calls.low <= len(prompts) - 1 <= building.calls.high
