"""What a run's finished calls say about its model: how it counts, how much it writes, what is cached, how fast it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from r3con_core.documents import estimate_tokens
from r3con_core.estimates.estimate import work_of
from r3con_core.estimates.figures import Calibration
from r3con_core.estimates.fitting import fit_speed, fit_tokens
from r3con_core.estimates.plans import Case, Plan, Work, plan_for
from r3con_core.estimates.usual import Script, untried_for, writing_of
from r3con_core.exchange import Stage
from r3con_core.figures import Figure, figure
from r3con_core.jobs import choices_of
from r3con_core.runs import Run
from r3con_core.store import runs as run_rows
from r3con_core.store.project import Project, now
from r3con_core.store.usage import Tally, document_tokens, snippets_of, tallies, timing

LEAST_CALLS = 5
"""Fewer say nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """One entry of the file."""

    base_url: str
    model: str
    script: Script
    calls: int
    """How many it rests on."""
    learnt: str
    """UTC, ISO 8601: the end of the newest run."""
    usual: float
    """Of the documents it was learnt on: see `Writing`."""
    calibration: Calibration


def learn(project: Project, run_id: str, before: Calibration | None = None) -> Learnt | None:
    """What a run's finished calls say about its reading model; None where they are too few.

    What they leave open stays as it was known `before`, or is as usual.
    """
    run = run_rows.load_run(project, run_id)
    reading, _ = choices_of(project, run_id)
    lines = {(line.stage, line.round): line for line in tallies(project, run_id)}
    calls = sum(line.asked for (stage, _), line in lines.items() if stage in _READING)
    if calls < LEAST_CALLS:
        return None
    writing = writing_of(project)
    usual = before or untried_for(reading, writing)
    return Learnt(
        base_url=reading.base_url,
        model=reading.model,
        script=writing.script,
        calls=calls,
        learnt=now(),
        usual=writing.usual,
        calibration=_calibrate(_Evidence(project=project, run=run, lines=lines), usual),
    )


_READING = (Stage.RELEVANCE, Stage.DIGEST, Stage.PARSING)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Evidence:
    """A run and its calls, by stage and round."""

    project: Project
    run: Run
    lines: Mapping[tuple[Stage, int], Tally]

    def plan(self, case: Case) -> Plan:
        """The run as it would be planned in that case."""
        return plan_for(document_tokens(self.project, self.run.document_ids), self.run.settings, case)

    def pairs(self, case: Case) -> list[tuple[Tally, Work]]:
        """What was asked and what would be planned, of the stages that read documents and are half done at least."""
        return [
            (line, work)
            for work in work_of(self.plan(case))
            if work.stage in _READING
            and work.calls
            and (line := self.lines.get((work.stage, work.round))) is not None
            and line.opened >= max(work.calls / 2, 1)
        ]


_PLAIN = Case(
    ratio=1.0,
    fixed=1.0,
    snippets=1.0,
    replies=1.0,
    records=1.0,
    digests=0.7,
    single_again=0.0,
    read_again=0.0,
    parsed_again=0.0,
    thinking=0.0,
    wordy=1.0,
    turns=1.0,
    cuts=1.0,
)


def _calibrate(seen: _Evidence, known: Calibration) -> Calibration:
    case = replace(_PLAIN, snippets=_snippets(seen) or known.snippets.likely)
    texts, forms = (seen.pairs(replace(case, ratio=text, fixed=1.0 - text)) for text in (1.0, 0.0))
    equations = [
        (form.prompt / form.calls, text.prompt / text.calls, line.opening.prompt / line.opened)
        for (line, text), (_, form) in zip(texts, forms, strict=True)
    ]
    fixed, ratio = fit_tokens(equations, known)
    case = replace(case, fixed=fixed, ratio=ratio)
    pairs = seen.pairs(case)
    thinking = _thinking(pairs, ratio)
    tight = seen.plan(_PLAIN).most < seen.run.settings.snippet_tokens
    return Calibration(
        tokens_per_estimate=_about(ratio, 0.06) if equations else known.tokens_per_estimate,
        tokens_per_instruction=_about(fixed, 0.06) if equations else known.tokens_per_instruction,
        snippets=known.snippets if tight else _about(case.snippets, 0.35),
        replies=known.replies if tight else _written(pairs, Stage.RELEVANCE, thinking) or known.replies,
        records=_written(pairs, Stage.PARSING, thinking, more=1.4) or known.records,
        read_again=_again([line for (stage, _), line in seen.lines.items() if stage is Stage.RELEVANCE])
        or known.read_again,
        parsed_again=_again([line for (stage, _), line in seen.lines.items() if stage is Stage.PARSING])
        or known.parsed_again,
        thinking=_about(thinking, 0.5) if pairs else known.thinking,
        cache_hits=_hits(pairs) or known.cache_hits,
        speed=fit_speed(timing(seen.project, seen.run.id, _READING)) or known.speed,
    )


def _about(number: float, share: float) -> Figure:
    return Figure(low=number * (1 - share), likely=number, high=number * (1 + share))


def _snippets(seen: _Evidence) -> float:
    """Length of the newest snippets for each token that is usual; 0 where there are none."""
    texts = snippets_of(seen.project, seen.run.id)
    plan = seen.plan(_PLAIN)
    usual = sum(plan.snippets[place] for place, each in enumerate(seen.run.document_ids) if each in texts)
    return sum(map(estimate_tokens, texts.values())) / usual if usual else 0.0


def _thinking(pairs: Sequence[tuple[Tally, Work]], ratio: float) -> float:
    """Tokens of a call that are more than the text of its reply accounts for."""
    calls = max(sum(line.opened for line, _ in pairs), 1)
    written = sum(line.opening.output for line, _ in pairs)
    said = sum(line.reply_tokens for line, _ in pairs) * max(ratio, 1.0)
    more = (written - said) / calls
    return more if more > 0.6 * written / calls else 0.0


def _written(pairs: Sequence[tuple[Tally, Work]], stage: Stage, thinking: float, *, more: float = 0.4) -> Figure | None:
    """What it wrote at a stage for each token that is usual there; documents of another length may have `more`."""
    for line, work in pairs:
        if work.stage is stage:
            said = max(line.opening.output / line.opened - thinking, 1.0) * work.calls / work.output
            return Figure(low=said * 0.6, likely=said, high=said * (1 + more))
    return None


def _again(lines: Sequence[Tally]) -> Figure | None:
    """The share asked again, with room for chance and for other documents: three standard errors, and a fifth."""
    first = sum(line.first for line in lines)
    if first < LEAST_CALLS:
        return None
    share = sum(line.again for line in lines) / first
    chance = 3 * (max(share * (1 - min(share, 1)), 0.02) / first) ** 0.5
    return figure(max(0.0, share - chance), share, share + chance + 0.2)


def _hits(pairs: Sequence[tuple[Tally, Work]]) -> Figure | None:
    """Of what prompts share with earlier ones, the part that the server says it had."""
    shared = sum(work.shared * line.opened / work.calls for line, work in pairs)
    if shared < 1000:
        return None
    hit = min(sum(line.opening.cached for line, _ in pairs) / shared, 1.0)
    return figure(max(0.0, hit - 0.1), hit, min(1.0, hit + 0.05))
