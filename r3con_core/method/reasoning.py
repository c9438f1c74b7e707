"""Stage 3: an answer over relevant context and records, by code or directly (paper sections 4.3 and D.2.4)."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from r3con_core.answers import Action, Answer, Conclude, Execution, Mode, RunCode, Sentence, Step
from r3con_core.documents import estimate_tokens
from r3con_core.errors import ReplyError
from r3con_core.exchange import About, Exchange, Message, Prompt, Reply, Stage
from r3con_core.method.answer_forms import CONCLUSION, DIRECT, NOTES
from r3con_core.method.brief import Brief
from r3con_core.method.grounding import figures, plain
from r3con_core.method.layout import Blocks, Order, arrange, fitting_reply, left_in, room_beside, types_block
from r3con_core.method.marks import without_mark
from r3con_core.method.notes import make_notes
from r3con_core.method.prompts import fill
from r3con_core.method.reading import ask_until_read, decode_object, walk_values
from r3con_core.method.relevance import sentence
from r3con_core.records import Record, Representation, StructuredData, find_labels

RECORDS_SHARE = 0.4
"""Of the window, for records shown whole; the authors' known wrong answers came from samples."""
NOTES_SHARE = 0.25
"""Of the window, for the relevant context."""
STEP_TOKENS = 700
MOST_SHOWN, LEAST_SHOWN = 6000, 400
"""Letters of what a program printed."""
MOST_FINDINGS = 4000
ANSWER_TOKENS = 900
RETRY_TEMPERATURE = 0.7
"""A failed turn is begun afresh and less certain: with its history a 1.5B model repeated one error 5 of 5 times."""


def usable(data: StructuredData) -> tuple[Record, ...]:
    """The records reasoning works on: those with a quote found in their own document that no person took out."""
    return tuple(record for record in data.records if record.counts)


def record_variable(brief: Brief, data: StructuredData) -> dict[str, list[dict[str, Any]]]:
    """`records` as generated code sees it: record type -> list of dicts with their labels.

    A small model's numbers that do not occur in the document are None: it fills in zeros and other documents' figures.
    """
    variable: dict[str, list[dict[str, Any]]] = {t.name: [] for t in data.schema.record_types}
    for record in usable(data):
        values = dict(record.values)
        if brief.settings.small_reader:
            values |= {name: None for name in record.unsupported if isinstance(values.get(name), int | float)}
        variable[record.type].append(
            {
                "record": data.label(record.id),
                "document": brief.corpus.number(record.document_id),
                "said_by": record.said_by,
                "certainty": record.certainty.value,
                **values,
            }
        )
    return variable


def snippet_variable(brief: Brief, representation: Representation) -> dict[str, str]:
    """`snippets` as generated code sees it: document number -> snippet (keys are text, as JSON has them)."""
    return {str(brief.corpus.number(s.document_id)): s.text for s in representation.relevant_context.snippets}


def session_names(brief: Brief, representation: Representation) -> dict[str, object]:
    """The names that generated code finds in its session, with their values as JSON has them."""
    return {
        "records": record_variable(brief, representation.structured_data),
        "snippets": snippet_variable(brief, representation),
    }


def next_prompt(brief: Brief, opening: Sequence[Message], steps: Sequence[Step], fault: str = "") -> Prompt:
    """What the coding agent is asked next, after `open_reasoning`. After a fault it starts fresh, without that turn."""
    version = brief.settings.prompts
    room = left_in(brief.reasoning_window, opening) - STEP_TOKENS
    turns = [
        _turn(brief, step, left=brief.settings.max_steps - len(steps), room=room)
        for step in steps
        if not step.execution.fault
    ]
    while len(turns) > 1 and left_in(room, [message for turn in turns for message in turn]) < 0:
        turns = turns[1:]
    messages = [*opening, *(message for turn in turns for message in turn)]
    if fault:
        told = without_mark(_clip(fault, 600), brief.mark)
        failed = fill("reasoning", version, "failed", fence=brief.mark, fault=told)
        messages[-1] = replace(messages[-1], pieces=(*messages[-1].pieces, failed))
    return Prompt(
        stage=Stage.REASONING,
        about=About(step=len(steps) + 1),
        messages=tuple(messages),
        max_tokens=fitting_reply(brief.reasoning_window, messages, STEP_TOKENS),
        temperature=RETRY_TEMPERATURE if fault else 0.0,
        mark=brief.mark,
    )


