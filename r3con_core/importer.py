"""The process of one import: `python -m r3con_core.importer PROJECT_FOLDER NUMBER`; passwords come as JSON on stdin."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType

from r3con_core import egress
from r3con_core.errors import R3ConError, StoppedError, StoreError
from r3con_core.imports import carry_import
from r3con_core.processes import beating, child_environment, end_process, is_alive, last_resort, opened_log
from r3con_core.store import imports as rows
from r3con_core.store.imports import ImportState
from r3con_core.store.liveness import shows_life
from r3con_core.store.project import Project, open_project

SECONDS_TO_DIE = 10.0
BEAT_SECONDS = 5.0


def start_importer(project: Project, import_id: int, *, passwords: Sequence[str] = ()) -> int:
    """Start the import's process; its process number. Passwords go to it alone, by its standard input."""
    with opened_log(log_of(project, import_id)) as log:
        worker = subprocess.Popen(
            [sys.executable, "-m", "r3con_core.importer", str(project.folder), str(import_id)],
            env=child_environment(),
            cwd=Path(__file__).parents[1],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    assert worker.stdin is not None
    with worker.stdin as stdin:
        stdin.write(json.dumps(list(passwords)).encode())
    return worker.pid


def log_of(project: Project, import_id: int) -> Path:
    """The file with what went wrong in an import that should not have."""
    return project.folder / f"import-{import_id}.log"


def stop_import(project: Project, import_id: int) -> None:
    """Stop an import at once: files it is done with are kept, the one it is at is read again on resuming."""
    if rows.withdraw_import(project, import_id):
        return
    rows.ask_import_to_stop(project, import_id)
    pid, _ = rows.import_holder(project, import_id)
    end_process(pid, seconds=SECONDS_TO_DIE)
    if rows.load_import(project, import_id).state.active:
        rows.set_import_state(project, import_id, ImportState.STOPPED)


def resume_import(project: Project, import_id: int, *, passwords: Sequence[str] = ()) -> int:
    """Go on with an import that ended early, in a new process; its process number. StoreError when it did not."""
    state = rows.load_import(project, import_id).state
    if state.active or state is ImportState.DONE:
        raise StoreError(f"This import is {state.value}, so there is nothing to resume.")
    rows.set_import_state(project, import_id, ImportState.QUEUED)
    return start_importer(project, import_id, passwords=passwords)


def reconcile_imports(project: Project) -> None:
    """Mark imports whose process has died as interrupted."""
    for entry in rows.list_imports(project):
        if entry.state is not ImportState.RUNNING:
            continue
        pid, heartbeat = rows.import_holder(project, entry.id)
        if pid is None or not shows_life(heartbeat) or not is_alive(pid):
            why = "The import's process ended before it was done. Everything finished is kept; resume to go on."
            rows.set_import_state(project, entry.id, ImportState.INTERRUPTED, why)


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise StoppedError


def work(project: Project, import_id: int, passwords: Sequence[str]) -> ImportState:
    """Claim the import and carry it; the state it ends in. Another process's import is left alone."""
    if not rows.claim_import(project, import_id, os.getpid()):
        return rows.load_import(project, import_id).state
    signal.signal(signal.SIGTERM, _stop)

    def failed(why: str) -> None:
        rows.set_import_state(project, import_id, ImportState.FAILED, why)

    with (
        beating(lambda: rows.beat_import(project, import_id), project.close, seconds=BEAT_SECONDS),
        suppress(R3ConError),
        last_resort(log_of(project, import_id), failed),
    ):
        carry_import(project, import_id, passwords=passwords)  # its errors are told in the import's state
    return rows.load_import(project, import_id).state


def main() -> int:
    """Carry the import named on the command line; 0 when it ended as it should."""
    egress.install()
    folder, import_id = sys.argv[1:3]
    passwords = [str(one) for one in json.loads(sys.stdin.read() or "[]")]
    state = work(open_project(Path(folder)), int(import_id), passwords)
    return 0 if state in (ImportState.DONE, ImportState.STOPPED) else 1


if __name__ == "__main__":
    raise SystemExit(main())
