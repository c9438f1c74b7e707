"""One passage through all stages with fixed settings, and the states it goes through."""

from dataclasses import dataclass, replace
from enum import StrEnum

from r3con_core.answers import Mode
from r3con_core.errors import R3ConError
from r3con_core.tasks import Task

MAX_ROUNDS = 5
DEFAULT_ROUNDS = 2
"""Paper section 5.4; three rounds cost more without a consistent gain (section D.2.5)."""
SMALLEST_WINDOW = 2048
"""Tokens; below it the instructions leave no room for a document."""


R3CON = "r3con"
"""Id of the method that this product is about."""
PROMPTS = "v3"
"""The version of the prompts; a run that an older one began goes on with this one."""


class Guidance(StrEnum):
    """What a reader of one document is told."""

    TASK = "task"
    """The task, as the paper has it, and what to look for."""
    FOCUS = "focus"
    """Only what to look for: models of a few billion parameters answer the task instead of reading for it."""


class Layout(StrEnum):
    """In which order a prompt's parts stand; what they are is the same in each."""

    SHARED = "shared"
    """So that calls share the longest prefixes, which servers with a prefix cache read once."""
    PAPER = "paper"
    """As the paper has it: instructions, the other documents' snippets in corpus order, the document."""


_UNREACHED = 2**63
"""Tokens: more than the store can count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """What a run may use before it pauses; None: no limit."""

    money: float | None = None
    """In `currency`."""
    currency: str = "USD"
    tokens: int | None = None
    """Sent and written together."""

    def __post_init__(self) -> None:
        for limit in (self.money, self.tokens):
            if limit is not None and not 0 < limit < float("inf"):
                raise R3ConError(f"A limit on what a run may use must be above zero, not {limit:,}.")
        if self.tokens is not None and self.tokens >= _UNREACHED:
            raise R3ConError(f"A limit of {self.tokens:,} tokens is none. Leave it out instead.")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """What shapes a run's output, and nothing else; transport is elsewhere."""

    model: str
    """Reads the documents: snippets and records."""
    reasoning_model: str = ""
    """Proposes the schema and reasons; empty: the same model."""
    rounds: int = DEFAULT_ROUNDS
    mode: Mode = Mode.CODING
    window: int = 8192
    """Context window in tokens; longer documents are read in parts."""
    reasoning_window: int = 0
    """The reasoning model's; 0: the same."""
    guidance: Guidance = Guidance.TASK
    snippet_tokens: int = 110
    """Room for one snippet; the paper's relevant context is about 1 % of the corpus (section D.2.1)."""
    max_steps: int = 8
    layout: Layout = Layout.SHARED
    prompts: str = PROMPTS
    relevance: bool = True
    """False: no rounds; the schema and the records are made without relevant context (an ablation)."""
    structure: bool = True
    """False: no schema and no records; reasoning gets the relevant context alone (an ablation)."""
    seal: str = ""
    """Secret of the project: nobody who writes documents can tell the marks that stand around them in prompts."""
    repeat: int = 0
    """Which repeat of the same run this is; replies kept for one are not given to another."""
    method: str = R3CON
    """Id of the method that answers; all but R3Con are there to be compared with it (`methods`)."""
    options: tuple[tuple[str, float], ...] = ()
    """Settings of another method, by name, as they were scaled to the corpus when the run was made."""
    embedding: str = ""
    """Name of the model that makes vectors of texts, for methods that want them; empty: the one on this computer."""

    def option(self, name: str) -> float:
        """One of `options`; KeyError where the method has none of that name."""
        return dict(self.options)[name]

    @property
    def rounds_read(self) -> int:
        """Rounds of relevance; 0 where that stage is left out."""
        return self.rounds if self.relevance else 0

    @property
    def small_reader(self) -> bool:
        """The reading model is a small one and gets the help that those need."""
        return self.guidance == Guidance.FOCUS

    @property
    def small_reasoner(self) -> bool:
        """So is the one that proposes the schema and reasons."""
        return self.small_reader and not self.reasoning_model

    def __post_init__(self) -> None:
        if not 1 <= self.rounds <= MAX_ROUNDS:
            raise R3ConError(f"The number of rounds must be from 1 to {MAX_ROUNDS}, not {self.rounds}.")
        for window in (self.window, self.reasoning_window or self.window):
            if window < SMALLEST_WINDOW:
                raise R3ConError(f"A context window of {window} tokens is too small; {SMALLEST_WINDOW} is the least.")


