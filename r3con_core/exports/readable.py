"""The members of a bundle that people and other programs read: reports and tables, and what they were made from."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from r3con_core.answers import Step
from r3con_core.exports.changed import cells_of_line, change_lines
from r3con_core.exports.code import code_of
from r3con_core.exports.contents import RunContents
from r3con_core.exports.html_report import html_of
from r3con_core.exports.ledger import export_ledger
from r3con_core.exports.report import report_of
from r3con_core.exports.tables import record_tables, records_json
from r3con_core.exports.whole import WholeRun, load_whole
from r3con_core.runs import RunSettings
from r3con_core.schemas import Schema
from r3con_core.snippets import Round
from r3con_core.store.audit import list_acts
from r3con_core.store.built import load_built
from r3con_core.store.calls import Call, iter_calls
from r3con_core.store.codec import dump
from r3con_core.store.project import Project
from r3con_core.traces import Built

_MOST_LETTERS = 100_000_000
"""Of all prompts together; beyond it, each tells only its own last message, and the store has the whole."""

ABOUT = """An evidence bundle of R3Con Analyst: one run of questions over documents, with all that its answer rests on.

To read it: open report.html in any browser (it loads nothing), or the tables in records/ in a spreadsheet.
To check it: install R3Con Analyst, then  r3con verify THIS-FILE  (no model is asked, nothing is sent).
To work with it: r3con open THIS-FILE, or "Open a run" in the app.

