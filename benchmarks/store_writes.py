"""Finished calls kept per second, and what they leave on disk: 400 documents x 3 stages, 8 and 64 threads.

Each prompt is about 176 kB: the snippets of the other documents in leave-one-out order, and the document. Usage:
`python benchmarks/store_writes.py [DOCUMENTS ...]`.
"""

import random
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from r3con_core.exchange import About, Ask, Message, Prompt, Reply, Stage, Usage
from r3con_core.progress import progress_of
from r3con_core.runs import RunSettings
from r3con_core.store.calls import remembering
from r3con_core.store.project import create_project
from r3con_core.store.runs import create_run
from r3con_core.tasks import make_task

CHANCE = random.Random(4)
WORDS = tuple("".join(CHANCE.choices("abcdefghijklmnopqrstuvwxyz", k=CHANCE.randint(2, 9))) for _ in range(5000))
SYSTEM = " ".join(CHANCE.choices(WORDS, k=250))
SHAPE = {"type": "object", "properties": {word: {"type": ["string", "null"]} for word in WORDS[:40]}}


def said(letters: int) -> str:
    """Words that do not repeat themselves."""
    return " ".join(CHANCE.choices(WORDS, k=letters // 6))


def in_tree_order(place: int, count: int) -> list[int]:
    """All but `place`: the half without it, then the quarter without it, and so on."""
    low, high, order = 0, count, list[int]()
    while high - low > 1:
        middle = (low + high) // 2
        order += range(middle, high) if place < middle else range(low, middle)
        low, high = (low, middle) if place < middle else (middle, high)
    return order


def prompts_of(documents: int) -> list[Prompt]:
    """The prompts of rounds 1 and 2 and of parsing."""
    texts = [said(1400) for _ in range(documents)]
    notes = [[f"[{number}] {said(420)}" for number in range(documents)] for _ in range(2)]
    found = []
    for stage, round_number in ((Stage.RELEVANCE, 1), (Stage.RELEVANCE, 2), (Stage.PARSING, 0)):
        shown = notes[0 if round_number else 1]  # round 1 is given snippets too: three stages of long prompts
        for place, text in enumerate(texts):
            others = tuple(shown[other] for other in in_tree_order(place, documents))
            messages = (
                Message(role="system", pieces=(SYSTEM,)),
                Message(role="user", pieces=(*others, text, f"Now write round {round_number}.")),
            )
            about = About(document_id=f"doc-{place:032x}", round=round_number)
            found.append(Prompt(stage=stage, about=about, messages=messages, shape=SHAPE if not round_number else None))
    return found


def model(prompt: Prompt) -> Reply:
    """A reply of 600 characters, at once."""
    number = prompt.about.document_id
    return Reply(text=f"{number} {' '.join(WORDS[:95])}", usage=Usage(prompt=44_000, output=150), model="m")


def measure(documents: int, threads: int) -> None:
    """Print calls per second, the longest wait for the store, and megabytes on disk."""
    with tempfile.TemporaryDirectory() as folder:
        project = create_project(Path(folder), "Benchmark")
        ids = tuple(f"doc-{place:032x}" for place in range(documents))
        run = create_run(
            project, task=make_task("q"), document_ids=ids, settings=RunSettings(model="m"), straight_through=True,
            endpoints={},
        )  # fmt: skip
        ask: Ask = remembering(project, run.id, "m", "this computer", model)
        prompts = prompts_of(documents)

        def timed(prompt: Prompt) -> float:
            begun = time.perf_counter()
            ask(prompt)
            return time.perf_counter() - begun

        begun = time.perf_counter()
        with ThreadPoolExecutor(threads) as pool:
            waits = sorted(pool.map(timed, prompts))
        seconds = time.perf_counter() - begun
        size = sum(file.stat().st_size for file in project.folder.iterdir())
        begun = time.perf_counter()
        progress_of(project, run.id)
        told = time.perf_counter() - begun
        asked = sum(len(message.content) for prompt in prompts for message in prompt.messages)
        print(
            f"{documents} documents, {threads} threads: {len(prompts) / seconds:.0f} calls kept per second, "
            f"longest {waits[-1]:.2f} s; {size / 1e6:.1f} MB on disk for {asked / 1e6:.0f} MB of prompts; "
            f"progress in {told * 1000:.0f} ms"
        )
        project.close()


def main() -> None:
    """Measure each number of documents with 8 and with 64 threads."""
    for documents in [int(word) for word in sys.argv[1:]] or [400]:
        for threads in (8, 64):
            measure(documents, threads)


if __name__ == "__main__":
    main()
