"""The picture of a page, drawn in a process of its own, as the file may do harm: `page_picture` starts this module."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from r3con_core import egress
from r3con_core.errors import CorpusError
from r3con_core.readers.content import Content
from r3con_core.readers.isolation.confine import limit_process
from r3con_core.readers.isolation.netwall import wall_off_network, walled_command
from r3con_core.readers.isolation.process import environment_in

SECONDS = 30
MEMORY = 4 * 2**30
"""Bytes of address space."""
_REFUSED = 3
"""Exit code that says: the reason is on standard error."""


def page_picture(content: Content, media_type: str, page: int) -> bytes:
    """Page `page`, from 1, of a file on disk as a PNG, as `render_page` draws it.

    Raises CorpusError when the page cannot be shown, and when drawing it takes too long or ends its process.
    """
    asked = {"path": str(content.path), "start": content.start, "size": content.size, "type": media_type, "page": page}
    with tempfile.TemporaryDirectory(prefix="r3con-") as folder:
        (Path(folder) / "tmp").mkdir()
        try:
            done = subprocess.run(
                [*walled_command(), sys.executable, "-P", "-m", __name__],
                input=json.dumps(asked).encode(),
                capture_output=True,
                check=False,
                cwd=folder,
                env=environment_in(Path(folder)),
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired as fault:
            raise CorpusError(f"Drawing this page took longer than {SECONDS} seconds.") from fault
    if done.returncode == _REFUSED:
        raise CorpusError(done.stderr.decode("utf-8", "replace"))
    if done.returncode != 0:
        raise CorpusError("This page cannot be shown: drawing it ended its process.")
    return done.stdout


def main() -> int:
    """Draw the page that standard input names."""
    from r3con_core.readers.pageimage import render_page

    asked = json.loads(sys.stdin.read())
    egress.install()
    wall_off_network()
    limit_process(memory=MEMORY)
    content = Content.on_disk(Path(asked["path"]), start=asked["start"], size=asked["size"])
    try:
        sys.stdout.buffer.write(render_page(content, asked["type"], asked["page"]))
    except CorpusError as error:
        sys.stderr.write(str(error))
        return _REFUSED
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