def _turn(brief: Brief, step: Step, *, left: int, room: int) -> tuple[Message, Message]:
    """What the agent said in a step and what it was shown, which takes no more than half of `room` tokens or so."""
    said = Message(role="assistant", pieces=(without_mark(f"{step.thought}\n```python\n{step.code}\n```", brief.mark),))
    printed = without_mark(step.execution.output, brief.mark).strip() or "(nothing)"
    output = _clip(printed, _letters(room // 2, MOST_SHOWN))
    shown = fill("reasoning", brief.settings.prompts, "turn", fence=brief.mark, output=output, left=left)
    return said, Message(role="user", pieces=(shown,))


def _letters(tokens: int, most: int) -> int:
    """Letters of output that are about so many tokens: names, figures and marks have two or three each."""
    return min(max(2 * tokens, LEAST_SHOWN), most)


def _clip(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[: letters // 2]}\n… cut …\n{text[-letters // 2 :]}"


def open_reasoning(brief: Brief, representation: Representation) -> tuple[Message, ...]:
    """What every prompt to the coding agent begins with: the relevant context, the records and the task."""
    version = brief.settings.prompts
    schema = representation.structured_data.schema
    blocks = Blocks(
        guide=fill("reasoning", version, "guide"),
        material=types_block(brief, schema.record_types),
        notes=_notes(brief, representation),
        document=records_block(brief, representation),
        request=fill("reasoning", version, "request", task=brief.task.text),
    )
    return arrange(brief, blocks, Order.SNIPPETS_FIRST)


def share_of(window: int, share: float, *, task: str) -> int:
    """Tokens that are `share` of `window`, less where records and notes would leave no room for the rest."""
    room = room_beside(window, STEP_TOKENS, task=task)
    return int(min(share * window, share / (RECORDS_SHARE + NOTES_SHARE) * room))


def _notes(brief: Brief, representation: Representation) -> tuple[str, ...]:
    context = representation.relevant_context
    if not context.rounds:
        return ()
    share = NOTES_SHARE if representation.structured_data.schema.record_types else NOTES_SHARE + RECORDS_SHARE
    return make_notes(brief, context.last, share_of(brief.reasoning_window, share, task=brief.task.text)).all().pieces


def records_block(brief: Brief, representation: Representation) -> str:
    """The records as Python literals, whole when they fit, as coding prompts show them."""
    return _records(brief, representation, "reasoning", show=repr)


def _records(
    brief: Brief, representation: Representation, stage: str, *, show: Callable[[Any], str], findings: str = ""
) -> str:
    data = representation.structured_data
    variable = record_variable(brief, data)
    total = sum(map(len, variable.values()))
    shown, shown_all = _show(
        variable, budget=share_of(brief.reasoning_window, RECORDS_SHARE, task=brief.task.text), show=show
    )
    return fill(
        stage,
        brief.settings.prompts,
        "records",
        fence=brief.mark,
        shown=without_mark(shown, brief.mark),
        shown_all=shown_all,
        total=total,
        set_aside=len(data.records) - total,
        unread=len(data.unread),
        findings=without_mark(findings, brief.mark),
    )


def _show(variable: Mapping[str, list[dict[str, Any]]], *, budget: int, show: Callable[[Any], str]) -> tuple[str, bool]:
    """Records one to a line, whole when they fit `budget` tokens, else the first of each type."""

    def lines(limit: int | None) -> str:
        return "\n".join(f"{name}:\n" + "\n".join(map(show, rows[:limit])) for name, rows in variable.items())

    whole = lines(None)
    if estimate_tokens(whole) <= budget:
        return whole, True
    limit = max(map(len, variable.values()))
    while limit > 1 and estimate_tokens(lines(limit)) > budget:
        limit //= 2
    return lines(limit), False


_CODE = re.compile(r"```(?:python|py)?[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)


def read_action(reply: Reply, steps: Sequence[Step]) -> Action:
    """What the agent wants: its first block of code run or, once code has run without error, to conclude in words."""
    found = _CODE.search(reply.text)
    if found and found.group(1).strip():
        return RunCode(thought=reply.text[: found.start()].strip(), code=found.group(1).strip())
    if any(step.execution.fault is None for step in steps) and find_labels(reply.text):
        return Conclude(thought="", text=reply.text.strip(), cites=find_labels(reply.text))
    raise ReplyError("it holds no block of code between ```python and ```")


def answer_directly(brief: Brief, representation: Representation, steps: Sequence[Step] = ()) -> Exchange[Answer]:
    """An answer without code over the whole representation; `steps` of an agent that did not conclude are findings."""
    version = brief.settings.prompts
    blocks = Blocks(
        guide=fill("direct", version, "guide"),
        notes=_notes(brief, representation),
        document=_records(brief, representation, "direct", show=_in_json),
        request=fill("direct", version, "request", task=brief.task.text),
    )
    if findings := _findings(steps):
        left = left_in(brief.reasoning_window, arrange(brief, blocks, Order.SNIPPETS_FIRST)) - ANSWER_TOKENS
        findings = _clip(findings, _letters(left, MOST_FINDINGS))
        blocks = replace(blocks, document=_records(brief, representation, "direct", show=_in_json, findings=findings))
    prompt = _direct_prompt(brief, arrange(brief, blocks, Order.SNIPPETS_FIRST))
    return (yield from _read_sentences(prompt, representation, steps))


def _in_json(row: Any) -> str:
    """On one line, whatever ends lines in its values."""
    return " ".join(json.dumps(row, ensure_ascii=False).split())


def answer_from_notes(brief: Brief, representation: Representation) -> Exchange[Answer]:
    """An answer from the relevant context alone, which names no record: for runs that leave structuring out."""
    version = brief.settings.prompts
    blocks = Blocks(
        guide=fill("direct", version, "notes_guide"),
        notes=_notes(brief, representation),
        document="",
        request=fill("direct", version, "notes_request", task=brief.task.text),
    )
    prompt = _direct_prompt(brief, arrange(brief, blocks, Order.SNIPPETS_FIRST), NOTES)
    return (yield from _read_sentences(prompt, representation, ()))


def conclude_from(brief: Brief, representation: Representation, steps: Sequence[Step]) -> Exchange[Answer]:
    """An answer from what the steps' code printed and nothing else: shown everything, a 1.5B model drowned in it."""
    version = brief.settings.prompts
    aside = sum(record.set_aside for record in representation.structured_data.records)
    request = fill(
        "conclude",
        version,
        "request",
        fence=brief.mark,
        task=brief.task.text,
        output=_clip(
            without_mark(_findings(steps), brief.mark),
            _letters(room_beside(brief.reasoning_window, ANSWER_TOKENS, task=brief.task.text), MOST_SHOWN),
        ),
        set_aside=aside,
    )
    messages = (
        Message(role="system", pieces=(fill("conclude", version, "system", fence=brief.mark),)),
        Message(role="user", pieces=(request,)),
    )
    prompt = _direct_prompt(brief, messages, CONCLUSION)
    return (yield from _read_sentences(prompt, representation, steps))


def _findings(steps: Sequence[Step]) -> str:
    return "\n".join(step.execution.output.strip() for step in steps if step.execution.fault is None)


def _direct_prompt(brief: Brief, messages: tuple[Message, ...], shape: Mapping[str, Any] = DIRECT) -> Prompt:
    return Prompt(
        stage=Stage.REASONING,
        about=About(step=brief.settings.max_steps + 1),
        messages=messages,
        shape=shape,
        max_tokens=fitting_reply(brief.reasoning_window, messages, ANSWER_TOKENS),
        mark=brief.mark,
    )


def _read_sentences(prompt: Prompt, representation: Representation, steps: Sequence[Step]) -> Exchange[Answer]:
    shape = prompt.shape
    assert shape is not None
    said = yield from ask_until_read(prompt, lambda reply: decode_object(reply, shape)["sentences"])
    mode = Mode.CODING if steps else Mode.DIRECT
    pairs = [
        (sentence(_BRACKETS.sub("", s["text"])), tuple(label.strip("[] ") for label in s.get("records", ())))
        for s in said
        if s["text"].strip()
    ]
    return _make_answer(pairs, representation.structured_data, mode, tuple(steps))


_SENTENCE_END = re.compile(r"(?<=[.!?。])(?=\s+[A-Z\"“(\[]?)|\n+")
_BRACKETS = re.compile(r"(?i)(?<!\s)\s*[\[(]\s*(?:records?\s*)?R\d+(?:\s*(?:(?:[,;&]|and)\s*)?R\d+)*\s*[\])]")
_ABBREVIATED = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|St|No|Nos|vs|p|pp|a\.m|p\.m|e\.g|i\.e|[A-Z]))\.$")


def split_sentences(text: str) -> tuple[str, ...]:
    """The sentences of `text` in order; a citation in brackets stays with the sentence before it."""
    pieces: list[str] = []
    for found in _SENTENCE_END.split(text):
        piece = found.strip()
        cited = _BRACKETS.match(piece) if pieces else None
        if cited:
            pieces[-1] = f"{pieces[-1]} {cited.group().strip()}"
            piece = piece[cited.end() :].strip()
        if piece and pieces and _ABBREVIATED.search(pieces[-1]):
            pieces[-1] = f"{pieces[-1]} {piece}"
        elif piece:
            pieces.append(piece)
    return tuple(pieces)


def conclude(text: str, cites: Sequence[str], data: StructuredData, steps: Sequence[Step]) -> Answer:
    """An agent's answer with its citations checked against the records.

    Labels in a sentence belong to it. Labels given apart belong to the sentences that name a value of their record,
    else to the first.
    """
    pairs = [(_BRACKETS.sub("", s).strip(), find_labels(s)) for s in split_sentences(text)]
    pairs = [(sentence, labels) for sentence, labels in pairs if sentence]
    inline = {label for _, labels in pairs for label in labels}
    for label in dict.fromkeys(c.strip("[] ") for c in cites):
        if label not in inline and pairs:
            pairs = _attach(label, pairs, data)
    return _make_answer(pairs, data, Mode.CODING, tuple(steps))


Pairs = list[tuple[str, tuple[str, ...]]]


def _attach(label: str, pairs: Pairs, data: StructuredData) -> Pairs:
    identity = data.id_of(label)
    named = [_names_value_of(data.get(identity), s) if identity else False for s, _ in pairs]
    if not any(named):
        named[0] = True
    return [(s, (*labels, label)) if hit else (s, labels) for (s, labels), hit in zip(pairs, named, strict=True)]


def _names_value_of(record: Record, sentence: str) -> bool:
    said, numbers = plain(sentence), figures(sentence)
    for _, value in walk_values(dict(record.values)):
        if isinstance(value, str) and len(value) > 2 and plain(value) in said:
            return True
        if isinstance(value, int | float) and not isinstance(value, bool) and figures(str(value)) <= numbers:
            return True
    return False


def _make_answer(pairs: Pairs, data: StructuredData, mode: Mode, steps: tuple[Step, ...]) -> Answer:
    unknown = [label for _, labels in pairs for label in labels if data.id_of(label) is None]
    sentences = tuple(
        Sentence(text=text, record_ids=tuple(dict.fromkeys(i for label in labels if (i := data.id_of(label)))))
        for text, labels in pairs
    )
    return Answer(
        text=" ".join(s.text for s in sentences),
        sentences=sentences,
        mode=mode,
        steps=steps,
        unknown_citations=tuple(dict.fromkeys(unknown)),
    )


def make_step(action: RunCode, execution: Execution, steps: Sequence[Step]) -> Step:
    """The step after `steps`."""
    return Step(number=len(steps) + 1, thought=action.thought, code=action.code, execution=execution)