manifest.json   SHA-256 of every member, and "chain": the SHA-256 of the whole. Sign or time-stamp that one.
report.html     answer, records, quoted pages, what was read, what people changed, how it was made
report.md       the same in short, as Markdown
records.json    records as they stand; records.model.json: as the model gave them, where people changed any
records/        the same records as tables (CSV)
schema.json     the newest schema; schemas.jsonl: all versions
documents.jsonl every document: number, path, SHA-256 of its file and of its text
ledger.csv      what became of every file
snippets.jsonl  what every document said to the question, round by round
calls.jsonl     every prompt and reply
changes.jsonl   what people changed: who, when, why
settings.json   what shaped the run
audit.jsonl     who did what, each entry sealed with the one before; only where the project keeps such a log
steps.jsonl     the code that reasoned, and what it printed; code.py: the same to run
built.jsonl     of another method than R3Con: what it built on the way; its vectors are in project.sqlite
project.sqlite  all of it as the product keeps it, the documents' texts too
"""


def readable_files(project: Project, run_id: str) -> dict[str, bytes]:
    """Name -> bytes of what a person can read of the run without this product: reports, tables, schema, code."""
    return readable_of(load_whole(project, run_id))


def readable_of(whole: WholeRun) -> dict[str, bytes]:
    """The same of a run already loaded."""
    contents = whole.contents
    files = {"report.html": html_of(whole), "report.md": report_of(whole)}
    if whole.versions:
        files["schema.json"] = _indented(whole.versions[-1].schema)
    if contents.data is not None:
        files["records.json"] = records_json(contents)
    if contents.said is not None and contents.said != contents.data:
        files["records.model.json"] = records_json(contents, contents.said)
    if contents.answer is not None and contents.answer.steps:
        files["code.py"] = code_of(contents)
    encoded = {name: text.encode("utf-8", "replace") for name, text in files.items()}
    tables = record_tables(contents) if contents.data is not None else {}
    return encoded | {f"records/{name}.csv": data for name, data in tables.items()}


def _indented(schema: Schema) -> str:
    return json.dumps(json.loads(dump(schema, Schema)), ensure_ascii=False, indent=1) + "\n"


def proof_files(project: Project, whole: WholeRun) -> dict[str, bytes]:
    """Name -> bytes of what reports and tables were made from, as lines that people can read."""
    contents = whole.contents
    steps = contents.answer.steps if contents.answer is not None else ()
    lines: Mapping[str, Iterable[Mapping[str, Any]]] = {
        "documents.jsonl": _documents(contents),
        "snippets.jsonl": (line for round_ in contents.context.rounds for line in _snippets(round_, contents)),
        "schemas.jsonl": (
            {"version": one.version, "author": one.author, "reason": one.reason, "created": one.created}
            | {"schema": json.loads(dump(one.schema, Schema))}
            for one in whole.versions
        ),
        "calls.jsonl": _calls(project, contents),
        "changes.jsonl": map(cells_of_line, change_lines(contents)),
        "steps.jsonl": map(_step, steps),
    }
    if built := load_built(project, contents.run.id):
        lines = {**lines, "built.jsonl": (json.loads(dump(one, Built)) for one in built)}
    settings = json.loads(dump(contents.run.settings, RunSettings)) | {"look_for": contents.look_for}
    files = {name: _jsonl(told) for name, told in lines.items()}
    files["settings.json"] = json.dumps(settings, ensure_ascii=False, indent=1).encode("utf-8", "replace")
    if acts := list_acts(project.db):
        files["audit.jsonl"] = _jsonl(map(asdict, acts))
    return files | {"ledger.csv": export_ledger(whole.ledger), "README.txt": ABOUT.encode()}


def _jsonl(lines: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n" for line in lines)


def _documents(contents: RunContents) -> Iterator[dict[str, Any]]:
    for number, document in enumerate(contents.corpus.documents, start=1):
        yield {
            "number": number,
            "id": document.id,
            "title": document.title,
            "path": document.source.path,
            "sha256_of_file": document.source.sha256,
            "sha256_of_text": hashlib.sha256(document.text.encode("utf-8", "surrogatepass")).hexdigest(),
            "media_type": document.source.media_type,
            "date": document.date,
            "author": document.author,
            "words": document.words,
            "pages": document.pages,
            "pages_not_read": document.unread_pages,
            "warnings": document.warnings,
        }


def _snippets(round_: Round, contents: RunContents) -> Iterator[dict[str, Any]]:
    for snippet in round_.snippets:
        number = contents.corpus.number(snippet.document_id)
        told = {"round": round_.number, "document": number, "text": snippet.text, "author": snippet.author}
        yield told | {"foreign": snippet.foreign, "left_out": snippet.left_out, "carried": snippet.carried}
    for unread in round_.unread:
        number = contents.corpus.number(unread.document_id)
        yield {"round": round_.number, "document": number, "not_read": unread.reason}


def _step(step: Step) -> dict[str, Any]:
    told = {"step": step.number, "thought": step.thought, "code": step.code, "output": step.execution.output}
    proposed = asdict(step.execution.proposed) if step.execution.proposed is not None else None
    return told | {"fault": step.execution.fault, "proposed": proposed}


def _calls(project: Project, contents: RunContents) -> Iterator[dict[str, Any]]:
    letters = sum(len(m.content) for call in iter_calls(project, contents.run.id) for m in call.prompt.messages)
    numbers = {document.id: number for number, document in enumerate(contents.corpus.documents, start=1)}
    tell = _whole_prompt if letters <= _MOST_LETTERS else _short_prompt
    return (_call(call, numbers, tell) for call in iter_calls(project, contents.run.id))


Tell = Callable[[Call], list[dict[str, str]]]


def _whole_prompt(call: Call) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in call.prompt.messages]


def _short_prompt(call: Call) -> list[dict[str, str]]:
    """For runs whose prompts repeat one another so much that no file could hold them whole."""
    told = _whole_prompt(call)
    return [{"role": "note", "content": f"{len(told) - 1} messages before it are in project.sqlite"}, *told[-1:]]


def _call(call: Call, numbers: Mapping[str, int], tell: Tell) -> dict[str, Any]:
    prompt, reply = call.prompt, call.reply
    return {
        "key": call.key,
        "model": reply.model,
        "sent_to": call.host,
        "answered": call.answered,
        "stage": prompt.stage,
        "document": numbers.get(prompt.about.document_id),
        **{name: value for name, value in asdict(prompt.about).items() if name != "document_id" and value},
        "attempt": prompt.attempt,
        "temperature": prompt.temperature,
        "max_tokens": prompt.max_tokens,
        "messages": tell(call),
        "shape": prompt.shape,
        "reply": reply.text,
        "thinking": reply.thinking,
        "finish": reply.finish,
        "usage": asdict(reply.usage),
        "kept_from_before": call.reused,
    }
