"""Runs that judge others: what they judge against, what they keep, and that they are nobody's costs."""

import json
from pathlib import Path

import pytest

from r3con_core.answers import Answer, Mode, Sentence
from r3con_core.corpora import add_sample
from r3con_core.errors import CorpusError
from r3con_core.exchange import Prompt, Stage
from r3con_core.jobs import ModelChoice
from r3con_core.judging_runs import give_gold, gold_for, make_judgings
from r3con_core.runs import Run, RunState
from r3con_core.store.answers import load_answer, save_answer
from r3con_core.store.calls import usage_by_stage
from r3con_core.store.project import Project, create_project
from r3con_core.store.runs import load_run
from r3con_core.store.verdicts import load_verdict, verdict_by
from r3con_core.verdicts import JUDGE, JUDGED, Gold, Rule
from r3con_core.verify.replay import replay_run
from r3con_core.verify.replay_judging import VERDICT
from tests.fakes import Scripted
from tests.harbour_script import QUESTION
from tests.methods.running import carry_method, finished, start

JUDGING = ModelChoice(model="scripted", base_url="http://127.0.0.1:9/v1", window=32_768)


def right(prompt: Prompt) -> str:
    """A judge that lets everything pass."""
    assert prompt.stage is Stage.JUDGING
    return json.dumps(
        {"reason": "All is there.", "missing": [], "contradicted": [], "numbers_in_words": [], "right": True}
    )


GOLD = Gold(answer="85 cases: 20 in the night of 3 March, 40 on 17 March and 25 on 19 March 1931.")


def _judge(project: Project, run_id: str, model: Scripted) -> Run:
    if gold_for(project, QUESTION) is None:
        give_gold(project, QUESTION, GOLD)
    (run,) = make_judgings(project, [run_id], JUDGING, home=project.folder)
    carry_method(project, run.id, model)
    return load_run(project, run.id)


def _answer(project: Project, run_id: str, text: str) -> None:
    save_answer(project, run_id, Answer(text=text, sentences=(Sentence(text=text, record_ids=()),), mode=Mode.DIRECT))


def test_a_run_that_judges_keeps_its_verdict_with_the_judged_run(tmp_path: Path) -> None:
    project, run_id, _ = finished(tmp_path, "whole")
    give_gold(project, QUESTION, Gold(answer="Some cases."))
    run = _judge(project, run_id, Scripted(right))
    assert (run.state, run.parent, run.relation, run.settings.method) == (RunState.DONE, run_id, JUDGED, JUDGE)
    found = load_verdict(project, run_id)
    assert found is not None
    assert (found.verdict.correct, found.verdict.reason, found.judged_by) == (True, "All is there.", run.id)
    assert found.gold == Gold(answer="Some cases.")
    assert verdict_by(project, run.id) == found.verdict
    said = load_answer(project, run.id)
    assert said is not None
    assert said.text == "Right. All is there."


def test_judging_is_no_part_of_what_the_method_cost(tmp_path: Path) -> None:
    project, run_id, _ = finished(tmp_path, "whole")
    before = usage_by_stage(project, run_id)
    run = _judge(project, run_id, Scripted(right))
    assert usage_by_stage(project, run_id) == before
    assert [stage.stage for stage in usage_by_stage(project, run.id)] == [Stage.JUDGING]


def test_a_verdict_ends_with_the_answer_it_was_on(tmp_path: Path) -> None:
    project, run_id, _ = finished(tmp_path, "whole")
    _judge(project, run_id, Scripted(right))
    _answer(project, run_id, "Another one.")
    assert load_verdict(project, run_id) is None


def test_the_sample_question_has_its_gold_and_a_persons_stands_before_it(tmp_path: Path) -> None:
    project = create_project(tmp_path, "Harbour")
    add_sample(project, "harbour")
    found = gold_for(project, QUESTION)
    assert found is not None
    assert found.answer.startswith("85 cases")
    assert gold_for(project, "Another question?") is None
    give_gold(project, f" {QUESTION} ", Gold(answer="86", rule=Rule.EQUIVALENT))
    assert gold_for(project, QUESTION) == Gold(answer="86", rule=Rule.EQUIVALENT)


def test_our_code_overrules_a_judge_that_lets_a_wrong_number_pass(tmp_path: Path) -> None:
    project, run_id, _ = finished(tmp_path, "whole")
    _answer(project, run_id, "84 cases: 20 on 3 March, 40 on 17 March, 25 on 19 March.")
    _judge(project, run_id, Scripted(right))
    found = load_verdict(project, run_id)
    assert found is not None
    assert (found.verdict.correct, found.verdict.missing) == (False, ("85",))


def test_an_answer_over_a_document_that_is_held_back_by_now_is_not_judged(tmp_path: Path) -> None:
    project, run_id, _ = finished(tmp_path, "whole")
    give_gold(project, QUESTION, GOLD)
    (run,) = make_judgings(project, [run_id], JUDGING, home=tmp_path)
    with project.change() as db:
        db.execute("update documents set held = 'privileged' where position = 3")
    model = Scripted(right)
    with pytest.raises(CorpusError, match="held back by now"):
        carry_method(project, run.id, model)
    assert model.prompts == []


def test_a_verdict_that_was_altered_is_not_what_the_kept_replies_give(tmp_path: Path) -> None:
    project, run_id, _ = finished(tmp_path, "whole")
    run = _judge(project, run_id, Scripted(right))
    assert [(check.what, check.faults) for check in replay_run(project, run.id)] == [(VERDICT, ())]
    forged = {
        "verdict": ("All is", "All was"),
        "gold": ("85 cases", "86 cases"),
        "answer": (".", "!"),
        "text": (".", "!"),
    }
    for column, (told, instead) in forged.items():
        table = "answers" if column == "text" else "verdicts"
        where = "judged_by = ?" if table == "verdicts" else "run_id = ?"
        (was,) = project.db.execute(f"select {column} from {table} where {where}", (run.id,)).fetchone()
        change = f"update {table} set {column} = ? where {where}"
        with project.change() as db:
            db.execute(change, (was.replace(told, instead), run.id))
        assert [bool(check.faults) for check in replay_run(project, run.id)] == [True], column
        with project.change() as db:
            db.execute(change, (was, run.id))


def test_judged_again_by_the_same_judge_nothing_is_asked_again(tmp_path: Path) -> None:
    project, run_id, _ = finished(tmp_path, "whole")
    first, second = Scripted(right), Scripted(right)
    _judge(project, run_id, first)
    again = _judge(project, run_id, second)
    found = load_verdict(project, run_id)
    assert found is not None
    assert found.judged_by == again.id
    assert (len(first.prompts), len(second.prompts)) == (1, 0)


def test_what_cannot_be_judged_is_refused_before_a_run_is_made(tmp_path: Path) -> None:
    project, run_id, _ = finished(tmp_path, "whole")
    give_gold(project, QUESTION, GOLD)
    waiting = start(project, "alone")
    with pytest.raises(CorpusError, match="come to its answer"):
        make_judgings(project, [run_id, waiting], JUDGING, home=tmp_path)
    other = start(project, "alone", "Who was the harbour master?")
    carry_method(project, other)
    with pytest.raises(CorpusError, match="Nobody has said"):
        make_judgings(project, [other], JUDGING, home=tmp_path)
    judging = _judge(project, run_id, Scripted(right))
    with pytest.raises(CorpusError, match="judges another"):
        make_judgings(project, [judging.id], JUDGING, home=tmp_path)
    with pytest.raises(CorpusError, match="empty"):
        give_gold(project, QUESTION, Gold(answer="  "))
