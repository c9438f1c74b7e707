"""What the pool is reading or has read: one job for each node, and the members that wait to become jobs."""

from collections import deque
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from r3con_core.readers.content import Content
from r3con_core.readers.finds import Finds, Unfold
from r3con_core.readers.isolation.spool import Spool
from r3con_core.readers.ledger import LedgerLine, Outcome, Progress
from r3con_core.readers.reading import Event, Node, Taken


class Job:
    """The reading of one node, from the moment a process is to be found for it until its finds have been used."""

    def __init__(self, node: Node, stem: Path) -> None:
        """The names of its files begin with `stem`."""
        self.node = node
        self.pack = stem.with_suffix(".pack")
        """What its reader puts the members' bytes in."""
        own, below, self._members = (
            Spool(node, self.pack, stem.with_suffix(suffix)) for suffix in (".own", ".below", ".members")
        )
        self.finds = Finds(node, own=own, below=below)
        self.ended = False
        self.progress: Progress | None = None
        self.starts = 0
        """How often a process was given it."""
        """Members under way: jobs that have not been used."""
        self._stem = stem
        self._written: list[Path] = []
        self._unfold = Unfold(node)
        self._next: deque[Node] = deque()

    def add(self, event: Event) -> None:
        """Keep what was found next."""
        self.finds.add(event)
        if isinstance(event, Progress):
            self.progress = event
        if isinstance(event, Taken):
            self._members.put(event)

    def fail(self, reason: str) -> None:
        """End it: its reader is no more."""
        self.add(LedgerLine(path=self.node.path, outcome=Outcome.NOT_READABLE, reason=reason))
        self.finish()

    def finish(self) -> None:
        """End it: its reader has found everything."""
        self.finds.finish()
        self.ended = True

    def next_member(self) -> Node | None:
        """The next of its members to be read; None when there is none now."""
        if not self.ended and self.finds.waits:
            return None
        while not self._next:
            event = self._members.get()
            if event is None:
                return None
            self._next.extend(node for node in self._unfold(event, self.finds.plan) if isinstance(node, Node))
        return self._next.popleft()

    @cached_property
    def on_disk(self) -> Node:
        """Its node with all its bytes on disk, where a process can read them."""
        companions = tuple((role, self._on_disk(content)) for role, content in self.node.companions)
        return replace(self.node, content=self._on_disk(self.node.content), companions=companions)

    def _on_disk(self, content: Content) -> Content:
        if content.path is not None:
            return content
        path = self._stem.with_suffix(f".given{len(self._written)}")
        path.write_bytes(content.data())
        self._written.append(path)
        return Content.on_disk(path)

    def close(self) -> None:
        """Remove its files."""
        self.finds.close()
        self._members.close()
        for path in (self.pack, *self._written):
            path.unlink(missing_ok=True)
