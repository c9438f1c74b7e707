"""What was found in one file, sorted and kept until its ledger line can be written: when its reader has ended."""

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

from r3con_core.documents import Document
from r3con_core.readers import kinds
from r3con_core.readers.content import Content
from r3con_core.readers.ledger import LedgerLine, Progress, shown_name
from r3con_core.readers.productions import Plan, plan
from r3con_core.readers.reading import Event, Kind, Node, Taken

MAY_BE_PRODUCTIONS = frozenset({kinds.ZIP, kinds.TAR, kinds.GZIP, kinds.BZIP2, kinds.XZ, kinds.SEVEN_ZIP})
"""Containers whose members may make up documents together; they are read once all are taken out."""

Child = Node | Document | LedgerLine
"""What a container gives in turn: something to be read, or what is read or told already."""


class Queue(Protocol):
    """First in, first out."""

    def put(self, event: Event) -> None:
        """Add one."""

    def get(self) -> Event | None:
        """Take the first; None when there is none now."""

    def close(self) -> None:
        """Forget the rest."""


class HeldQueue:
    """One in memory."""

    def __init__(self) -> None:
        self._held: deque[Event] = deque()

    def put(self, event: Event) -> None:
        """Add one."""
        self._held.append(event)

    def get(self) -> Event | None:
        """Take the first; None when there is none."""
        return self._held.popleft() if self._held else None

    def close(self) -> None:
        """Forget the rest."""
        self._held.clear()


class Finds:
    """What was found in the file of one node."""

    def __init__(self, node: Node, *, own: Queue, below: Queue) -> None:
        """`own` is to hold the file's own document, `below` all the rest, in order."""
        self.node = node
        self.kind = node.media_type
        self.faults: list[LedgerLine] = []
        """Lines of the file itself."""
        self.has_own = False
        self.documents = self.files = self.size = 0
        """How many documents but its own, how many members whether taken out or not, and their bytes."""
        self._own, self._below = own, below
        self._members: list[tuple[str, Content]] = []
        self._plan = Plan()

    def add(self, event: Event) -> None:
        """Sort in what was found next."""
        match event:
            case Kind():
                self.kind = event.media_type
            case Progress():
                pass
            case LedgerLine() if event.path == self.node.path:
                self.faults.append(event)
            case Document() if event.source.path == self.node.path and not self.has_own:
                self.has_own = True
                self._own.put(event)
            case _:
                self._count(event)
                self._below.put(event)

    def _count(self, event: Event) -> None:
        self.documents += isinstance(event, Document)
        self.files += not isinstance(event, Document)
        if isinstance(event, Taken):
            self.size += event.content.size
            if self.waits:
                self._members.append((member_path_of(self.node, event), event.content))

    @property
    def waits(self) -> bool:
        """Its members are read only when all are taken out."""
        return self.kind in MAY_BE_PRODUCTIONS

    def finish(self) -> None:
        """Tell that its reader has ended."""
        self._plan = plan(self._members) if self._members else self._plan
        self._members = []

    def own(self) -> Document | None:
        """The file's own document, once."""
        found = self._own.get()
        return found if isinstance(found, Document) else None

    def children(self) -> Iterator[Child]:
        """All the rest, once, in order."""
        unfold = Unfold(self.node)
        while (event := self._below.get()) is not None:
            yield from unfold(event, self._plan)

    def close(self) -> None:
        """Forget what was not asked for."""
        self._own.close()
        self._below.close()

    @property
    def plan(self) -> Plan:
        """How its members make up documents; empty before `finish`."""
        return self._plan


class Unfold:
    """Turns what was taken out of a container into nodes, numbered in their order."""

    def __init__(self, container: Node) -> None:
        self._container, self._number = container, 0

    def __call__(self, event: Event, made: Plan) -> Iterator[Child]:
        """The node of a member, or what a production makes of it; everything else is what it is."""
        if isinstance(event, Document | LedgerLine):
            yield event
        if not isinstance(event, Taken):
            return
        self._number += 1
        node = member_node(self._container, event, self._number)
        yield from planned(node, made)


def planned(node: Node, made: Plan) -> Iterator[Node | LedgerLine]:
    """The node, or its line as part of a production and the documents it lists as a load file."""
    if node.path not in made.lines:
        yield node
        return
    line = made.lines[node.path]
    yield replace(line, sha256=line.sha256 or node.sha256, size=node.content.size if line.size is None else line.size)
    for number, found in enumerate(made.nodes.get(node.path, ()), start=1):
        yield Node(
            key=(*node.key, number),
            path=found.source.path,
            content=found.content,
            sha256=found.source.sha256,
            depth=node.depth,
            media_type=found.source.media_type,
            companions=found.companions,
        )


def member_node(container: Node, member: Taken, number: int) -> Node:
    """A member as something to be read; `number` is its place in its container, from 1."""
    return Node(
        key=(*container.key, number),
        path=member_path_of(container, member),
        content=member.content,
        sha256=member.sha256,
        depth=container.depth + 1,
    )


def member_path_of(container: Node, member: Taken) -> str:
    """The path of a member of `container`."""
    return f"{container.path} > {shown_name(member.name)}"
