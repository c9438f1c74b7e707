"""`r3con compare`: several methods on the same documents and question, priced before, side by side after."""

import argparse
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import Any

from r3con_core.caps import caps_text, money_text
from r3con_core.cli.adding import load_here
from r3con_core.cli.asking import checked, discard, project_for, window_said
from r3con_core.cli.carrying import carry_here
from r3con_core.cli.choosing import choose_caps, choose_embedding, choose_model, higher_limits, keys_for, read_key
from r3con_core.cli.commands import FAILED, INTERRUPTED, OK, PAUSED
from r3con_core.cli.consenting import refusal
from r3con_core.cli.places import run_words
from r3con_core.cli.screen import indented, one_line, say, say_line, tell, tell_line
from r3con_core.cli.telling import price_text
from r3con_core.errors import CorpusError, StoreError
from r3con_core.experiments import PlannedMethod, Result, plan_methods, queue_methods, results_of
from r3con_core.holdings import never_send
from r3con_core.home import home_folder, user
from r3con_core.jobs import RunChoices, addresses_of
from r3con_core.methods import METHODS, method_of
from r3con_core.methods.seam import Needs, Size
from r3con_core.opening import Servers
from r3con_core.preflight import allow_hosts, preflight, sentences
from r3con_core.readers import count_files
from r3con_core.runs import Run, RunState
from r3con_core.store.documents import list_documents
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from r3con_core.tasks import make_task
from r3con_core.views.tables import to_csv

ALL = "all"
LEAVES = (
    "Other than that, Claude Code is a program of its own: it gets the documents in a temporary folder and sends what "
    "it reads to Anthropic, by that program's own account."
)


def compare(options: argparse.Namespace) -> int:
    """Read the documents, say what each method would take, ask for consent, run them in turn, say what came of each."""
    given, task = read_key(options.key_env), make_task(options.question)
    method_ids = read_methods(options.methods)
    settings = read_settings(options.options, method_ids)
    paths = [Path(path).expanduser() for path in options.paths]
    count_files(paths)
    if options.out and Path(options.out).expanduser().is_file():
        raise StoreError(f"{options.out} is a file. Give a folder with --out.")
    embedding = choose_embedding(options)
    choices = checked(RunChoices(reading=choose_model(options), embedding=embedding, caps=choose_caps(options)))
    keys = keys_for(addresses_of(choices.reading, choices.embedding), given, ask=not options.yes)
    choices, window = window_said(choices, options, keys)
    place = argparse.Namespace(out=options.folder, project=options.project)
    project, fresh = project_for(place, task.text)
    if options.never_send:
        never_send(project, options.never_send, author=user())
    if paths:
        load_here(project, paths)
    if all(line.held for line in list_documents(project)):
        discard(project, fresh=fresh)
        raise CorpusError("There is nothing to read: none of the given files gave a document that models may see.")
    tell(window)
    planned = plan_methods(project, task.text, choices, method_ids, options=settings, home=home_folder())
    _tell_bounds(planned, settings)
    able = [one for one in planned if not one.why_not]
    refused = _consent(project, planned, choices, yes=options.yes)
    if refused is not None:
        discard(project, fresh=fresh)
        return refused
    runs = queue_methods(project, task.text, able, home=home_folder())
    return _finish(project, task.text, _carry(project, runs, able, keys), options)


def read_methods(named: str) -> tuple[str, ...]:
    """Ids of methods, as --methods names them; `all` leaves out programs of their own, which send by their own account."""
    known = {method.id: method for method in METHODS}
    if named.strip() == ALL:
        return tuple(id_ for id_, method in known.items() if Needs.PROGRAM not in method.needs)
    chosen = tuple(dict.fromkeys(one.strip() for one in named.split(",") if one.strip()))
    unknown = [one for one in chosen if one not in known]
    if unknown or not chosen:
        raise CorpusError(
            f"There is no method {', '.join(unknown) or named!r}. Choose from: {', '.join(known)}, {ALL}."
        )
    return chosen


def read_settings(told: Sequence[str], method_ids: Sequence[str]) -> dict[str, dict[str, float]]:
    """Settings by method, as --options METHOD.SETTING=NUMBER gives them; CorpusError for what is none of these methods."""
    found: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for one in told:
        name, _, value = one.partition("=")
        method, _, setting = name.partition(".")
        number = _number(value)
        if not setting or number is None:
            raise CorpusError(f"{one!r} is no setting. Write one as METHOD.SETTING=NUMBER, such as raptor.leaf=100.")
        if method not in method_ids:
            raise CorpusError(f"{one!r} is no setting of a method that is run: {', '.join(method_ids)}.")
        known = [each.name for each in method_of(method).settings(_ANY_SIZE)]
        if setting not in known:
            raise CorpusError(f"{method} has no setting {setting!r}. It has: {', '.join(known) or 'none'}.")
        found[method][setting] = number
    return dict(found)


