"""How far a run is, in figures, as every screen and the command line show it."""

from dataclasses import dataclass

from r3con_core.exchange import Usage
from r3con_core.overlay import steering_now
from r3con_core.runs import Run
from r3con_core.steering import Steering
from r3con_core.store.calls import StageUsage, usage_by_stage
from r3con_core.store.project import Project
from r3con_core.store.records import count_parsed
from r3con_core.store.runs import latest_seq, load_run, note_of
from r3con_core.store.snippets import RoundCounts, count_rounds


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundProgress:
    """One round of relevance: how many documents it has, by what came of them."""

    number: int
    """From 1."""
    said: int
    """Documents with a snippet that says something."""
    silent: int
    """Read, with nothing to say on the task."""
    failed: int
    documents: int
    """In the run, but for those that were taken out before."""

    @property
    def done(self) -> int:
        """Documents this round is through with."""
        return self.said + self.silent + self.failed


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a run stands."""

    run: Run
    note: str
    """What its worker does just now, perhaps empty."""
    seq: int
    """Grows with every change."""
    rounds: tuple[RoundProgress, ...]
    """All that the settings and people ask for, those to come with nothing done."""
    parsed: int
    """Documents parsed into records."""
    stages: tuple[StageUsage, ...]

    @property
    def rounds_done(self) -> int:
        """The newest round in which something came of every document; 0 before there is one."""
        return max((found.number for found in self.rounds if found.done >= found.documents), default=0)

    @property
    def calls(self) -> int:
        """Answered so far, kept replies included."""
        return sum(stage.calls for stage in self.stages)

    @property
    def reused(self) -> int:
        """Of the calls, those answered from the log."""
        return sum(stage.reused for stage in self.stages)

    @property
    def usage(self) -> Usage:
        """Tokens of the calls that were asked."""
        return sum((stage.usage for stage in self.stages), Usage())


def progress_of(project: Project, run_id: str) -> Progress:
    """Where the run stands now, by counts alone: it is asked for every moment."""
    run = load_run(project, run_id)
    steering = steering_now(project, run)
    counts = count_rounds(project, run_id, steering.exclusions)
    return Progress(
        run=run,
        note=note_of(project, run_id),
        seq=latest_seq(project, run_id),
        rounds=tuple(
            _round_progress(run, steering, number, counts.get(number, RoundCounts()))
            for number in range(1, steering.rounds + 1)
        ),
        parsed=count_parsed(project, run_id),
        stages=usage_by_stage(project, run_id),
    )


def _round_progress(run: Run, steering: Steering, number: int, counts: RoundCounts) -> RoundProgress:
    return RoundProgress(
        number=number,
        said=counts.said,
        silent=counts.silent,
        failed=counts.failed,
        documents=len(run.document_ids) - sum(after < number for after in steering.exclusions.values()),
    )
