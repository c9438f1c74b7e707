"""Tasks of CorpusQA (Lu et al., 2026; paper section 6.2) from its published file, such as 1m_4domains.jsonl.

A row has id, domain, question, answer (number, text or list), doc_files and prompt, whose user message holds the
documents as blocks that begin with "# Document N:", and at its end "# Question:".
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from r3con_core.evaluation.rows import Row, RowError, answer_of, read_rows, text_of
from r3con_core.evaluation.tasks import EvaluationTask, Malformed, Text, filling
from r3con_core.verdicts import Gold, Rule

FORM = 'End with one line that begins with "The answer is: " and gives the answer alone.'
"""Asked of every method, since that text is what is judged."""
_HEAD = re.compile(r"^# Document (\d{1,9}):[^\S\n]*(.*)$", re.MULTILINE)
_QUESTION = "# Question:"


def read_corpusqa(file: Path) -> Iterator[EvaluationTask | Malformed]:
    """Its rows as tasks, in order."""
    return read_rows(file, _task)


def _task(row: Row) -> EvaluationTask:
    told = _user_message(row)
    at = told.rfind(_QUESTION)
    if at < 0:
        raise RowError(f"its 'prompt' has no {_QUESTION!r}")
    texts = _documents(told[:at], row)
    question = text_of(row, "question")
    asked = told[at + len(_QUESTION) :].strip()
    question = asked if question in asked else question
    has_form = "the answer is" in question.casefold()
    return EvaluationTask(
        id=text_of(row, "id"),
        question=question if has_form else f"{question}\n\n{FORM}",
        gold=Gold(answer=answer_of(row), rule=Rule.EQUIVALENT),
        labels=(("domain", text_of(row, "domain")),),
        fill=filling(texts, "CorpusQA"),
    )


def _user_message(row: Row) -> str:
    """The prompt as the row has it: one text, or messages of which those of the user count."""
    prompt = row.get("prompt")
    if isinstance(prompt, str) and prompt:
        return prompt
    if isinstance(prompt, list) and all(isinstance(one, dict) for one in prompt):
        told = [one.get("content") for one in prompt if one.get("role") == "user"]
        if told and all(isinstance(one, str) for one in told):
            return "\n\n".join(map(str, told))
    raise RowError("its 'prompt' is missing or has no user message")


def _documents(told: str, row: Row) -> tuple[Text, ...]:
    """The blocks in order. Only the head with the next number begins one, so that a document may hold such lines."""
    heads: list[re.Match[str]] = []
    for found in _HEAD.finditer(told):
        if int(found[1]) == len(heads) + 1:
            heads.append(found)
    if not heads:
        raise RowError("its 'prompt' has no documents: no line begins with '# Document 1:'")
    ends = [*(head.start() for head in heads[1:]), len(told)]
    bodies = [(head[2].strip(), told[head.end() : end].strip()) for head, end in zip(heads, ends, strict=True)]
    names = _names(row, len(bodies))
    return tuple(
        Text(title=name or head or f"Document {number}", text=body or head)
        for number, (name, (head, body)) in enumerate(zip(names, bodies, strict=True), start=1)
    )


def _names(row: Row, count: int) -> Sequence[str]:
    named = row.get("doc_files")
    if isinstance(named, list) and len(named) == count:
        return [Path(str(one)).name for one in named]
    return [""] * count
