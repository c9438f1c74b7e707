"""Several reader processes, and which of them reads what, and when.

Files are read ahead of their turn. What is found is kept in spools until it is asked for, so that no process ever waits
for another one to be listened to, and the members of a container can always be read, even while it is unpacked. What is
read ahead is bounded: of the files on disk, and of the members of each container, a window at a time.
"""

import bisect
import queue
import shutil
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from r3con_core.readers.assembly import Numbered
from r3con_core.readers.finds import Finds
from r3con_core.readers.isolation.process import Gone, Heard, ReaderProcess, reader_command
from r3con_core.readers.isolation.protocol import Begun, Ended, Task, encode_task
from r3con_core.readers.isolation.tasks import Job
from r3con_core.readers.ledger import ReadSettings, told
from r3con_core.readers.limits import Limits
from r3con_core.readers.reading import Node, Taken

_AHEAD = 8
"""Files, or members of one container, that are read ahead, for each process."""
_SMALL = 256 * 2**10
"""Bytes of a file that may wait behind another small one at the same process, which saves the way there and back."""
_SHORT = 4_096
"""Bytes of a task that fits in the pipe of a process that is busy."""
_TURN = 0.5
"""Seconds to listen before looking whether a process is overdue."""
_BETWEEN_SIGNS = 1.0
"""Seconds between signs of what is being read."""
_TRIES = 2
"""Of giving a file to a process, when processes end before they turn to it."""

Key = tuple[int, ...]


class Pool:
    """Reads nodes in reader processes."""

    def __init__(
        self, settings: ReadSettings, limits: Limits, *, command: Sequence[str] = (), scratch: Path | None = None
    ) -> None:
        """`command` starts a reader, by default our own; members are unpacked in a new folder in `scratch`."""
        self._settings, self._limits = settings, limits
        self._command = command or reader_command(limits.memory, limits.seconds)
        self._folder = Path(tempfile.mkdtemp(prefix="r3con-", dir=scratch))
        self._numbers = count()
        self._ears: queue.Queue[Heard | Gone] = queue.Queue(maxsize=4 * limits.processes)
        self._processes: list[ReaderProcess] = []
        self._jobs: dict[Key, Job] = {}
        """By key of their nodes: those to be read, being read, or read and not used yet."""
        self._urgent: deque[Job] = deque()
        """To be read before all others: asked for now, or given back by a process that ended."""
        self._plan = _Ahead(_AHEAD * limits.processes)

    def __enter__(self) -> "Pool":
        """The pool; processes are started when there is something to read."""
        return self

    def __exit__(self, *_error: object) -> None:
        """End all processes and remove all files."""
        for process in self._processes:
            process.end()
        while any(process.listens for process in self._processes):
            self._listen(0.01)
        shutil.rmtree(self._folder, ignore_errors=True)

    def ahead(self, items: Iterable[Numbered], wanted: Callable[[Node], bool]) -> Iterator[Numbered]:
        """The same items; what is `wanted` of the next ones is read ahead."""
        return self._plan.start(items, wanted)

    def forget(self, node: Node) -> None:
        """Leave the rest of a node and of what it holds."""
        self._plan.pass_by(node)
        for key in [key for key in self._jobs if key[: len(node.key)] == node.key]:
            job = self._jobs.pop(key)
            self._plan.close(job)
            job.close()

    @contextmanager
    def reading(self, node: Node) -> Iterator["_Reading"]:
        """The reading of a node, which goes before all others if it was not begun."""
        self._plan.pass_by(node)
        if node.key not in self._jobs:
            self._urgent.append(self._open(node))
        try:
            yield _Reading(self, self._jobs[node.key])
        finally:
            self.forget(node)

    def turn(self) -> None:
        """Give processes what they can take, and listen to them for a moment."""
        while self._has_seat() and (job := self._next_job()) is not None:
            if not self._give(job, self._seat()):
                self._urgent.appendleft(job)
                break
        self._listen(_TURN)
        for process in self._processes:
            if process.silent_for() > self._limits.seconds:
                process.verdict = f"took longer than {self._limits.seconds:g} seconds without a result; stopped"
                process.end()

    def _open(self, node: Node) -> Job:
        job = Job(node, self._folder / str(next(self._numbers)))
        self._jobs[node.key] = job
        return job

    def _next_job(self) -> Job | None:
        while self._urgent:
            job = self._urgent.popleft()
            if self._jobs.get(job.node.key) is job:
                return job
        found = self._plan.next_node(len(self._jobs))
        if found is None or found[0].key in self._jobs:
            return None
        job = self._open(found[0])
        self._plan.count(job, found[1])
        return job

    def _has_seat(self) -> bool:
        """Whether a process can take a job: one with nothing to do, a new one, or one at a small file."""
        return len(self._processes) < self._limits.processes or any(map(_takes_more, self._processes))

    def _seat(self) -> ReaderProcess:
        idle = next((process for process in self._processes if _takes_more(process) and not process.jobs), None)
        if idle is None and len(self._processes) < self._limits.processes:
            idle = ReaderProcess(self._command, self._folder / f"process-{next(self._numbers)}", self._ears)
            self._processes.append(idle)
        return idle or next(filter(_takes_more, self._processes))

    def _give(self, job: Job, process: ReaderProcess) -> bool:
        """Whether the process was given the job; a busy one takes small ones only."""
        if process.jobs and job.node.content.size > _SMALL:
            return False
        task = Task(
            node=job.on_disk, settings=self._settings, limits=self._limits, pack=job.pack, scratch=process.scratch
        )
        payload = encode_task(task)
        if process.jobs and len(payload) > _SHORT:
            return False
        job.starts += 1
        process.give(job, payload)
        return True

    def _listen(self, seconds: float) -> None:
        try:
            heard = self._ears.get(timeout=seconds)
            while True:
                self._take_in(heard)
                heard = self._ears.get_nowait()
        except queue.Empty:
            return

    def _take_in(self, heard: Heard | Gone) -> None:
        process = heard.process
        if isinstance(heard, Gone):
            self._bury(process, heard.reason)
            return
        job, said = heard.job, heard.said
        process.begun = True
        if isinstance(said, Ended):
            process.jobs.popleft()
            process.begun, process.retires = False, said.retires
        if self._jobs.get(job.node.key) is not job:
            if isinstance(said, Ended):
                job.close()  # files it made after it was forgotten
        elif isinstance(said, Ended):
            job.finish()
        elif not isinstance(said, Begun):
            job.add(said)
            if isinstance(said, Taken):
                self._plan.add_container(job)

    def _bury(self, process: ReaderProcess, reason: str) -> None:
        """Take leave of a process that has ended: the file it was at has failed, others are given to another one."""
        how = process.end()
        self._processes.remove(process)
        for job in process.jobs:
            failed = job is process.jobs[0] and (process.begun or process.verdict)
            if failed or (job.starts >= _TRIES and not process.retires):
                job.fail(process.verdict or f"the reader stopped unexpectedly ({reason or how})")
            else:
                self._urgent.append(job)
            if self._jobs.get(job.node.key) is not job:
                job.close()
        shutil.rmtree(process.folder, ignore_errors=True)


