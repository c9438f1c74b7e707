"""The loop that agents who write code share: a reply's code is run, what it printed is shown, until there is an answer."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from r3con_core.answers import Answer, Execution, Step
from r3con_core.documents import estimate_tokens
from r3con_core.exchange import About, Ask, Finish, Message, Prompt, Reply, Stage, converse, holding
from r3con_core.method.brief import Brief
from r3con_core.method.layout import OVERHEAD, left_in
from r3con_core.method.marks import without_mark
from r3con_core.method.shortening import share_out
from r3con_core.methods.seam import Tools
from r3con_core.methods.writing import answer_from, answer_of, block, prompt
from r3con_core.traces import Built, Item, View

STEP_TOKENS = 900
"""Room for one reply: a thought and a program."""
MOST_SHOWN, LEAST_SHOWN = 20_000, 400
"""Letters of what a program printed, in the next prompt."""
_AROUND_TURN, _LEAST_TURN = 30, 240
"""Tokens of marks and our own words around what a step printed; of a turn in the smallest windows."""
TOLD_EVERY = 10
"""Steps after which the trace is told again; the steps themselves are told one by one."""
_CODE = re.compile(r"```(?:python|py|repl)?[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)
_FINAL = re.compile(r"^[ \t]*FINAL(_VAR)?\((.*)\)", re.MULTILINE | re.DOTALL)
_NO_CODE = "The reply holds no block of code between ```python and ```. Write one."
_UNSEEN = "That is an answer before any program has looked at the documents. Write a program that looks at them first."
_CUT_OFF = "The reply was cut off before its end. Write less at once."


class Runs(Protocol):
    """What runs code: a sandbox."""

    def execute(self, code: str) -> Execution:
        """Run one step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How one kind of agent goes about it."""

    guide: str
    opening: tuple[str, ...]
    """The first turn: blocks, then the request, which says the task."""
    steps: int
    """Most turns; after them it has to answer from what its programs printed."""
    says_final: bool = False
    """It may also end by writing FINAL(answer) or FINAL_VAR(name) outside of code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A reply as the loop takes it: code to run, or the answer, or what is wrong with it."""

    thought: str
    code: str = ""
    final: str = ""
    fault: str = ""


def read_reply(reply: Reply, *, says_final: bool) -> Said:
    """All blocks of code as one program, else an answer where those may be said outside of code, else a fault."""
    blocks = [found.strip() for found in _CODE.findall(reply.text) if found.strip()]
    thought = _CODE.sub("", reply.text).strip()
    if blocks and reply.finish is Finish.CUT_OFF and reply.text.count("```") % 2:
        return Said(thought=reply.text.strip(), fault=_CUT_OFF)
    if blocks:
        return Said(thought=thought, code="\n\n".join(blocks))
    final = _FINAL.search(thought) if says_final else None
    held = final[2].strip(" \n\"'") if final else ""
    if final and final[1]:
        return (
            Said(thought=thought, code=f"answer({held})")
            if held.isidentifier()
            else Said(thought=thought, fault=_NO_CODE)
        )
    if held:
        return Said(thought=thought, final=held)
    return Said(thought=thought, fault=_CUT_OFF if reply.finish is Finish.CUT_OFF else _NO_CODE)


def work(brief: Brief, tools: Tools, manner: Manner, sandbox: Runs) -> Answer:
    """The agent's steps, and the answer they end in."""
    ask = holding(tools.models.reasoning, lambda: tuple(one.id for one in brief.corpus.documents))
    steps: tuple[Step, ...] = ()
    first_left_out = 0
    while len(steps) < manner.steps:
        asked, left_out = next_prompt(brief, manner, steps)
        first_left_out = first_left_out or (len(steps) + 1 if left_out else 0)
        said = read_reply(ask(asked), says_final=manner.says_final)
        if said.final and not steps:
            said = Said(thought=said.thought, fault=_UNSEEN)
        if said.final:
            return _ended(tools, said.final, steps, first_left_out)
        execution = sandbox.execute(said.code) if said.code else Execution(output="", fault=said.fault)
        step = Step(number=len(steps) + 1, thought=said.thought, code=said.code, execution=execution)
        steps = (*steps, step)
        tools.watch.step(step)
        proposed = execution.proposed
        if proposed and proposed.text.strip() and not execution.fault:
            return _ended(tools, proposed.text, steps, first_left_out)
        if len(steps) % TOLD_EVERY == 1:
            tools.watch.built(built_of(steps, first_left_out))
    tools.watch.built(built_of(steps, first_left_out))
    return _from_findings(brief, ask, steps)


def _ended(tools: Tools, text: str, steps: Sequence[Step], first_left_out: int) -> Answer:
    if steps:
        tools.watch.built(built_of(steps, first_left_out))
    return answer_of(text, steps)


