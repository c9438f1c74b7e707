"""`r3con evaluate`: the paper's evaluation over sample corpora and benchmarks in local files."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from r3con_core.caps import caps_text, in_currency
from r3con_core.cli.carrying import carry_here
from r3con_core.cli.choosing import choose_embedding, choose_model, keys_for, read_key, with_window
from r3con_core.cli.commands import FAILED, INTERRUPTED, OK, PAUSED
from r3con_core.cli.comparing import LEAVES, read_methods
from r3con_core.cli.consenting import refusal
from r3con_core.cli.screen import say, tell, tell_line
from r3con_core.cli.telling import price_text
from r3con_core.errors import CorpusError
from r3con_core.evaluation.carrying import RESULTS, Carry, Evaluation, Outcome, evaluate, ways_of
from r3con_core.evaluation.corpusqa import read_corpusqa
from r3con_core.evaluation.loong import read_loong
from r3con_core.evaluation.pricing import Part, Price, add_costs, price_of
from r3con_core.evaluation.samples import read_sample
from r3con_core.evaluation.summing_up import summary, write_summary
from r3con_core.evaluation.tasks import EvaluationTask, Malformed, only
from r3con_core.experiments import which
from r3con_core.figures import count_of, total
from r3con_core.home import home_folder, user
from r3con_core.jobs import ModelChoice, RunChoices, addresses_of, check_models, rates_now
from r3con_core.methods import method_of
from r3con_core.methods.seam import Needs
from r3con_core.opening import Serve, Servers
from r3con_core.preflight import allow_hosts, preflight, sentences
from r3con_core.runs import Caps, Run
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run

_JSONL, _ZIP = "loong.jsonl", "doc.zip"


def run(options: argparse.Namespace) -> int:
    """Say what all of it would take, ask for consent, run and judge every method on every task, make the tables."""
    if options.limit is not None and options.limit < 1:
        raise CorpusError("--limit takes a number of tasks, from 1.")
    read_tasks(options.what, options.path)
    evaluation = _evaluation(options)
    asked = tuple(filter(None, (*_models_of(evaluation), evaluation.judge)))
    keys = keys_for(addresses_of(*asked), read_key(options.key_env), ask=not options.yes)
    evaluation = _with_windows(evaluation, options, keys)
    tell("Counting the documents of the tasks; nothing is sent yet.")
    price = price_of(_tasks(options), evaluation, asked)
    refused = _consent(price, evaluation, yes=options.yes)
    if refused is not None:
        return refused
    with Servers() as servers:
        carry = _carrying(asked, keys, servers.serve)
        return _finish(evaluation, evaluate(_tasks(options), evaluation, carry, tell_line))


def _tasks(options: argparse.Namespace) -> Iterator[EvaluationTask | Malformed]:
    """From the first one, each time."""
    return iter(only(read_tasks(options.what, options.path), options.limit))


def _evaluation(options: argparse.Namespace) -> Evaluation:
    """What the options choose; R3ConError where it could not be."""
    methods, models, judge = read_methods(options.methods), _models(options), _judge(options)
    embedding, home = choose_embedding(options), home_folder()
    for choice in (*models, *([judge] if judge else [])):
        choices = RunChoices(reading=choice, embedding=embedding)
        choices.settings()
        check_models(choices, home)
    if options.max_cost is not None:
        for model in models:
            in_currency(Caps(money=options.max_cost), rates_now(model, judge, home, embedding))
    return Evaluation(
        folder=Path(options.out).expanduser(),
        home=home,
        ways=ways_of(methods, models, embedding),
        judge=judge,
        most=options.max_cost,
    )


def _models_of(given: Evaluation) -> tuple[ModelChoice, ...]:
    """Those that read, and those that make vectors on a server."""
    vectors = (way.embedding for way in given.ways if way.embedding is not None and way.vectors_by)
    return tuple(dict.fromkeys([*(way.model for way in given.ways), *vectors]))


def _with_windows(given: Evaluation, options: argparse.Namespace, keys: Mapping[str, str]) -> Evaluation:
    """With the windows that the models' endpoints state."""

    def stated(choice: ModelChoice) -> ModelChoice:
        found, said = with_window(choice, home_folder(), keys)
        tell(said)
        RunChoices(reading=found).settings()
        return found

    judges = [given.judge] if given.judge else []
    models = [] if options.window is not None else [way.model for way in given.ways]
    found = {choice: stated(choice) for choice in dict.fromkeys((*judges, *models))}
    ways = tuple(replace(way, model=found[way.model] if models else way.model) for way in given.ways)
    return replace(given, judge=found[given.judge] if given.judge else None, ways=ways)