_ANY_SIZE = Size(documents=(1_000,), window=8_192)
"""Names of settings are the same for every size."""


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def _tell_bounds(planned: Sequence[PlannedMethod], settings: Mapping[str, Mapping[str, float]]) -> None:
    """Which given settings are beyond what makes sense for these documents, so that another value is used."""
    for one in planned:
        for name, given in settings.get(one.method.id, {}).items():
            used = dict(one.choices.options)[name]
            if used != given:
                tell(f"{one.method.id}.{name}: {used:g} is used, since {given:g} is beyond what these documents allow.")


def _consent(project: Project, planned: Sequence[PlannedMethod], choices: RunChoices, *, yes: bool) -> int | None:
    """Say what each method takes and where text goes; None to go on, else the exit code."""
    for one in planned:
        taken = one.why_not or price_text(one.estimate.calls, one.estimate.prompt, one.cost, one.seconds)
        tell_line(f"{one.method.id}: {f'not possible. {taken}' if one.why_not else taken}")
    able = [one for one in planned if not one.why_not]
    if not able:
        tell("None of these methods can work here.")
        return FAILED
    if caps := caps_text(choices.caps):
        tell(f"Limits of each method: {caps}; its run pauses there.")
    told = preflight(project, (choices.reading, choices.reasoning, choices.embedding))
    for sentence in sentences(told):
        tell(sentence)
    if any(Needs.PROGRAM in one.method.needs for one in able):
        tell(LEAVES)
    code = refusal(f"Start {len(able):,} methods?" if len(able) > 1 else "Start?", yes=yes)
    if code is None:
        allow_hosts(project, told.to_allow, author=user())
    return code


def _carry(
    project: Project, runs: Sequence[Run], planned: Sequence[PlannedMethod], keys: Mapping[str, str]
) -> tuple[Run, ...]:
    """All of them in turn, as far as each goes; a Ctrl-C stops the one at work and leaves the rest unasked."""
    with Servers() as servers:
        for number, (run, one) in enumerate(zip(runs, planned, strict=True), start=1):
            tell(f"[{number} of {len(runs)}] {one.method.name} (run {run.id})")
            if carry_here(project, run.id, keys, servers.serve).state is RunState.STOPPED:
                break
    return tuple(load_run(project, run.id) for run in runs)


def _finish(project: Project, question: str, runs: Sequence[Run], options: argparse.Namespace) -> int:
    ids = {run.id for run in runs}
    results = [one for one in results_of(project, runs[0].task.id, home_folder()) if one.run.id in ids]
    rows = [row_of(one) for one in results]
    say_line(*rows[0])
    for row in rows:
        say_line(*map(str, row.values()))
    for one in results:
        said = one.answer.text if one.answer else one.fault or f"It is {one.run.state.value}."
        say(f"\n== {one_line(one.method.name)} ==\n  {indented(said, '  ')}")
    if options.out:
        _write(Path(options.out).expanduser(), question, results)
    for run in runs:
        if run.state is not RunState.DONE:
            higher = higher_limits(project, run.id) if run.state is RunState.PAUSED else ""
            tell(f"Go on with: r3con resume {run_words(project, run.id)}{higher}")
    return _code({run.state for run in runs})


def _code(states: set[RunState]) -> int:
    if RunState.FAILED in states:
        return FAILED
    if states & {RunState.STOPPED, RunState.INTERRUPTED, RunState.QUEUED}:
        return INTERRUPTED
    return PAUSED if RunState.PAUSED in states else OK


def row_of(one: Result) -> dict[str, Any]:
    """A method in a line of the table; costs are as if it had been run alone."""
    return {
        "method": one.method.id,
        "state": one.run.state.value,
        "calls": one.calls,
        "tokens sent": one.tokens.prompt,
        "tokens written": one.tokens.output,
        "cost": money_text(one.cost.amount) if one.cost else "",
        "currency": one.cost.currency if one.cost else "",
        "seconds": round(one.seconds, 1),
        "run": one.run.id,
    }


def _write(out: Path, question: str, results: Sequence[Result]) -> None:
    """comparison.csv with the figures; comparison.json with answers and all that was built."""
    told = {"question": question, "methods": [_all_of(one) for one in results]}
    text = json.dumps(told, ensure_ascii=False, indent=1)
    try:
        out.mkdir(parents=True, exist_ok=True)
        (out / "comparison.csv").write_bytes(to_csv([row_of(one) for one in results]))
        (out / "comparison.json").write_text(text, "utf-8", "backslashreplace")
    except OSError as error:
        raise StoreError(f"{out} cannot be written: {error.strerror}. The runs are kept in the project.") from error
    tell(f"Figures, answers and what was built are in {out}")


def _all_of(one: Result) -> dict[str, Any]:
    return {
        **row_of(one),
        "name": one.method.name,
        "paper": one.method.paper,
        "options": dict(one.run.settings.options),
        "answer": one.answer.text if one.answer else "",
        "fault": one.fault,
        "verdict": asdict(one.verdict) if one.verdict else None,
        "built": [asdict(built) for built in one.trace],
    }
