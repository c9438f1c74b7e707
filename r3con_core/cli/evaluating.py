"""`r3con evaluate`: the paper's evaluation over sample corpora and benchmarks in local files."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from r3con_core.cli.carrying import carry_here
from r3con_core.cli.choosing import choose_model, keys_for, read_key, with_window
from r3con_core.cli.commands import FAILED, OK, PAUSED, USAGE
from r3con_core.cli.screen import confirm, say, tell, tell_line
from r3con_core.errors import CorpusError
from r3con_core.evaluation.carrying import RESULTS, Carry, Evaluation, Outcome, evaluate, ways_of
from r3con_core.evaluation.corpusqa import read_corpusqa
from r3con_core.evaluation.loong import read_loong
from r3con_core.evaluation.samples import read_sample
from r3con_core.evaluation.summing_up import summary, write_summary
from r3con_core.evaluation.tasks import EvaluationTask, Malformed, only
from r3con_core.home import home_folder, user
from r3con_core.jobs import ModelChoice, RunChoices, addresses_of, check_models
from r3con_core.methods import METHODS
from r3con_core.preflight import allow_hosts, allowed_hosts
from r3con_core.store.project import Project

_JSONL, _ZIP = "loong.jsonl", "doc.zip"


def run(options: argparse.Namespace) -> int:
    """Run and judge every method on every task; tables on standard output, all results in the folder --out."""
    if options.limit is not None and options.limit < 1:
        raise CorpusError("--limit takes a number of tasks, from 1.")
    tasks = only(read_tasks(options.what, options.path), options.limit)
    methods, models, judge = _methods(options.methods), _models(options), _judge(options)
    asked = (*models, *([judge] if judge else []))
    for choice in asked:
        check_models(RunChoices(reading=choice), home_folder())
    given = read_key(options.key_env)
    if not _may_send(asked, yes=options.yes):
        return USAGE
    keys = keys_for(addresses_of(*asked), given, ask=not options.yes)
    if options.window is None:
        models = tuple(_with_window(choice, keys) for choice in models)
    evaluation = Evaluation(
        folder=Path(options.out).expanduser(),
        home=home_folder(),
        ways=ways_of(methods, models, None),
        judge=_with_window(judge, keys) if judge else None,
        most=options.max_cost,
    )
    return _finish(evaluation, evaluate(tasks, evaluation, _carrying(asked, keys), tell_line))


def _with_window(choice: ModelChoice, keys: Mapping[str, str]) -> ModelChoice:
    found, said = with_window(choice, home_folder(), keys)
    tell(said)
    return found


def _carrying(asked: Sequence[ModelChoice], keys: Mapping[str, str]) -> Carry:
    """Carries runs in this process, and writes down in their projects where a person has allowed text to go."""
    hosts = {choice.host for choice in asked} - {"this computer"}

    def carry(project: Project, run_id: str) -> None:
        allow_hosts(project, sorted(hosts - allowed_hosts(project)), author=user())
        carry_here(project, run_id, keys)

    return carry


def _finish(given: Evaluation, outcome: Outcome) -> int:
    written = write_summary(given.folder, outcome.lines)
    say(summary(outcome.lines))
    tell(f"Results: {given.folder / RESULTS}. Tables and plot: {', '.join(one.name for one in written)}.")
    if outcome.malformed:
        tell(f"{len(outcome.malformed):,} rows were malformed and left out; each is named above.")
    if outcome.unfinished:
        tell(outcome.unfinished)
        return PAUSED
    return FAILED if any(line.fault for line in outcome.lines) else OK


def read_tasks(what: str, path: str | None) -> Iterator[EvaluationTask | Malformed]:
    """The tasks that the command line names; CorpusError where a path is missing."""
    place = Path(path).expanduser() if path else None
    if what not in ("corpusqa", "loong"):
        return iter(read_sample(what, place))
    if place is None:
        raise CorpusError(f"Give the path of the published {what} files: they do not come with this product.")
    if what == "corpusqa":
        return read_corpusqa(place)
    folder = place if place.is_dir() else place.parent
    return read_loong(folder / _JSONL if place.is_dir() else place, folder / _ZIP)


def _methods(named: str) -> tuple[str, ...]:
    known = {method.id for method in METHODS}
    chosen = tuple(dict.fromkeys(one.strip() for one in named.split(",") if one.strip()))
    if named.strip() == "all":
        return tuple(method.id for method in METHODS)
    unknown = [repr(one) for one in chosen if one not in known]
    if unknown or not chosen:
        raise CorpusError(
            f"There is no method {', '.join(unknown) or repr(named)}. Choose of: all, {', '.join(sorted(known))}."
        )
    return chosen


def _models(options: argparse.Namespace) -> tuple[ModelChoice, ...]:
    names: Sequence[str | None] = options.model or [None]
    return tuple(
        choose_model(
            argparse.Namespace(model=name, base_url=options.base_url, window=options.window, workers=options.workers)
        )
        for name in names
    )


def _judge(options: argparse.Namespace) -> ModelChoice | None:
    """None where answers are not to be judged."""
    if not options.judge_model:
        return None
    address = options.judge_base_url or options.base_url
    return choose_model(argparse.Namespace(model=options.judge_model, base_url=address))


def _may_send(choices: Sequence[ModelChoice], *, yes: bool) -> bool:
    """Whether a person agrees to what is sent and where; without asking where all stays on this computer."""
    away = tuple(dict.fromkeys(choice.host for choice in choices if choice.host != "this computer"))
    if yes or not away:
        return True
    tell(f"Documents, questions and answers are sent to {', '.join(away)}.")
    if confirm("Start?"):
        return True
    tell("Nothing was sent. Add --yes to start without being asked.")
    return False
