"""What is asked of the system about processes."""

import os
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from r3con_core.errors import R3ConError


def is_alive(pid: int) -> bool:
    """Whether the process is there and has not ended; a child of ours that has is taken leave of."""
    try:
        finished, _ = os.waitpid(pid, os.WNOHANG)
        if finished == pid:
            return False
    except (ChildProcessError, AttributeError):
        pass  # not our child: another program started it, or the system has no such call
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@contextmanager
def last_resort(log: Path, tell: Callable[[str], None]) -> Iterator[None]:
    """Tells the analyst of a fault of ours in a sentence, and the file `log` in full; other errors pass through."""
    try:
        yield
    except R3ConError:
        raise
    except Exception as error:  # noqa: BLE001 - the last place that can tell the analyst
        with log.open("a", encoding="utf-8") as file:
            traceback.print_exc(file=file)
        tell(
            f"Something went wrong that should not have ({type(error).__name__}). Everything finished is kept; "
            f"resume to try again. Details are in {log.name}."
        )
