"""A file on its way in: written to disk as it comes, and refused when it is too large, too slow, or one too many."""

import asyncio
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from starlette.requests import Request

from r3con_core.readers.limits import MAX_FILE_BYTES

AT_ONCE, AT_ONCE_OF_ONE = 12, 4
"""Uploads under way of all, and of one person. A page sends one at a time."""
STALL_SECONDS, SLOWEST = 30.0, 2_000
"""Without a byte; and bytes a second on the whole, below which an upload only occupies a place."""
ROOM = 500_000_000
"""Bytes of the disk that uploads leave free, for runs at work."""
_LOOK_EVERY = 16_000_000
"""Bytes between two looks at the disk."""


class Refused(Exception):  # noqa: N818 - an answer, not a fault of ours
    """Ends a request with a status and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


_under_way: Counter[str] = Counter()
"""Person -> uploads. Of this process, as the event loop and the disk are that all requests share."""


@contextmanager
def place_for(person: str) -> Iterator[None]:
    """A place among the uploads under way; Refused when all are taken. Used from the event loop only."""
    if _under_way.total() >= AT_ONCE or _under_way[person] >= AT_ONCE_OF_ONE:
        raise Refused(429, "Too many uploads at once. Try again when one has ended.")
    _under_way[person] += 1
    try:
        yield
    finally:
        _under_way[person] -= 1


async def receive(request: Request, file: IO[bytes]) -> None:
    """The body, written as it comes; Refused when it grows too large or comes too slowly, or the disk fills up."""
    _check_stated(request)
    loop, size, looked = asyncio.get_running_loop(), 0, -_LOOK_EVERY
    chunks, begun = aiter(request.stream()), loop.time()
    while True:
        try:
            chunk = await asyncio.wait_for(anext(chunks), STALL_SECONDS)
        except StopAsyncIteration:
            break
        except TimeoutError as error:
            raise Refused(408, "The upload came to a halt. Try again.") from error
        size += len(chunk)
        if size > MAX_FILE_BYTES:
            raise Refused(413, too_large())
        if loop.time() - begun > STALL_SECONDS + size / SLOWEST:
            raise Refused(408, "The upload is too slow. Try again over another connection.")
        if size - looked >= _LOOK_EVERY:
            looked = size
            _check_room(Path(file.name).parent)
        file.write(chunk)
    file.flush()


def too_large() -> str:
    """The sentence for a file over the limit."""
    return f"The file is larger than {MAX_FILE_BYTES // 2**20} MB. Add it by folder path."


def _check_stated(request: Request) -> None:
    stated = request.headers.get("content-length", "0")
    if stated.isdecimal() and len(stated) < 20 and int(stated) > MAX_FILE_BYTES:
        raise Refused(413, too_large())


def _check_room(folder: Path) -> None:
    if shutil.disk_usage(folder).free < ROOM:
        raise Refused(507, "The disk is nearly full, so no more uploads are taken. Make room and try again.")