def built_of(steps: Sequence[Step], first_left_out: int = 0) -> Built:
    """The steps as all screens show them. `first_left_out`: the first step before which earlier ones were left out."""
    left_out = (
        f" From step {first_left_out} on its earliest steps no longer fitted its window, and it no longer saw them."
        if first_left_out
        else ""
    )
    return Built(
        name="Steps of the agent",
        says=f"The programs that the model wrote, and what each printed.{left_out}",
        view=View.STEPS,
        items=tuple(
            Item(
                id=str(step.number),
                title=f"Step {step.number}",
                text=step.code or step.thought,
                shown=step.execution.output,
                fault=step.execution.fault or "",
            )
            for step in steps
        ),
        read=True,
    )


def next_prompt(brief: Brief, manner: Manner, steps: Sequence[Step]) -> tuple[Prompt, int]:
    """What the agent is asked next, within its window, and how many of its earliest steps are left out of it."""
    asked = prompt(
        brief,
        stage=Stage.REASONING,
        about=About(step=len(steps) + 1),
        guide=manner.guide,
        material=manner.opening[:-1],
        request=manner.opening[-1],
        max_tokens=STEP_TOKENS,
        window=brief.reasoning_window,
    )
    room = left_in(brief.reasoning_window, asked.messages) - STEP_TOKENS
    turns: list[Message] = []
    shown = 0
    for step in reversed(steps):
        longer = [*_turn(brief, step, left=manner.steps - step.number, room=room), *turns]
        if turns and left_in(room, longer) < 0:
            break
        turns, shown = longer, shown + 1
    messages = [*asked.messages, *turns]
    return Prompt(
        stage=asked.stage,
        about=asked.about,
        messages=tuple(messages),
        max_tokens=min(STEP_TOKENS, max(left_in(brief.reasoning_window, messages), 256)),
        mark=brief.mark,
    ), len(steps) - shown


def _turn(brief: Brief, step: Step, *, left: int, room: int) -> tuple[Message, Message]:
    letters = min(max(room, LEAST_SHOWN), MOST_SHOWN)
    tokens = max(int(room / OVERHEAD) - _AROUND_TURN, _LEAST_TURN)
    program = f"```python\n{step.code}\n```" if step.code else ""
    said = clip(f"{step.thought}\n{program}".strip() or "(nothing)", letters, tokens // 3)
    execution = step.execution
    printed = block(brief, "output", clip(execution.output.strip() or "(nothing)", letters, tokens // 2))
    pieces = [f"What step {step.number} printed:", printed]
    if execution.fault:
        pieces += ["It ended with an error:", block(brief, "error", clip(execution.fault, 1_500, tokens // 6))]
    pieces.append(f"{left} more steps may follow." if left else "Answer now.")
    mine = without_mark(said, brief.mark) or "(nothing)"
    return Message(role="assistant", pieces=(mine,)), Message(role="user", pieces=tuple(pieces))


def clip(text: str, letters: int, tokens: int) -> str:
    """The beginning and the end of a text that is longer than so many letters or, by our estimate, tokens."""
    shown = text if len(text) <= letters else _ends(text, letters)
    letters = min(letters, len(text))
    while (size := estimate_tokens(shown)) > tokens and letters > 2:
        letters = min(letters * tokens // size, letters - 1)
        shown = _ends(text, letters)
    return shown


def _ends(text: str, letters: int) -> str:
    half = max(letters // 2, 1)
    return f"{text[:half]}\n… cut …\n{text[-half:]}"


_LAST = (
    "You answer a task from what your programs have printed about a collection of documents. There is no more time to run "
    "any."
)


def _from_findings(brief: Brief, ask: Ask, steps: tuple[Step, ...]) -> Answer:
    """The answer of an agent that came to the end of its steps without one."""
    room = max(brief.reasoning_window // 2, 500)
    latest = [step for step in steps if step.execution.output.strip()][-room // (2 * _AROUND_TURN) :]
    room -= _AROUND_TURN * len(latest)
    texts = [step.execution.output.strip() for step in latest]
    shares = share_out([estimate_tokens(text) for text in texts], room)
    printed = [
        block(brief, "output", clip(text, len(text), share), f"Step {step.number}")
        for step, text, share in zip(latest, texts, shares, strict=True)
    ]
    return converse(answer_from(brief, printed, guide=_LAST, steps=steps, step=len(steps) + 1), ask)


def documents_variable(brief: Brief) -> list[Mapping[str, object]]:
    """The documents as code finds them, in corpus order."""
    return [
        {"number": number, "title": one.title, "text": one.text}
        for number, one in enumerate(brief.corpus.documents, start=1)
    ]
