"""What every method is given, and what it gives: the one seam through which all of them are run, priced and looked at.

A method is a function from a `Brief` (task, corpus, settings, mark) and `Tools` (models, embeddings, sandbox) to an
`Answer`. What it builds on the way it tells to `tools.watch.built`, as it comes. All that it asks goes through
`tools.models`, as prompts: so resuming, caps, costs and the log of calls are the same for all.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Protocol

from r3con_core.answers import Answer
from r3con_core.embedding import Embed, WordVectors
from r3con_core.exchange import Ask
from r3con_core.figures import StageEstimate
from r3con_core.method.brief import Brief
from r3con_core.runs import RunSettings
from r3con_core.sandbox import Answering, Limits, Sandbox, open_sandbox
from r3con_core.stages import Models, Watch


class Met(Enum):
    """Whether a method satisfies a principle (paper table 4)."""

    YES = "yes"
    LIMITED = "limited"
    NO = "no"
    NOT_APPLICABLE = "n/a"


@dataclass(frozen=True, slots=True, kw_only=True)
class Principles:
    """Which of the paper's principles (section 3.2) the building of a representation satisfies, and why."""

    task_specific: Met
    enactive: Met
    flexible: Met
    why: str
    """In two or three plain sentences (sections 6.5 and C.2)."""


class Needs(StrEnum):
    """What a method cannot do without, beside a model."""

    EMBEDDING = "vectors of texts"
    CODE = "a sandbox for generated code"
    CLUSTERING = "scikit-learn"
    PROGRAM = "a program of its own"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One number that shapes what a method does, scaled to the corpus."""

    name: str
    """An identifier, as in `RunSettings.options`."""
    label: str
    """For the screen, with its unit: "Tokens of a leaf"."""
    value: float
    """What the R3Con paper used (appendix C), scaled to this corpus and window."""
    least: float
    most: float
    says: str
    """What it does, and what the paper had, in a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How large the work is: all that settings and prices are made from."""

    documents: tuple[int, ...]
    """Length of each document in tokens, as `estimate_tokens` counts them, in corpus order."""
    window: int
    """Tokens that the model takes in at once."""
    task: int = 40
    """Tokens of the task."""

    @property
    def tokens(self) -> int:
        """Of all documents."""
        return sum(self.documents)


class OpenAsking(Protocol):
    """How a sandbox is opened whose code may ask a model, as `sandbox.open_sandbox`."""

    def __call__(
        self, variables: Mapping[str, object], limits: Limits | None = None, answering: Answering | None = None
    ) -> AbstractContextManager[Sandbox]:
        """A session with these variables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What a method works with."""

    models: Models
    """`reading` for what is built of documents, `reasoning` for what leads to the answer."""
    embed: Embed = field(default_factory=WordVectors)
    sandbox: OpenAsking = open_sandbox
    watch: Watch = Watch()
    keep: Callable[[str, str, Ask], Ask] = lambda _model, _host, ask: ask
    """Of a program that a method asks instead of the run's models: its name, where it sends to, and how it is asked. What
    it says is kept in the log of calls, and what is sent is written down."""
    check: Callable[[], None] = lambda: None
    """For methods that wait for a program: raises once the run is stopped or has used what it may."""


Run = Callable[[Brief, Tools], Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One way to answer a task over documents."""

    id: str
    """A short identifier that is kept with runs and never changed."""
    name: str
    """As its paper has it."""
    family: str
    """What it is compared as: "R3Con", "Context", "Graphs", "Retrieval", "Memory", "Structures", "Agents"."""
    says: str
    """How it works, in one or two plain sentences."""
    paper: str
    """Where it is described: authors, title, where, year, number."""
    deviations: tuple[str, ...]
    """Where ours differs from its paper, or from how the R3Con paper ran it, one sentence each."""
    principles: Principles
    run: Run
    settings: Callable[[Size], tuple[Setting, ...]] = lambda _: ()
    """Scaled to the work."""
    plan: "Plan | None"
    """What it will ask. None: of R3Con, which `estimates` knows stage by stage."""
    why_not: Callable[[Size], str] = lambda _: ""
    """Why it cannot do work of this size, in a sentence that says what to do; empty where it can."""
    needs: frozenset[Needs] = frozenset()
    sends_to: str = ""
    """Where a program of its own sends what it reads; empty: to the run's models alone."""
    adapt: Callable[[RunSettings], RunSettings] = lambda settings: settings
    """For ways of running R3Con: what it changes of a run's settings."""


Options = Mapping[str, float]
Plan = Callable[[Size, Options], Sequence[StageEstimate]]
"""What a method asks for work of that size, stage by stage, with bounds; embeddings too."""


def options_of(settings: Sequence[Setting], chosen: Options | None = None) -> tuple[tuple[str, float], ...]:
    """`settings` as a run keeps them, with what a person chose instead, held within the bounds."""
    chosen = chosen or {}
    return tuple((one.name, min(max(chosen.get(one.name, one.value), one.least), one.most)) for one in settings)
