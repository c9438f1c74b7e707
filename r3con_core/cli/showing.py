"""`r3con runs`, `show` and `changes`."""

import argparse
from collections.abc import Callable

from r3con_core.caps import caps_text
from r3con_core.cli.carrying import stage_text
from r3con_core.cli.choosing import higher_limits
from r3con_core.cli.commands import OK, PARTS
from r3con_core.cli.places import all_runs, find_projects, find_run, run_words
from r3con_core.cli.screen import one_line, say, say_line
from r3con_core.cli.telling import (
    answer_text,
    built_text,
    calls_text,
    cost_text,
    forecast_text,
    outline_text,
    records_text,
    run_line,
    snippets_text,
)
from r3con_core.costs import cost_so_far, forecast
from r3con_core.exports import RunContents, load_contents
from r3con_core.exports.changed import change_lines, in_one_line
from r3con_core.exports.other_methods import is_other, method_name
from r3con_core.exports.sent import total_text
from r3con_core.progress import progress_of
from r3con_core.runs import Run, RunState
from r3con_core.store.built import load_built
from r3con_core.store.caps import load_caps
from r3con_core.store.egress import list_sent, totals_by_host
from r3con_core.store.project import Project
from r3con_core.store.schemas import schema_versions


def runs(options: argparse.Namespace) -> int:
    """List all runs."""
    found = all_runs(find_projects(options.folder))
    for project, run in found:
        say(run_line(run, project.name))
    if not found:
        say("There are no runs yet. Begin one with: r3con ask QUESTION PATH")
    return OK


def show(options: argparse.Namespace) -> int:
    """Show one run, or one part of it."""
    project, run = find_run(options.run, options.folder)
    contents = load_contents(project, run.id)
    parts: dict[str, Callable[[], str]] = {
        "state": lambda: _state(project, contents),
        "snippets": lambda: snippets_text(contents),
        "schema": lambda: _schema(project, run),
        "records": lambda: records_text(contents),
        "built": lambda: built_text(contents, load_built(project, run.id)),
        "answer": lambda: answer_text(contents),
        "sent": lambda: _sent(project, run.id),
    }
    if options.only:
        say(parts[options.only]())
        return OK
    for name in _parts_of(run):
        text = parts[name]
        say(f"== {name.capitalize()} ==\n{text()}\n")
    return OK


def _parts_of(run: Run) -> tuple[str, ...]:
    """Those that the method of a run makes."""
    unmade = ("snippets", "schema", "records") if is_other(run.settings) else ("built",)
    return tuple(part for part in PARTS if part not in unmade)


def _state(project: Project, contents: RunContents) -> str:
    run, progress = contents.run, progress_of(project, contents.run.id)
    lines = [
        f"{run.id}: {run.state.value}",
        one_line(f"Question: {run.task.text}"),
        one_line(f"Project: {project.name} ({project.folder})"),
        one_line(f"Model: {run.settings.model}; text goes to: {run.host}"),
        calls_text(progress),
        *_money(project, run),
    ]
    if run.state.active:
        lines += [stage_text(progress), forecast_text(forecast(project, run.id))]
    if run.error:
        higher = higher_limits(project, run.id) if run.state is RunState.PAUSED else ""
        lines.append(f"{one_line(run.error)}\nGo on with: r3con resume {run_words(project, run.id)}{higher}")
    return "\n".join(lines)


def _sent(project: Project, run_id: str) -> str:
    """What went to which host; each request by itself is in: r3con export --format sent."""
    totals = totals_by_host(list_sent(project, run_id))
    return "\n".join(map(total_text, totals)) or "Nothing has been sent yet."


def _money(project: Project, run: Run) -> list[str]:
    """What the run has cost, and what it may use."""
    caps = caps_text(load_caps(project, run.id))
    return [cost_text(cost_so_far(project, run.id)), *([f"Limits: {caps}"] if caps else [])]


def _schema(project: Project, run: Run) -> str:
    if is_other(run.settings):
        return f"{method_name(run.settings)} makes no schema. What it built: --only built"
    if not run.settings.structure:
        return "Structure is left out: there is no schema."
    versions = schema_versions(project, run.id)
    if not versions:
        return "No schema has been proposed yet."
    newest = versions[-1]
    return f"Version {newest.version}, by a {newest.author.value}. {one_line(newest.reason)}\n\n{outline_text(newest.schema)}"


def changes(options: argparse.Namespace) -> int:
    """List what people changed, those changes too that were taken back."""
    project, run = find_run(options.run, options.folder)
    told = change_lines(load_contents(project, run.id))
    for line in told:
        say_line(str(line.number), in_one_line(line))
    if not told:
        say("Nobody has changed anything of this run.")
    return OK
