"""Importing a folder, by us and by xberg 1.3.9 (the best single library of the bake-off), on the same files.

    python benchmarks/import.py FOLDER [--expected FILE] [--ocr]

Each side runs in processes of its own. Known sentences come from a JSON file like {"cases": [{"files": [...],
"must_find": [...]}]}, by default `expected.json` in the folder; without one, files with any text are counted. Nobody
recognises text in pictures (OCR) unless `--ocr` lets us do so.
"""

import argparse
import asyncio
import json
import os
import resource
import select
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import IO

XBERG = "1.3.9"
SECONDS = 60
"""For one file, as in the product."""
MB = 2**20

Texts = Mapping[str, str]
"""All text found in each file and in what it holds, by the file's path within the folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What one side made of the folder."""

    name: str
    seconds: float
    first: float
    """Seconds until something was read, most of which goes into starting processes."""
    memory: tuple[int, int]
    """Peak bytes of the process that imports, and of the largest of those it started."""
    outcomes: Mapping[str, int]
    texts: Texts


def main() -> None:
    """Print the figures of both sides."""
    parser = argparse.ArgumentParser(description="Import a folder, by us and by xberg.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--expected", type=Path)
    parser.add_argument("--ocr", action="store_true")
    parser.add_argument("--side", choices=("ours", "xberg", "xberg-worker"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.side == "xberg-worker":
        _serve_xberg()
    elif chosen.side:
        side = _ours(chosen.folder, ocr=chosen.ocr) if chosen.side == "ours" else _xberg(chosen.folder)
        json.dump(side, sys.stdout)
    else:
        _compare(chosen.folder, expected=chosen.expected or chosen.folder / "expected.json", ocr=chosen.ocr)


def _compare(folder: Path, *, expected: Path, ocr: bool) -> None:
    files = _files(folder)
    size = sum(path.stat().st_size for path in files)
    print(f"{folder.name}: {len(files)} files, {size / MB:.1f} MB")
    cases = json.loads(expected.read_text("utf-8"))["cases"] if expected.is_file() else []
    _show(_run("ours", folder, ocr=ocr), files=len(files), size=size, cases=cases)
    if _has_xberg():
        _show(_run("xberg", folder, ocr=False), files=len(files), size=size, cases=cases)
    else:
        print(f"xberg: not compared, because xberg=={XBERG} is not installed")


def _has_xberg() -> bool:
    try:
        return version("xberg") == XBERG
    except PackageNotFoundError:
        return False


def _run(side: str, folder: Path, *, ocr: bool) -> Side:
    """One side in a process of its own, so that its memory is its own."""
    command = [sys.executable, __file__, str(folder), "--side", side, *(["--ocr"] if ocr else [])]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return Side(name=side, **json.loads(done.stdout))


def _show(side: Side, *, files: int, size: int, cases: Sequence[Mapping[str, Sequence[str]]]) -> None:
    print(
        f"{side.name}: {files / side.seconds:.1f} files/s, {size / MB / side.seconds:.2f} MB/s ({side.seconds:.1f} s)"
    )
    if side.seconds > side.first and files > 1:
        print(f"{side.name}: {(files - 1) / (side.seconds - side.first):.1f} files/s after the first")
    print(f"{side.name}: peak memory {side.memory[0] / MB:.0f} MB, of its largest process {side.memory[1] / MB:.0f} MB")
    print(f"{side.name}: {', '.join(f'{count} {outcome}' for outcome, count in sorted(side.outcomes.items()))}")
    print(f"{side.name}: {sum(bool(text.strip()) for text in side.texts.values())} of {files} files with text")
    if cases:
        missing = [(case, missed) for case in cases if (missed := _missed(case, side.texts))]
        wanted = sum(len(case["must_find"]) for case in cases)
        found = wanted - sum(len(missed) for _, missed in missing)
        print(
            f"{side.name}: {found} of {wanted} known sentences, {len(cases) - len(missing)} of {len(cases)} cases whole"
        )


def _missed(case: Mapping[str, Sequence[str]], texts: Texts) -> list[str]:
    text = _plain(" ".join(texts.get(name, "") for name in case["files"]))
    return [sentence for sentence in case["must_find"] if _plain(sentence) not in text]


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _used() -> tuple[int, int]:
    unit = 1 if sys.platform == "darwin" else 1024
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    own, children = (resource.getrusage(kind).ru_maxrss * unit for kind in kinds)
    return own, children


class _Clock:
    """Seconds since it was made, and until the first file was done."""

    def __init__(self) -> None:
        self._begun = time.perf_counter()
        self.first = 0.0

    def tick(self) -> None:
        self.first = self.first or self.seconds

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._begun


def _result(clock: _Clock, outcomes: Counter[str], texts: Texts) -> dict[str, object]:
    seconds = {"seconds": clock.seconds, "first": clock.first}
    return {**seconds, "memory": _used(), "outcomes": outcomes, "texts": texts}


def _ours(folder: Path, *, ocr: bool) -> dict[str, object]:
    from r3con_core.readers import iter_load
    from r3con_core.readers.ledger import ReadSettings

    clock = _Clock()
    outcomes: Counter[str] = Counter()
    texts: dict[str, str] = {}
    read: dict[str, str] = {}
    for piece in iter_load([folder], isolated=True, settings=ReadSettings(ocr=ocr)):
        if piece.ledger:
            clock.tick()
        outcomes.update(line.outcome.value for line in piece.ledger)
        read |= {document.id: document.text for document in piece.documents}
        for line in piece.ledger:  # a duplicate is read too, once
            name = line.path.split("/", 1)[-1].split(" > ", 1)[0]
            texts[name] = f"{texts.get(name, '')}\n{read.get(line.document_id, '')}"
    return _result(clock, outcomes, texts)


def _xberg(folder: Path) -> dict[str, object]:
    clock = _Clock()
    outcomes: Counter[str] = Counter()
    texts: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as home:
        worker = None
        for path in _files(folder):
            worker = worker or _start_xberg(home)
            outcome, text = _ask(worker, path)
            clock.tick()
            outcomes[outcome] += 1
            texts[path.relative_to(folder).as_posix()] = text
            if outcome in ("hang", "crash"):
                _end(worker)
                worker = None
        if worker:
            _end(worker)
    return _result(clock, outcomes, texts)


def _start_xberg(home: str) -> "subprocess.Popen[str]":
    command = [sys.executable, __file__, ".", "--side", "xberg-worker"]
    environment = {**os.environ, "HOME": home, "XDG_CACHE_HOME": home}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def _end(worker: "subprocess.Popen[str]") -> None:
    worker.kill()
    worker.communicate()


def _ask(worker: "subprocess.Popen[str]", path: Path) -> tuple[str, str]:
    """What became of a file, and its text."""
    if worker.stdin is None or worker.stdout is None:
        raise ValueError("a worker without pipes")
    worker.stdin.write(f"{json.dumps(str(path))}\n")
    worker.stdin.flush()
    if not select.select([worker.stdout], [], [], SECONDS)[0]:
        return "hang", ""
    reply = worker.stdout.readline()
    if not reply:
        return "crash", ""
    outcome, text = json.loads(reply)
    return outcome, text


def _serve_xberg() -> None:
    """Read files as they are asked for; only replies go to the pipe."""
    pipe = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        _reply(pipe, json.loads(line))


def _reply(pipe: IO[str], path: str) -> None:
    try:
        text = "\n".join(asyncio.run(_extract(path)))
        outcome = "text" if text.strip() else "empty"
    except Exception as fault:  # noqa: BLE001 - whatever another library raises is its outcome
        text, outcome = "", f"error ({type(fault).__name__})"
    pipe.write(f"{json.dumps([outcome, text])}\n")
    pipe.flush()


async def _extract(path: str) -> list[str]:
    import xberg

    config = xberg.ExtractionConfig(disable_ocr=True, use_cache=False)
    result = await xberg.extract(xberg.ExtractInput(kind="uri", uri=path), config)
    if result.errors and not result.results:
        raise ValueError("; ".join(error.message for error in result.errors))
    return [text for document in result.results for text in _texts(document)]


def _texts(document: object) -> Iterator[str]:
    """The text of a document and of all it holds."""
    yield getattr(document, "content", "") or ""
    for child in getattr(document, "children", None) or ():
        yield from _texts(getattr(child, "result", None) or child)


if __name__ == "__main__":
    if find_spec("r3con_core") is None:
        sys.path.insert(0, str(Path(__file__).parents[1]))
    main()