def _takes_more(process: ReaderProcess) -> bool:
    jobs = process.jobs
    return process.takes_more and (not jobs or (len(jobs) == 1 and jobs[0].node.content.size <= _SMALL))


class _Reading:
    """The reading of one node in the pool."""

    def __init__(self, pool: Pool, job: Job) -> None:
        self._pool, self._job = pool, job

    @property
    def finds(self) -> Finds:
        """What was found; complete when `wait` has ended."""
        return self._job.finds

    def wait(self) -> Iterator[str]:
        """Wait for the end of the reading, and keep all processes busy meanwhile."""
        told_at = time.monotonic()
        while not self._job.ended:
            self._pool.turn()
            if time.monotonic() > told_at + _BETWEEN_SIGNS:
                told_at = time.monotonic()
                yield told(self._job.node.path, self._job.progress)


class _Ahead:
    """Which node is to be read next, in the order of the ledger, as long as its turn is near."""

    def __init__(self, window: int) -> None:
        self._window = window
        self._items: Iterator[Numbered] = iter(())
        self._wanted: Callable[[Node], bool] = lambda _node: True
        self._pulled: deque[Numbered] = deque()
        self._files: deque[Node] = deque()
        """Of the items pulled, what waits to be read."""
        self._containers: list[Job] = []
        """Those with members, in the order of the ledger."""
        self._counted: dict[Key, Key] = {}
        """Of each job read ahead, by its key, the key of its container, () for files."""
        self._under_way: Counter[Key] = Counter()
        self._passed: Key = ()
        """What comes before it, or is it, will not be asked for again."""

    def start(self, items: Iterable[Numbered], wanted: Callable[[Node], bool]) -> Iterator[Numbered]:
        self._items, self._wanted = iter(items), wanted
        while self._pulled or self._pull():
            yield self._pulled.popleft()

    def pass_by(self, node: Node) -> None:
        self._passed = max(self._passed, node.key)

    def add_container(self, job: Job) -> None:
        if job not in self._containers:
            bisect.insort(self._containers, job, key=lambda one: one.node.key)

    def count(self, job: Job, container: Key) -> None:
        self._counted[job.node.key] = container
        self._under_way[container] += 1

    def close(self, job: Job) -> None:
        if job in self._containers:
            self._containers.remove(job)
        container = self._counted.pop(job.node.key, None)
        if container is not None:
            self._under_way[container] -= 1
        self._under_way.pop(job.node.key, None)

    def next_node(self, jobs: int) -> tuple[Node, Key] | None:
        """The node and the key of its container, () for a file; `jobs` is how many there are."""
        for job in self._containers:
            key = job.node.key
            its_turn = self._passed[: len(key)] == key
            if self._under_way[key] < self._window and (its_turn or jobs < 4 * self._window):
                node = self._first_wanted(job.next_member)
                if node is not None:
                    return node, key
        if self._under_way[()] < self._window:
            node = self._first_wanted(self._next_file)
            return None if node is None else (node, ())
        return None

    def _first_wanted(self, give: Callable[[], Node | None]) -> Node | None:
        while (node := give()) is not None:
            if node.key > self._passed and self._wanted(node) and not self._holds_itself(node):
                return node
        return None

    def _holds_itself(self, node: Node) -> bool:
        return any(
            job.node.sha256 == node.sha256 for job in self._containers if node.key[: len(job.node.key)] == job.node.key
        )

    def _next_file(self) -> Node | None:
        while not self._files:
            if len(self._pulled) >= self._window or not self._pull():
                return None
        return self._files.popleft()

    def _pull(self) -> bool:
        item = next(self._items, None)
        if item is None:
            return False
        self._pulled.append(item)
        self._files.extend(node for node in item.nodes if isinstance(node, Node))
        return True
