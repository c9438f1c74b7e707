"""What a run will ask is computed from lengths: calls, tokens sent, what the server has read of them, tokens written."""

import hashlib
import threading
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from r3con_core.answers import Mode
from r3con_core.documents import Document, estimate_tokens
from r3con_core.estimates import workloads
from r3con_core.estimates.estimate import Estimate, estimate_run
from r3con_core.estimates.figures import Calibration
from r3con_core.estimates.prefixes import cut_to_fit, fresh_notes
from r3con_core.exchange import Prompt, Reply, Stage, Usage
from r3con_core.figures import Figure, StageEstimate, exactly
from r3con_core.jobs import ModelChoice, RunChoices, create_run
from r3con_core.method.layout import tree_order
from r3con_core.method.prompts import fill
from r3con_core.runs import Guidance, Layout, RunSettings
from r3con_core.store.documents import LedgerEntry, add_documents
from r3con_core.store.project import Project, create_project
from r3con_core.store.usage import snippets_of, tallies
from tests.fakes import carry_scripted, harbour_answer, harbour_documents, text_document
from tests.harbour_script import QUESTION

SETTINGS = RunSettings(model="m", window=32_768)


class Counting:
    """A model that counts as a server with a prefix cache does: a token is four bytes, a block of the cache sixteen."""

    def __init__(self) -> None:
        self._read: set[bytes] = set()
        self._lock = threading.Lock()

    def __call__(self, prompt: Prompt) -> Reply:
        raw = "\x1e".join(f"{message.role}:{message.content}" for message in prompt.messages).encode()
        with self._lock:
            cached = self._known(raw)
        text = harbour_answer(prompt)
        usage = Usage(prompt=len(raw) // 4, cached=cached * 16, output=len(text.encode()) // 4)
        return Reply(text=text, model="scripted", usage=usage, seconds=usage.output / 50)

    def _known(self, raw: bytes) -> int:
        """Blocks that some earlier prompt begins with; all of this one's are kept."""
        chain, known, found = b"", 0, True
        for start in range(0, len(raw) - 63, 64):
            chain = hashlib.blake2b(chain + raw[start : start + 64], digest_size=12).digest()
            found = found and chain in self._read
            known += found
            self._read.add(chain)
        return known


def counted_run(
    root: Path, documents: tuple[Document, ...], window: int = 32_768, **choices: object
) -> tuple[Project, str]:
    """A run over `documents`, carried to its answer by a model that counts."""
    project = create_project(root, "Counted")
    lines = [LedgerEntry(path=d.source.path, outcome="read", reason="", document_id=d.id) for d in documents]
    add_documents(project, documents, lines)
    reading = ModelChoice(model="scripted", base_url="http://127.0.0.1:9/v1", window=window)
    chosen = RunChoices(reading=reading, straight_through=True, **choices)  # type: ignore[arg-type]
    run_id = create_run(project, QUESTION, chosen, home=root).id
    carry_scripted(project, run_id, Counting())
    return project, run_id


def stage_of(estimate: Estimate, stage: Stage, number: int = 0) -> StageEstimate:
    parts = estimate.parts if number else estimate.stages
    return next(part for part in parts if part.stage is stage and (part.round == number or not number))


def holds(expected: Figure, came: float) -> bool:
    return expected.low <= came <= expected.high


@pytest.mark.parametrize("layout", list(Layout))
@pytest.mark.parametrize("mode", list(Mode))
def test_the_bounds_hold_what_a_run_over_the_sample_corpus_takes(tmp_path: Path, layout: Layout, mode: Mode) -> None:
    documents = harbour_documents()
    project, run_id = counted_run(tmp_path, documents, layout=layout, mode=mode)
    settings = replace(SETTINGS, layout=layout, mode=mode)
    estimate = estimate_run([estimate_tokens(d.text) for d in documents], settings)
    expected = {(part.stage, part.round): part for part in estimate.parts}
    for line in tallies(project, run_id):
        part = expected[line.stage, line.round]
        assert holds(part.calls, line.first + line.again), part
        assert holds(part.prompt, line.usage.prompt), part
        assert holds(part.cached, line.usage.cached), part
        assert holds(part.fresh, line.usage.prompt - line.usage.cached), part
        assert holds(part.output, line.usage.output), part


def test_what_is_sent_and_what_of_it_is_read_before_follows_from_the_lengths(tmp_path: Path) -> None:
    documents = tuple(
        text_document(f"{document.text} " * (1 + 12 * (place % 5 == 4)), path=document.source.path)
        for place, document in enumerate(harbour_documents())
    )
    project, run_id = counted_run(tmp_path, documents, rounds=3)
    lengths = [estimate_tokens(d.text) for d in documents]
    said = sum(map(estimate_tokens, snippets_of(project, run_id).values()))
    usual = sum(min(110, 10 + 0.75 * length) for length in lengths)
    ratio = sum(len(d.text.encode()) / 4 for d in documents) / sum(lengths)
    known = Calibration(
        tokens_per_estimate=exactly(ratio),
        snippets=exactly(said / usual),
        read_again=exactly(0),
        cache_hits=exactly(1),
    )
    estimate = estimate_run(lengths, replace(SETTINGS, rounds=3), known)
    for line in tallies(project, run_id):
        if line.stage is Stage.RELEVANCE and line.round < 3:  # the scripted third round repeats the second
            part = stage_of(estimate, line.stage, line.round)
            assert part.calls.likely == line.first == len(documents)
            assert part.prompt.likely == pytest.approx(line.usage.prompt, rel=0.07)
            assert part.fresh.likely == pytest.approx(line.usage.prompt - line.usage.cached, rel=0.1)


def test_paper_order_sends_as_much_and_has_more_of_it_read_anew() -> None:
    shared, paper = (estimate_run([100] * 200, replace(SETTINGS, window=200_000, layout=each)) for each in Layout)
    assert paper.prompt.likely == pytest.approx(shared.prompt.likely)
    assert stage_of(paper, Stage.RELEVANCE, 2).fresh.likely > 4 * stage_of(shared, Stage.RELEVANCE, 2).fresh.likely


def test_a_document_longer_than_all_snippets_is_read_once_for_all_rounds() -> None:
    short, long = (estimate_run([length] * 6, replace(SETTINGS, rounds=3)) for length in (700, 5000))
    for number in (2, 3):
        assert stage_of(short, Stage.RELEVANCE, number).fresh.likely > 6 * 700
        assert stage_of(long, Stage.RELEVANCE, number).fresh.likely < 6 * 2500
    assert stage_of(long, Stage.PARSING).fresh.likely < 6 * 2500


def test_long_documents_are_read_in_parts_and_empty_ones_not_at_all() -> None:
    whole = estimate_run([6000, 6000, 0], SETTINGS)
    parts = estimate_run([6000, 6000, 0], replace(SETTINGS, window=4096))
    assert stage_of(whole, Stage.RELEVANCE, 1).first.likely == 2
    assert stage_of(parts, Stage.RELEVANCE, 1).first.likely == stage_of(parts, Stage.PARSING).first.likely == 8


def test_digests_come_on_top_where_snippets_outgrow_the_window() -> None:
    few, many = (estimate_run([300] * count, replace(SETTINGS, window=8192)) for count in (50, 2000))
    assert Stage.DIGEST not in {stage.stage for stage in few.stages}
    assert 2000 / 16 <= stage_of(many, Stage.DIGEST, 2).first.likely <= 2000 / 8
    shown = stage_of(many, Stage.RELEVANCE, 2).prompt.likely / stage_of(many, Stage.RELEVANCE, 2).calls.likely
    assert shown < 8192


def test_the_bounds_hold_a_model_that_writes_no_shorter_where_the_window_is_tight() -> None:
    known = Calibration(replies=Figure(low=0.6, likely=1.0, high=1.4))
    tight = stage_of(estimate_run([300] * 200, replace(SETTINGS, window=8192), known), Stage.RELEVANCE, 1)
    roomy = stage_of(estimate_run([300] * 200, SETTINGS, known), Stage.RELEVANCE, 1)
    assert tight.output.likely < roomy.output.likely < tight.output.high


def test_one_more_round_adds_its_own_calls_and_leaves_the_others_as_they_are() -> None:
    two, three = (estimate_run([500] * 20, replace(SETTINGS, rounds=rounds)) for rounds in (2, 3))
    assert stage_of(two, Stage.RELEVANCE, 2) == stage_of(three, Stage.RELEVANCE, 2)
    assert three.calls.low - two.calls.low == 20


def test_small_models_are_expected_to_be_asked_again_more_often() -> None:
    large, small = (
        estimate_run([200] * 10, replace(SETTINGS, window=8192, guidance=guidance))
        for guidance in (Guidance.TASK, Guidance.FOCUS)
    )
    assert small.calls.likely > large.calls.likely
    assert small.calls.high > large.calls.high


def test_what_is_learnt_narrows_the_bounds() -> None:
    known = Calibration(
        tokens_per_estimate=Figure(low=0.95, likely=1.0, high=1.05),
        snippets=Figure(low=0.8, likely=0.9, high=1.0),
        read_again=exactly(0.0),
        parsed_again=exactly(0.1),
        cache_hits=Figure(low=0.9, likely=0.95, high=1.0),
    )
    first, later = (estimate_run([400] * 40, SETTINGS, each) for each in (None, known))
    for measure in ("calls", "prompt", "cached", "fresh", "output"):
        wide, narrow = getattr(first, measure), getattr(later, measure)
        assert narrow.high - narrow.low < wide.high - wide.low


def test_nothing_is_left_of_a_stage_that_is_done() -> None:
    part = stage_of(estimate_run([400] * 40, SETTINGS), Stage.RELEVANCE, 1)
    assert part.without(10).calls.likely == pytest.approx(part.calls.likely * 0.75)
    assert part.without(40).prompt == exactly(0)
    assert part.without(41).output == exactly(0)


@pytest.mark.parametrize("layout", list(Layout))
@pytest.mark.parametrize("count", [1, 2, 3, 7, 16, 23])
def test_fresh_snippet_tokens_are_those_that_no_neighbour_begins_with(count: int, layout: Layout) -> None:
    notes = [float(3 + (place * 7) % 11) for place in range(count)]
    readers = [place for place in range(count) if place % 4 != 3]

    def shown(reader: int) -> list[int]:
        if layout is Layout.PAPER:
            return [place for place in range(count) if place != reader]
        return [place for level in tree_order(count, reader) for place in level]

    def shared(one: list[int], other: list[int]) -> float:
        same = 0.0
        for first, second in zip(one, other, strict=False):
            if first != second:
                break
            same += notes[first]
        return same

    prompts = [shown(reader) for reader in readers]
    fresh = sum(sum(notes[place] for place in prompt) for prompt in prompts)
    fresh -= sum(shared(one, other) for one, other in pairwise(prompts))
    assert fresh_notes(notes, readers, layout) == pytest.approx(fresh)


def test_the_longest_snippets_are_shortened_first() -> None:
    assert cut_to_fit([10, 20, 0], room=60, label=6) == ([16, 26, 0.0], None)
    assert cut_to_fit([10, 50, 90], room=118, label=6) == ([16, 51, 51], 45)


def test_a_figure_keeps_its_order() -> None:
    with pytest.raises(ValueError, match="low <= likely <= high"):
        Figure(low=2, likely=1, high=3)
    assert Figure(low=1, likely=2, high=4) + exactly(1) == Figure(low=2, likely=3, high=5)


FOCUS = ("sales with buyer, price and day", "who met whom and where", "payments", "denials")
LENGTHS: list[tuple[float, str, str, dict[str, object]]] = [
    (workloads.COMMON, "common", "common", {"fence": "doc-bcdfghjkmn", "task": QUESTION}),
    (workloads.FRAME, "common", "notes", {"fence": "doc-bcdfghjkmn", "others": True}),
    (workloads.WORDS, "common", "look_for", {"fence": "doc-bcdfghjkmn", "words": FOCUS}),
    (workloads.READING_GUIDE - workloads.WORDS, "snippet", "guide", {"facts": 6, "words": 0}),
    (workloads.READING_REQUEST, "snippet", "request", {"number": 12, "again": False}),
    (workloads.AGAIN_REQUEST, "snippet", "request", {"number": 12, "again": True}),
    (workloads.DIGEST_GUIDE - workloads.WORDS, "digest", "guide", {}),
    (workloads.PARSING_GUIDE, "parsing", "guide", {"task": ""}),
    (workloads.PARSING_REQUEST, "parsing", "request", {"number": 12, "types": 1, "numbered": False}),
    (workloads.SCHEMA_GUIDE, "schema", "guide", {}),
    (workloads.SCHEMA_REQUEST, "schema", "request", {"task": QUESTION}),
    (workloads.REASONING_GUIDE, "reasoning", "guide", {}),
    (workloads.DIRECT_GUIDE, "direct", "guide", {}),
    (workloads.DIRECT_REQUEST, "direct", "request", {"task": QUESTION}),
]


@pytest.mark.parametrize(("length", "stage", "section", "values"), LENGTHS)
def test_instructions_are_as_long_as_estimates_have_it(
    length: float, stage: str, section: str, values: dict[str, object]
) -> None:
    """One that is not was changed in its prompt: then the number in workloads.py is to be changed too."""
    assert estimate_tokens(fill(stage, SETTINGS.prompts, section, **values)) == pytest.approx(length, rel=0.1, abs=10)
