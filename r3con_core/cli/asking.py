"""`r3con ask` and `r3con resume`: from documents to an answer."""

import argparse
import re
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from r3con_core.answers import Mode
from r3con_core.caps import caps_text, in_currency
from r3con_core.cli.adding import load_here
from r3con_core.cli.carrying import carry_here
from r3con_core.cli.choosing import choose_caps, choose_model, higher_limits, keys_for, read_key, with_window
from r3con_core.cli.commands import FAILED, INTERRUPTED, OK, PAUSED, USAGE
from r3con_core.cli.consenting import refusal
from r3con_core.cli.places import find_run, open_or_create, run_words
from r3con_core.cli.screen import confirm, one_line, say, tell, tell_line
from r3con_core.cli.telling import answer_text, estimate_text, outline_text, snippets_text
from r3con_core.costs import expected_cost, expected_seconds, known_of
from r3con_core.errors import CorpusError, SchemaError, StoreError
from r3con_core.estimates.estimate import estimate_run
from r3con_core.exports import load_contents, readable_files
from r3con_core.holdings import never_send
from r3con_core.home import home_folder, projects_folder, user
from r3con_core.jobs import (
    RunChoices,
    accept_and_queue,
    addresses_of,
    check_models,
    choices_of,
    create_run,
    go_on,
    raise_caps,
    rates_now,
    requeue,
)
from r3con_core.preflight import allow_hosts, preflight, sentences
from r3con_core.readers import Outcome, count_files
from r3con_core.runs import DEFAULT_ROUNDS, Layout, Run, RunState
from r3con_core.sandbox import code_can_run
from r3con_core.schemas import Schema
from r3con_core.snippets import Author
from r3con_core.store.caps import load_caps
from r3con_core.store.codec import load
from r3con_core.store.documents import list_documents
from r3con_core.store.imports import ORIGINALS, copies_of, original_path
from r3con_core.store.project import FILE, Project, create_project
from r3con_core.store.schemas import newest_schema, save_schema
from r3con_core.store.shape import OF_SQLITE
from r3con_core.tasks import make_task

_MODES = {"coding": Mode.CODING, "direct": Mode.DIRECT}
_READ = (Outcome.READ.value, Outcome.READ_WITH_WARNINGS.value)


def ask(options: argparse.Namespace) -> int:
    """Read the documents, ask for consent, run, say the answer. What cannot work is refused before anything is kept."""
    given = read_key(options.key_env)
    task = make_task(options.question)
    schema = _read_schema(Path(options.schema).expanduser()) if options.schema else None
    paths = [Path(path).expanduser() for path in options.paths]
    count_files(paths)
    choices = _choices(options)
    keys = keys_for(addresses_of(choices.reading, choices.reasoning), given, ask=not options.yes)
    choices, window = window_said(choices, options, keys)
    project, fresh = project_for(options, task.text)
    if options.never_send:
        never_send(project, options.never_send, author=user())
    if paths:
        load_here(project, paths)
    if all(line.held for line in list_documents(project)):
        discard(project, fresh=fresh)
        raise CorpusError("There is nothing to read: none of the given files gave a document that models may see.")
    refusal = _consent(project, choices, window, yes=options.yes)
    if refusal is not None:
        discard(project, fresh=fresh)
        return refusal
    run = create_run(project, task.text, choices)
    if schema is not None:
        save_schema(project, run.id, schema, author=Author.HUMAN, reason="Given with --schema.")
    tell(f"Run {run.id} in the project {project.name!r} ({project.folder})")
    return _finish(project, carry_here(project, run.id, keys), Path(options.out) if options.out else None)


def _choices(options: argparse.Namespace) -> RunChoices:
    """What the options choose; refused when a run could not work with them."""
    chosen = RunChoices(
        reading=choose_model(options),
        rounds=DEFAULT_ROUNDS if options.rounds is None else options.rounds,
        mode=_MODES[options.mode],
        straight_through=not options.review,
        between_rounds=options.between_rounds,
        layout=Layout(options.layout),
        caps=choose_caps(options),
    )
    return checked(chosen)


def checked(choices: RunChoices) -> RunChoices:
    """`choices` with their limit in the models' currency; R3ConError when a run could not work with them."""
    choices.settings()
    check_models(choices, home_folder())
    rates = rates_now(choices.reading, choices.reasoning, home_folder())
    return replace(choices, caps=in_currency(choices.caps, rates))


def window_said(choices: RunChoices, options: argparse.Namespace, keys: Mapping[str, str]) -> tuple[RunChoices, str]:
    """`choices` with the window of the model's endpoint, and a sentence on that."""
    if options.window is not None:
        return choices, f"A context window of {options.window:,} tokens is used, as given."
    reading, said = with_window(choices.reading, home_folder(), keys)
    choices = replace(choices, reading=reading)
    choices.settings()
    return choices, said