def _consent(price: Price, given: Evaluation, *, yes: bool) -> int | None:
    """Say what all of it takes and where text goes; None to go on, else the exit code. CorpusError without a task."""
    if not price.tasks and not price.done:
        for row in price.malformed:
            tell_line(f"Line {row.line} is left out: {row.why}.")
        raise CorpusError("There is no task in it that could be asked.")
    for line in _price_lines(price):
        tell_line(line)
    if not price.tasks:
        return None
    if given.most is not None:
        rates = rates_now(given.ways[0].model, given.judge, given.home, given.ways[0].embedding)
        limit = caps_text(in_currency(Caps(money=given.most), rates))
        tell(f"Limit of all of it, with what was spent before: {limit}; it ends there and can go on.")
    for sentence in sentences(price.told) if price.told else ():
        tell(sentence)
    run = [part.name for part in price.parts if part.calls.high and part.name != "judge"]
    if any(Needs.PROGRAM in method_of(name).needs for name in run):
        tell(LEAVES)
    return refusal("Start?", yes=yes)


def _price_lines(price: Price) -> Iterator[str]:
    if price.done:
        there = "result is there already and is" if price.done == 1 else "results are there already and are"
        yield f"{price.done:,} {there} not made again."
    if price.malformed:
        yield f"{_rows(len(price.malformed))} malformed and will be left out."
    if price.counted < price.tasks:
        yield (
            f"Estimated from {price.counted:,} of the {price.tasks:,} tasks, evenly spread over them; the others are "
            "taken to be like these."
        )
    for part in price.parts:
        yield _part_line(part)
    if len(price.parts) > 1:
        parts = price.parts
        seconds = [part.seconds for part in parts if part.seconds is not None]
        calls, prompt = total([part.calls for part in parts]), total([part.prompt for part in parts])
        time = total(seconds) if len(seconds) == len(parts) else None
        yield f"All of it: {price_text(calls, prompt, add_costs([part.cost for part in parts]), time)}"


def _rows(number: int) -> str:
    return "1 row is" if number == 1 else f"{number:,} rows are"


def _part_line(part: Part) -> str:
    noun = "answer" if part.name == "judge" else "task"
    what = f"{part.name} ({part.model}), {count_of(part.tasks, noun)}"
    if not part.why_not:
        return f"{what}: {price_text(part.calls, part.prompt, part.cost, part.seconds)}"
    if not part.calls.high:
        return f"{what}: not possible. {part.why_not}"
    taken = price_text(part.calls, part.prompt, part.cost, part.seconds)
    return f"{what}: {taken}. Not possible for {part.unable:,} of those that were counted: {part.why_not}"


def _carrying(asked: Sequence[ModelChoice], keys: Mapping[str, str], serve: Serve) -> Carry:
    """Carries runs in this process, and writes down in their projects where a person has allowed text to go."""

    def carry(project: Project, run_id: str) -> None:
        allow_hosts(project, preflight(project, asked).to_allow, author=user())
        tell_line(f"{project.name} · {_what(load_run(project, run_id))}")
        carry_here(project, run_id, keys, serve)

    return carry


def _what(run: Run) -> str:
    method = which(run.settings)
    return f"{method.name if method else 'Judging'}, {run.settings.model} (run {run.id})"


def _finish(given: Evaluation, outcome: Outcome) -> int:
    written = write_summary(given.folder, outcome.lines)
    say(summary(outcome.lines))
    tell(f"Results: {given.folder / RESULTS}. Tables and plot: {', '.join(one.name for one in written)}.")
    if outcome.malformed:
        tell(f"{_rows(len(outcome.malformed))} malformed and left out; each is named above.")
    if outcome.unfinished:
        tell(outcome.unfinished)
        return INTERRUPTED if outcome.stopped else PAUSED
    return FAILED if any(line.fault for line in outcome.lines) else OK


def read_tasks(what: str, path: str | None) -> Iterator[EvaluationTask | Malformed]:
    """The tasks that the command line names; CorpusError where a path is missing, or nothing is there."""
    place = Path(path).expanduser() if path else None
    if place is not None and not place.exists():
        raise CorpusError(f"There is no file or folder {str(place)!r}. Check its spelling.")
    if what not in ("corpusqa", "loong"):
        return iter(read_sample(what, place))
    if place is None:
        raise CorpusError(f"Give the path of the published {what} files: they do not come with this product.")
    if what == "corpusqa":
        return read_corpusqa(place)
    folder = place if place.is_dir() else place.parent
    return read_loong(folder / _JSONL if place.is_dir() else place, folder / _ZIP)


def _models(options: argparse.Namespace) -> tuple[ModelChoice, ...]:
    names: Sequence[str | None] = options.model or [None]
    return tuple(
        choose_model(
            argparse.Namespace(model=name, base_url=options.base_url, window=options.window, workers=options.workers)
        )
        for name in dict.fromkeys(names)
    )


def _judge(options: argparse.Namespace) -> ModelChoice | None:
    """None where answers are not to be judged."""
    if not options.judge_model:
        return None
    address = options.judge_base_url or options.base_url
    return choose_model(argparse.Namespace(model=options.judge_model, base_url=address))
