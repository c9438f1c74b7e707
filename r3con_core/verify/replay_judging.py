"""A judging carried once more over its own call log: what the judge said and our own rules must give the same verdict."""

from r3con_core.errors import R3ConError, StoreError
from r3con_core.exchange import Prompt, Reply
from r3con_core.run_judging import as_answer, verdict_of
from r3con_core.runs import PROMPTS
from r3con_core.store.answers import load_answer
from r3con_core.store.calls import find_reply
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from r3con_core.store.verdicts import to_judge, verdict_by
from r3con_core.verify.runs import Check

VERDICT = "The judge's kept replies, read again, give the verdict."


def replay_judging(project: Project, run_id: str) -> tuple[Check, ...]:
    """What came of judging again; nothing before there is a verdict."""
    told, found, run = verdict_by(project, run_id), to_judge(project, run_id), load_run(project, run_id)
    if told is None or found is None:
        return ()
    settings = run.settings
    if settings.prompts != PROMPTS:
        made = f"The run was made with prompts {settings.prompts}, which this version no longer writes."
        return (Check(what=VERDICT, open=made),)

    def repeating(prompt: Prompt) -> Reply:
        reply = find_reply(project, prompt.key(settings.model, settings.repeat))
        if reply is None:
            raise StoreError("The judge was not asked about this answer and this right answer: no reply is kept.")
        return reply

    try:
        verdict = verdict_of(run, found, repeating)
    except R3ConError as error:
        return (Check(what=VERDICT, faults=(str(error),)),)
    same = verdict == told and as_answer(verdict) == load_answer(project, run_id)
    return (Check(what=VERDICT, faults=() if same else ("The verdict is not what the kept replies give.",)),)