def resume(options: argparse.Namespace) -> int:
    """Go on with a run, or accept its schema; an answer that is there already is said again."""
    given = read_key(options.key_env)
    project, run = find_run(options.run, options.folder)
    out = Path(options.folder) if options.folder else None
    if run.state is RunState.DONE:
        return _finish(project, run, out)
    if run.state.active and run.state is not RunState.QUEUED:
        tell(f"The run {run.id} is at work elsewhere. Look at it with: r3con show {run_words(project, run.id)}")
        return FAILED
    if run.host != "this computer" and not options.yes and not _may_send(run):
        return FAILED if sys.stdin.isatty() else USAGE
    keys = keys_for(addresses_of(*choices_of(project, run.id)), given, ask=not options.yes)
    if options.max_cost is not None or options.max_tokens is not None:
        raise_caps(project, run.id, choose_caps(options, load_caps(project, run.id)))
    if run.state is RunState.WAITING:
        accept_and_queue(project, run.id)
    elif run.state is RunState.BETWEEN:
        go_on(project, run.id)
    elif run.state is not RunState.QUEUED:
        requeue(project, run.id)
    tell_line(f"Going on with {run.id}: {run.task.text}")
    return _finish(project, carry_here(project, run.id, keys), out)


def _may_send(run: Run) -> bool:
    if sys.stdin.isatty():
        return confirm(f"Text of the documents goes to {run.host}. Go on?")
    tell(f"Text of the documents goes to {run.host}, so nothing was sent. Add --yes to go on without being asked.")
    return False


def _read_schema(file: Path) -> Schema:
    try:
        schema: Schema = load(file.read_text("utf-8"), Schema)
    except OSError as error:
        raise CorpusError(f"The schema file {str(file)!r} cannot be read: {error.strerror}. Check its path.") from error
    except (ValidationError, UnicodeDecodeError) as error:
        raise SchemaError(f"{str(file)!r} is no schema as made by: r3con export --format schema") from error
    return schema


def project_for(options: argparse.Namespace, question: str) -> tuple[Project, bool]:
    """The project the options name, and whether it was made just now."""
    if options.out or options.project:
        return open_or_create(folder=options.out, name=options.project)
    words = " ".join(re.findall(r"\w+", question)[:6])
    return create_project(projects_folder(home_folder()), f"{words} {time.strftime('%Y-%m-%d %H.%M.%S')}"), True


def discard(project: Project, *, fresh: bool) -> None:
    """Remove a project that was made for a question that is not asked; other files of its folder stay.

    Also what is left there of an earlier project, such as what a rescue has kept of it.
    """
    if not fresh:
        return
    kept = [original_path(project, sha256) for sha256 in copies_of(project)]
    project.close()
    for file in (*kept, *(project.path.with_name(f"{FILE}{end}") for end in ("", *OF_SQLITE))):
        file.unlink(missing_ok=True)
    for folder in (*{file.parent for file in kept}, project.folder / ORIGINALS, project.folder):
        with suppress(OSError):  # what is not empty, or not there
            folder.rmdir()


def _consent(project: Project, choices: RunChoices, window: str, *, yes: bool) -> int | None:
    """Say what the run takes and where text goes; None to go on, else the exit code."""
    listed = list_documents(project)
    lines = [line for line in listed if not line.held]
    if len(lines) < len(listed):
        tell(f"{len(listed) - len(lines):,} documents are held back from models; see them with: r3con ledger")
    tell(f"{len(lines):,} documents with {sum(line.words for line in lines):,} words.")
    known = known_of(project, choices.reading, home_folder())
    estimate = estimate_run([line.tokens for line in lines], choices.settings(), known)
    models = (choices.reading, choices.reasoning, home_folder())
    tell(estimate_text(estimate, expected_cost(estimate, *models), expected_seconds(estimate, *models)))
    tell(window)
    if choices.mode is Mode.CODING and (cannot := code_can_run()):
        tell(f"{cannot} Its records can be counted and added up with: r3con query")
    caps = caps_text(choices.caps)
    if caps:
        tell(f"Limits: {caps}; the run pauses there.")
    told = preflight(project, (choices.reading, choices.reasoning))
    tell(f"Text of the documents goes to: {', '.join(choices.hosts)}.")
    for sentence in () if told.stays else sentences(told):
        tell(sentence)
    code = refusal("Start?", yes=yes)
    if code is None:
        allow_hosts(project, told.to_allow, author=user())
    return code


def _finish(project: Project, run: Run, out: Path | None) -> int:
    """Say what a run has come to, and keep it in `out`."""
    again = f"r3con resume {run_words(project, run.id)}"
    match run.state:
        case RunState.DONE:
            say(answer_text(load_contents(project, run.id)))
            if out is not None:
                _write_files(project, run.id, out)
            return OK
        case RunState.WAITING:
            say(outline_text(newest_schema(project, run.id)))
            tell(f"The schema waits for you. Change it in the app, or accept it and go on with: {again}")
            return OK
        case RunState.BETWEEN:
            say(snippets_text(load_contents(project, run.id)))
            tell(f"The run waits for you between two rounds. Steer it in the app, or go on with: {again}")
            return OK
        case RunState.PAUSED:
            tell(f"{one_line(run.error)}\nGo on with: {again}{higher_limits(project, run.id)}")
            return PAUSED
        case RunState.STOPPED | RunState.INTERRUPTED:
            tell(f"{one_line(run.error)}\nGo on with: {again}")
            return INTERRUPTED
        case _:
            tell(f"r3con: {one_line(run.error) or f'The run is {run.state.value}.'}\nGo on with: {again}")
            return FAILED


def _write_files(project: Project, run_id: str, out: Path) -> None:
    try:
        for name, data in readable_files(project, run_id).items():
            file = out.expanduser() / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
    except OSError as error:
        raise StoreError(f"{out} cannot be written: {error.strerror}. The answer is kept in the project.") from error
    tell(f"Report, records and code are in {out}")
