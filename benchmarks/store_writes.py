"""Calls written per second to one project by eight threads."""

import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from r3con_core.exchange import About, Message, Prompt, Reply, Stage
from r3con_core.store.calls import keep_call
from r3con_core.store.project import create_project

CALLS = 2000


def main() -> None:
    """Print calls per second."""
    with tempfile.TemporaryDirectory() as folder:
        project = create_project(Path(folder), "Benchmark")

        def write(number: int) -> None:
            message = Message(role="user", pieces=("words " * 500,))
            prompt = Prompt(stage=Stage.RELEVANCE, about=About(document_id=str(number)), messages=(message,))
            keep_call(project, prompt.key("m"), prompt, Reply(text="said " * 50, model="m"), "this computer")

        begun = time.perf_counter()
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, range(CALLS)))
        print(f"{CALLS / (time.perf_counter() - begun):.0f} calls written per second")


if __name__ == "__main__":
    main()
