"""What the rows of the table share: the setting, one printed line, and one run measured on a simulator."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path

from calls.documents import texts_of
from calls.ours import WORKERS, Ran, choices, run_all
from calls.peer import ROUNDS, Peer, PeerRan
from calls.servers import simulator
from r3con_core.exchange import Stage
from r3con_core.store.project import Project

Flags = Mapping[str, float]
MB = 1_000_000
FAST: Flags = {"prefill": 5_000_000, "cache-tokens": 50_000_000}
"""Prompt work takes next to no time and nothing is forgotten: what is shared is all that counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the table."""

    row: int
    measure: str
    peer: float | None = None
    peer_said: str = ""
    """Instead of a figure, or beside it."""
    ours: float | None = None
    ours_said: str = ""
    demanded: str = ""
    passed: bool | None = None
    """None where nothing is demanded."""

    @property
    def ratio(self) -> float | None:
        """Ours over theirs."""
        return self.ours / self.peer if self.peer and self.ours is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One run of either side, and how the simulator counted it."""

    stats: Mapping[str, float]
    ran: Ran | PeerRan

    @property
    def uncached(self) -> float:
        """Prompt tokens that no earlier prompt shared as a prefix."""
        return self.stats["uncached"]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What the rows are measured with; runs that several rows need are made once."""

    simulator: Path
    peer: Peer | None
    kept: dict[object, Measured] = field(default_factory=dict)

    def ours(self, name: str, make: Callable[[Path], Project], question: str, flags: Flags) -> Measured:
        """Our run over the documents that `make` gives."""
        return self._once(("ours", name), make, flags, lambda p, url: run_all(p, question, choices(url)))

    def theirs(self, name: str, make: Callable[[Path], Project], question: str, flags: Flags) -> Measured | None:
        """Theirs over the same documents; None without their package."""
        peer = self.peer
        if peer is None:
            return None
        return self._once(("theirs", name), make, flags, lambda p, url: peer.run(question, texts_of(p), url))

    def _once(
        self,
        key: object,
        make: Callable[[Path], Project],
        flags: Flags,
        run: Callable[[Project, str], Ran | PeerRan],
    ) -> Measured:
        if key not in self.kept:
            with scratch() as folder, simulator(self.simulator, flags) as server:
                ran = run(make(folder / "project"), server.url)
                self.kept[key] = Measured(stats=server.stats(), ran=ran)
        return self.kept[key]


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder for as long as it is needed."""
    with tempfile.TemporaryDirectory(prefix="r3con-bench-") as folder:
        yield Path(folder)


def how_it_went(ran: Ran | PeerRan) -> str:
    """In words, where it did not end as it should; else ""."""
    if isinstance(ran, PeerRan):
        return f"ended early: {ran.error}" if ran.error else ""
    said = "" if ran.answered else f"{ran.state.value}: {ran.error}"
    return f"{said} {ran.unread} readings without a result".strip() if ran.unread else said


def our_ideal(ran: Ran, flags: Flags) -> float:
    """Seconds: one latency for each call that stands alone, and for each wave of as many calls as there are slots."""
    total = 0.0
    for stage in ran.stages:
        once = _latency(flags, stage.usage.output / max(1, stage.calls - stage.reused))
        if stage.stage is Stage.RELEVANCE:
            total += once * ROUNDS * ceil(stage.calls / ROUNDS / WORKERS)
        elif stage.stage is Stage.PARSING:
            total += once * ceil(stage.calls / WORKERS)
        else:
            total += once * stage.calls
    return total


def their_ideal(stats: Mapping[str, float], documents: int, flags: Flags) -> float:
    """The same for them: two rounds and the parsing in waves, all other calls alone."""
    alone = stats["calls"] - (ROUNDS + 1) * documents
    waves = (ROUNDS + 1) * ceil(documents / WORKERS)
    return (waves + alone) * _latency(flags, stats["completion"] / max(1, stats["calls"]))


def _latency(flags: Flags, tokens: float) -> float:
    return flags.get("latency", 0.05) + tokens / flags.get("decode", 2000)
