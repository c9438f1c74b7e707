"""Inside a reader process: takes tasks from its standard input and sends what it finds to its standard output."""

import queue
import shutil
import sys
import threading
from pathlib import Path
from typing import BinaryIO

from r3con_core import egress
from r3con_core.readers.isolation import protocol
from r3con_core.readers.isolation.confine import (
    alarm,
    end_at_once,
    limit_files,
    limit_process,
    memory_used,
    take_output,
)
from r3con_core.readers.isolation.netwall import wall_off_network
from r3con_core.readers.isolation.protocol import Begun, Ended, Said, Task
from r3con_core.readers.reading import Pack, findings

TOO_LARGE = 600 * 2**20
"""Bytes held at a time after which a reader makes way for a fresh one."""
_GRACE = 3.0
"""Times the limit after which a reader ends by itself, should nobody have ended it."""


def main(*, memory: int, seconds: float) -> None:
    """Read until the importer closes the pipe. A reader that has grown large takes no further task."""
    egress.install()
    wall_off_network()
    limit_process(memory=memory)
    output = take_output()
    tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(tasks,), daemon=True).start()
    retires = False
    while not retires:
        retires = _carry(tasks.get(), output, seconds)
    output.close()


def _receive(tasks: "queue.SimpleQueue[Task]") -> None:
    """Pass tasks on; when the importer is no more, end at once whatever is being read."""
    for _, payload in protocol.frames(sys.stdin.buffer):
        tasks.put(protocol.decode_task(payload))
    end_at_once()


def _carry(task: Task, output: BinaryIO, seconds: float) -> bool:
    """Read one file; whether this process has grown too large for another."""
    limit_files(task.limits.unpacked_bytes + 2**20)
    pack = Pack(task.pack, task.limits, held=0)

    def send(said: Said) -> None:
        protocol.write_frame(output, *protocol.encode(said, task.pack))

    send(Begun())
    alarm(seconds * _GRACE)
    for event in findings(task.node, task.settings, task.limits, pack):
        alarm(0)
        send(event)
        alarm(seconds * _GRACE)
    alarm(0)
    pack.close()
    _empty(task.scratch)
    retires = memory_used() > TOO_LARGE
    send(Ended(retires=retires))
    return retires


def _empty(folder: Path) -> None:
    for left in folder.iterdir():
        if left.is_dir() and not left.is_symlink():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.unlink(missing_ok=True)
