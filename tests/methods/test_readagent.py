"""ReadAgent: pages end where the model puts their ends, and only chosen ones are read again."""

import json
import re
from pathlib import Path

from r3con_core.documents import Corpus
from r3con_core.exchange import Prompt
from r3con_core.methods.chunks import cut
from r3con_core.methods.paging import pauses, stretches
from r3con_core.methods.readagent import GISTS, MEMORY, PAGES, READAGENT
from r3con_core.methods.seam import Size, options_of
from r3con_core.store.answers import load_answer
from r3con_core.store.built import load_built
from r3con_core.traces import Built
from tests.fakes import Scripted, harbour_documents
from tests.methods.running import finished
from tests.methods.scripts import reply


def _choosing(pages: list[float], pause: str = "first") -> "object":
    def answer(prompt: Prompt) -> str:
        shape = prompt.shape or {}
        if "pages" in shape.get("properties", {}):
            return json.dumps({"pages": pages, "why": "the cases"})
        if "pause" in shape.get("properties", {}):
            offered = shape["properties"]["pause"]["enum"]
            return json.dumps({"pause": offered[0] if pause == "first" else offered[-1]})
        return reply(prompt)

    return answer


def _built(root: Path, pages: list[float], pause: str = "first") -> tuple[dict[str, Built], Scripted]:
    project, run_id, model = finished(root, "readagent", _choosing(pages, pause))  # type: ignore[arg-type]
    assert load_answer(project, run_id) is not None
    return {each.name: each for each in load_built(project, run_id)}, model


def test_pages_cover_every_document_exactly_once_and_in_order(tmp_path: Path) -> None:
    for pause in ("first", "last"):
        built, _ = _built(tmp_path / pause, [], pause)
        spans: dict[str, list[tuple[int, int]]] = {}
        for item in built[PAGES].items:
            for place in item.places:
                assert place.span is not None
                spans.setdefault(place.document_id, []).append((place.span.start, place.span.end))
        documents = harbour_documents()
        assert list(spans) == [document.id for document in documents]
        for document in documents:
            ends = [0, *(end for _, end in spans[document.id])]
            assert [start for start, _ in spans[document.id]] == ends[:-1]
            assert ends[-1] == len(document.text)


def test_a_page_ends_at_the_pause_that_the_model_names(tmp_path: Path) -> None:
    built, model = _built(tmp_path / "last", [], "last")
    early, _ = _built(tmp_path / "first", [], "first")
    assert len(early[PAGES].items) > len(built[PAGES].items)
    asked = next(prompt for prompt in model.prompts if "pause" in (prompt.shape or {}).get("properties", {}))
    content = asked.messages[-1].content
    texts = re.findall(rf"<{asked.mark} text>\n[^\n]*\n\n(.*?)\n</{asked.mark}>", content, re.DOTALL)
    page = built[PAGES].items[0]
    assert "".join(texts).split() == page.text.split()


def test_only_chosen_pages_are_read_again(tmp_path: Path) -> None:
    built, model = _built(tmp_path, [2, 2.0, 99, 0, 1.0])  # 1.0 is an integer in JSON
    memory = built[MEMORY].items
    assert [item.id for item in memory if item.kind == "page"] == ["1", "2"]
    assert [item.id for item in built[PAGES].items if item.chosen] == ["1", "2"]
    said = model.prompts[-1].messages[-1].content
    for page, gist in zip(built[PAGES].items, built[GISTS].items, strict=True):
        assert (f"page>\n{page.title}" in said) == page.chosen
        assert (f"gist>\n{gist.title}" in said) != page.chosen


def test_no_more_pages_are_read_again_than_the_setting_allows(tmp_path: Path) -> None:
    built, _ = _built(tmp_path, [1, 2, 3, 4, 5, 6, 7])
    assert [item.id for item in built[MEMORY].items if item.kind == "page"] == ["1", "2", "3", "4", "5"]


def test_pages_and_gists_are_made_without_the_task(tmp_path: Path) -> None:
    _, model = _built(tmp_path, [1])
    telling = ["The task:" in "\n".join(m.content for m in prompt.messages) for prompt in model.prompts]
    assert telling == [False] * (len(telling) - 2) + [True] * 2


def test_where_the_model_names_no_pause_pages_are_cut_by_length_and_say_so(tmp_path: Path) -> None:
    def silent(prompt: Prompt) -> str:
        return "?" if "pause" in (prompt.shape or {}).get("properties", {}) else reply(prompt)

    project, run_id, _ = finished(tmp_path, "readagent", silent)
    pages = load_built(project, run_id)[0].items
    assert all(page.fault.startswith("It is cut by length alone.") for page in pages)
    assert "".join("".join(page.text.split()) for page in pages) == "".join(
        "".join(document.text.split()) for document in harbour_documents()
    )


def test_a_pause_comes_after_47_per_cent_of_a_page_and_a_short_rest_is_one_page() -> None:
    pieces = cut(Corpus(documents=harbour_documents()[:1]), 25)
    ends = pauses(pieces, 200)
    assert ends[0] > 1
    assert pauses(pieces[-2:], 200) == ()
    assert [piece for run in stretches(pieces, 10) for piece in run] == list(pieces)


def test_settings_are_the_papers_for_a_million_tokens_and_its_plan_holds_on_harbour(tmp_path: Path) -> None:
    paper = {one.name: one.value for one in READAGENT.settings(Size(documents=(10_000,) * 100, window=262_144))}
    assert paper == {"page": 8000, "gist": 640, "lookups": 5}
    loong = {one.name: one.value for one in READAGENT.settings(Size(documents=(10_000,) * 15, window=262_144))}
    assert loong == {"page": 800, "gist": 128, "lookups": 5}
    _, model = _built(tmp_path, [1])
    size = Size(documents=(210,) * 10, window=32_768)
    assert READAGENT.plan is not None
    building, reasoning = READAGENT.plan(size, dict(options_of(READAGENT.settings(size))))
    assert building.calls.low <= len(model.prompts) - 2 <= building.calls.high
    assert reasoning.calls.low <= 2 <= reasoning.calls.high


def test_a_memory_that_no_window_holds_is_refused_beforehand() -> None:
    assert READAGENT.why_not(Size(documents=(1_000_000,), window=8192)).endswith("longer context window.")
    assert READAGENT.why_not(Size(documents=(210,) * 10, window=8192)) == ""
