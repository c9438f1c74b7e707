"""Facts are found by their words, near each other, and those of the sample corpora stand where they should."""

import json
from pathlib import Path
from typing import Any

import pytest

from r3con_core.facts import NEAR, Fact, Sighting, facts_in, is_in, trace_fact, trace_facts
from r3con_core.readers.dracula import build_dracula
from r3con_core.traces import Built, Item, View

ROOT = Path(__file__).parents[2]
CORPORA = ROOT / "sample_corpora"
BOOK = ROOT.parent / "shared" / "data" / "dracula" / "pg345.txt"
needs_book = pytest.mark.skipif(not BOOK.is_file(), reason="the novel's text is not on this machine")
CAPTAIN = Fact(id="captain", says="He died there.", parts=(("captain",), ("wheel", "helm")))


def fact(*parts: tuple[str, ...]) -> Fact:
    """A fact of those parts."""
    return Fact(id="x", says="X.", parts=parts)


@pytest.mark.parametrize(
    ("parts", "text", "there"),
    [
        ([("tie my hands",)], "I shall tie\nmy  hands", True),
        ([("captain",), ("helm",)], "The _Captain_ at the HELM", True),
        ([("captain",), ("helm",)], "The captain", False),
        ([("3 March", "March 3"), ("20",)], "night: 1931-03-03\ncases: 20", True),
        ([("3 March 1931",)], "no day at all: 1931-03-31, 21931-03-03 or 1931-03-03-2", False),
        ([("helm",)], "overwhelming", False),
        ([("thin ",)], "I think of thin, pale men", True),
        ([("thin ",)], "I think of things", False),
        ([("85",)], "in all 85.", True),
        ([("85",)], "185, 85,000 and 8.85 and 85.5", False),
        ([("18000.00",)], "dykes,18000.00,18355.00", True),
        ([("lucy's",)], "Lucy’s", True),
    ],
)
def test_a_fact_is_found_by_beginnings_of_words_and_whole_numbers(
    parts: list[tuple[str, ...]], text: str, there: bool
) -> None:
    assert is_in(fact(*parts), text) is there


def test_its_parts_must_stand_near_each_other() -> None:
    assert is_in(CAPTAIN, "captain" + " " + "x" * (NEAR - 9) + " wheel")
    assert not is_in(CAPTAIN, "captain" + " " + "x" * (NEAR - 8) + " wheel")
    three = fact(("captain",), ("wheel",), ("crucifix",))
    assert is_in(three, "wheel captain " + "x" * 300 + " crucifix")
    assert not is_in(three, "wheel " + "x" * 300 + " captain " + "x" * 300 + " crucifix")


def test_it_is_traced_through_everything_built_and_what_went_on() -> None:
    def built(name: str, *items: Item) -> Built:
        return Built(name=name, says="What.", view=View.TEXTS, items=items)

    kept = Item(id="1", title="1", text="The captain tied himself to the wheel.", chosen=True)
    step = Item(id="2", title="2", text="print(x)", shown="captain: wheel")
    trace = (built("first", kept, step), built("second", Item(id="3", title="3", text="A storm.")))
    expected = (
        Sighting(built="first", items=("1", "2"), chosen=("1",)),
        Sighting(built="second", items=(), chosen=()),
    )
    assert trace_fact(CAPTAIN, trace) == expected
    assert trace_facts((CAPTAIN, CAPTAIN), trace) == (expected, expected)
    assert trace_facts((CAPTAIN,), ()) == ((),)
    assert facts_in((fact(("storm",)), CAPTAIN), "A storm.") == (fact(("storm",)),)


def tasks_of(corpus: str) -> list[dict[str, Any]]:
    """Its decoded tasks."""
    tasks: list[dict[str, Any]] = json.loads((CORPORA / corpus / "tasks.json").read_text("utf-8"))
    return tasks


def texts_of(corpus: str) -> dict[str, str]:
    """Of its documents, by the names that its tasks have for them."""
    if corpus != "dracula":
        return {
            f"documents/{file.name}": file.read_text("utf-8") for file in (CORPORA / corpus / "documents").iterdir()
        }
    texts: dict[str, str] = {}
    for document in build_dracula(BOOK.read_text("utf-8")):
        texts[document.title] = f"{texts.get(document.title, '')}\n\n{document.text}"
    return texts


@pytest.mark.parametrize("corpus", ["harbour", "inquiry", pytest.param("dracula", marks=needs_book)])
def test_each_fact_stands_in_its_documents_and_in_no_other(corpus: str) -> None:
    """Where it names none, no single document says it: somebody has to put two together."""
    texts = texts_of(corpus)
    for task in tasks_of(corpus):
        assert len({one["id"] for one in task["facts"]}) == len(task["facts"]) > 0
        for one in task["facts"]:
            told = Fact(id=one["id"], says=one["says"], parts=tuple(map(tuple, one["parts"])))
            found = {name for name, text in texts.items() if is_in(told, text)}
            assert found == set(one["documents"]), (task["id"], one["id"])


@pytest.mark.parametrize("corpus", ["harbour", "inquiry", "dracula"])
def test_a_total_or_a_link_between_documents_is_a_fact_of_every_task(corpus: str) -> None:
    """Each has something that stands in no document."""
    assert all(any(not one["documents"] for one in task["facts"]) for task in tasks_of(corpus))