class RunState(StrEnum):
    """Where a run stands."""

    QUEUED = "queued"
    RELEVANCE = "reading the documents"
    SCHEMA = "proposing a schema"
    BETWEEN = "waiting for you between two rounds"
    WAITING = "waiting for you to accept the schema"
    PARSING = "parsing the documents into records"
    BUILDING = "building what it answers from"
    """Of other methods than R3Con."""
    REASONING = "reasoning"
    DONE = "done"
    PAUSED = "paused at your limit"
    STOPPED = "stopped"
    FAILED = "failed"
    INTERRUPTED = "interrupted"

    @property
    def active(self) -> bool:
        """A worker is, or should be, at work."""
        return self in _ACTIVE


_ACTIVE = frozenset(
    {
        RunState.QUEUED,
        RunState.RELEVANCE,
        RunState.SCHEMA,
        RunState.PARSING,
        RunState.BUILDING,
        RunState.REASONING,
    }
)
_ENDS = frozenset({RunState.PAUSED, RunState.STOPPED, RunState.FAILED, RunState.INTERRUPTED})
TRANSITIONS: dict[RunState, frozenset[RunState]] = {
    RunState.QUEUED: (_ACTIVE - {RunState.QUEUED}) | _ENDS,
    RunState.RELEVANCE: frozenset({RunState.BETWEEN, RunState.SCHEMA, RunState.REASONING}) | _ENDS,
    RunState.BETWEEN: frozenset({RunState.QUEUED, RunState.STOPPED}),
    RunState.SCHEMA: frozenset({RunState.WAITING, RunState.PARSING}) | _ENDS,
    RunState.WAITING: frozenset({RunState.QUEUED, RunState.STOPPED}),
    RunState.PARSING: frozenset({RunState.REASONING}) | _ENDS,
    RunState.BUILDING: frozenset({RunState.REASONING, RunState.DONE}) | _ENDS,
    RunState.REASONING: frozenset({RunState.DONE}) | _ENDS,
    RunState.DONE: frozenset({RunState.QUEUED}),
    RunState.PAUSED: frozenset({RunState.QUEUED, RunState.STOPPED}),
    RunState.STOPPED: frozenset({RunState.QUEUED}),
    RunState.FAILED: frozenset({RunState.QUEUED}),
    RunState.INTERRUPTED: frozenset({RunState.QUEUED}),
}
"""From each state, the states that may follow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run as the store keeps it."""

    id: str
    task: Task
    document_ids: tuple[str, ...]
    """In corpus order, fixed when the run was made."""
    settings: RunSettings
    straight_through: bool
    """Parse with the proposed schema without waiting for a person."""
    state: RunState
    created: str
    """UTC, ISO 8601."""
    error: str = ""
    """Why it failed or was interrupted, in a plain sentence."""
    host: str = ""
    """Where its text is sent."""
    between_rounds: bool = False
    """Wait for a person after every round but the last."""
    parent: str = ""
    """The run it began from; empty when it began from the documents."""
    relation: str = ""
    """What it is to its parent, in a word or two, such as "second reading"; empty without one."""
    walls: str = ""
    """What enclosed its code (`sandbox.meaning_of` says more); empty before any was run and for older runs."""

    @property
    def current_settings(self) -> RunSettings:
        """As its next prompts are made: with the prompts of this version, and a seal where it was made without one."""
        return replace(self.settings, prompts=PROMPTS, seal=self.settings.seal or self.id)
