"""What taking in changes will ask is told before, and holds."""

from pathlib import Path

import pytest

from r3con_core.changes import AddRound, EditSnippet, ExcludeDocument, Hint, Steer, VetoSnippet
from r3con_core.exchange import Stage
from r3con_core.jobs import apply_steering, steer
from r3con_core.rereading import Reach, expect_rereading, reach
from r3con_core.runs import RunSettings
from r3con_core.steering import Steering, unsteered
from r3con_core.store import runs as run_rows
from r3con_core.store.changes import undo_change
from tests.fakes import Scripted, carry_scripted, finished_harbour

IDS = ("doc-1", "doc-2", "doc-3")
PLAIN = unsteered(RunSettings(model="scripted", rounds=3))


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (PLAIN, [(0, 0), (0, 0), (0, 0)]),
        (Steering(rounds=3, edits={(1, "doc-1"): "Words."}), [(0, 0), (2, 2), (0, 3)]),
        (Steering(rounds=3, edits={(3, "doc-1"): "Words."}), [(0, 0), (0, 0), (0, 0)]),
        (Steering(rounds=3, vetoes=frozenset({(1, "doc-1"), (1, "doc-2")})), [(0, 0), (3, 3), (0, 3)]),
        (Steering(rounds=3, exclusions={"doc-1": 0}), [(0, 0), (2, 2), (2, 2)]),
        (Steering(rounds=3, hints={2: ("Tides?",)}), [(0, 0), (3, 3), (0, 3)]),
        (Steering(rounds=3, pins={"doc-1": 2}), [(0, 0), (0, 0), (0, 0)]),
        (Steering(rounds=4), [(0, 0), (0, 0), (0, 0), (3, 3)]),
        (Steering(rounds=4, only={4: frozenset({"doc-2"})}), [(0, 0), (0, 0), (0, 0), (1, 1)]),
    ],
)
def test_a_change_reaches_those_who_are_shown_something_else(now: Steering, told: list[tuple[int, int]]) -> None:
    assert reach(PLAIN, now, IDS, 3) == tuple(
        Reach(number=number, least=least, most=most) for number, (least, most) in enumerate(told, start=1)
    )


def test_a_veto_in_the_last_round_asks_for_no_snippet_and_for_the_records_anew(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    ids = run_rows.load_run(project, run_id).document_ids
    told = expect_rereading(project, run_id, [VetoSnippet(document_id=ids[0], round=2)], tmp_path)
    assert told.reading.high == 0
    assert told.after.low >= 11


def changes(ids: tuple[str, ...]) -> list[Steer]:
    return [
        EditSnippet(document_id=ids[8], round=1, text="The yellow barge lay at Lime Quay."),
        VetoSnippet(document_id=ids[0], round=1),
        ExcludeDocument(document_id=ids[9], round=1),
        Hint(round=2, text="Who wore a red scarf?"),
        AddRound(),
        AddRound(only=(ids[1], ids[2])),
    ]


@pytest.mark.parametrize("place", range(6))
def test_the_calls_that_are_asked_lie_within_what_was_told(tmp_path: Path, place: int) -> None:
    project, run_id = finished_harbour(tmp_path)
    change = changes(run_rows.load_run(project, run_id).document_ids)[place]
    before = expect_rereading(project, run_id, [change], tmp_path)
    number = steer(project, run_id, change, author="R. Marsh").number
    told = expect_rereading(project, run_id, home=tmp_path)
    assert told == before
    apply_steering(project, run_id)
    model = Scripted()
    carry_scripted(project, run_id, model)
    asked = sum(prompt.stage in (Stage.RELEVANCE, Stage.DIGEST) for prompt in model.prompts)
    assert told.reading.low <= asked <= told.reading.high
    assert told.reading.low >= 2
    assert len(model.prompts) - asked <= told.after.high
    assert expect_rereading(project, run_id, home=tmp_path).reading.high == 0
    undo_change(project, run_id, number, author="R. Marsh")
    assert expect_rereading(project, run_id, home=tmp_path).reading.low == 0
