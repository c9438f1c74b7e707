"""Small honest doubles: a scripted model, a project on disk, and a finished run over the harbour corpus."""

import atexit
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Self

from r3con_core.answers import Execution
from r3con_core.documents import Document, Source, make_document
from r3con_core.exchange import Prompt, Reply, Usage
from r3con_core.imports import add_paths
from r3con_core.jobs import ModelChoice, RunChoices, create_run
from r3con_core.run import carry
from r3con_core.run_method import Equipment
from r3con_core.runs import RunState
from r3con_core.stages import Models
from r3con_core.store import runs as run_rows
from r3con_core.store.calls import remembering
from r3con_core.store.documents import LedgerEntry, add_documents
from r3con_core.store.project import Project, create_project, open_project
from tests.harbour_script import QUESTION, answer_harbour
from tests.inquiry_script import QUESTION as INQUIRY_QUESTION
from tests.inquiry_script import answer_inquiry
from tests.remembered import open_remembered

HARBOUR = Path(__file__).parents[1] / "sample_corpora" / "harbour" / "documents"
INQUIRY = Path(__file__).parents[1] / "sample_corpora" / "inquiry" / "documents"
INQUIRY_WINDOW = 32_768


class Scripted:
    """A model that is a function of the prompt; it keeps what it was asked."""

    def __init__(self, answer: Callable[[Prompt], str] | None = None) -> None:
        self.answer = answer or harbour_answer
        self.prompts: list[Prompt] = []
        self._lock = threading.Lock()

    def __call__(self, prompt: Prompt) -> Reply:
        with self._lock:
            self.prompts.append(prompt)
        text = self.answer(prompt)
        return Reply(text=text, model="scripted", usage=Usage(prompt=100, cached=40, output=len(text) // 4))


class OpenSandbox:
    """What is opened with the variables of a step, entered and left; a kind of its own says what code does in it."""

    walls = "scripted"

    def __call__(self, variables: Mapping[str, object]) -> Self:
        assert set(variables) == {"records", "snippets"}
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        pass


class ScriptedSandbox(OpenSandbox):
    """A sandbox in which code does what it is told beforehand; it keeps what it ran."""

    def __init__(self, otherwise: Execution, by_code: Mapping[str, Execution] | None = None) -> None:
        self.otherwise, self.by_code = otherwise, by_code or {}
        self.ran: list[str] = []

    def execute(self, code: str) -> Execution:
        self.ran.append(code)
        return self.by_code.get(code, self.otherwise)


def harbour_answer(prompt: Prompt) -> str:
    """The scripted reply to a prompt about the harbour corpus."""
    return answer_harbour([{"role": m.role, "content": m.content} for m in prompt.messages])


def inquiry_answer(prompt: Prompt) -> str:
    """The scripted reply to a prompt about the inquiry corpus."""
    return answer_inquiry([{"role": m.role, "content": m.content} for m in prompt.messages])


def text_document(text: str, *, path: str = "memo.txt", title: str = "") -> Document:
    """A document as a text file would give it."""
    source = Source(path=path, sha256="0" * 64, media_type="text/plain")
    return make_document(title=title or path, text=text, source=source)


def harbour_documents() -> tuple[Document, ...]:
    """The sample corpus, read as plain text."""
    return tuple(
        text_document(file.read_text(encoding="utf-8"), path=file.name, title=file.stem.replace("_", " "))
        for file in sorted(HARBOUR.iterdir())
    )


def harbour_project(root: Path, name: str = "Harbour") -> Project:
    """A project that holds the harbour documents."""
    return text_project(root, harbour_documents(), name)


def text_project(root: Path, documents: Sequence[Document], name: str = "Memos") -> Project:
    """A project that holds `documents`."""
    project = create_project(root, name)
    lines = [LedgerEntry(path=d.source.path, outcome="read", reason="", document_id=d.id) for d in documents]
    add_documents(project, documents, lines)
    return project


def start_run(project: Project, question: str, *, window: int, **choices: object) -> str:
    """A queued run with a scripted model of that window that goes straight through; its id."""
    reading = ModelChoice(model="scripted", base_url="http://127.0.0.1:9/v1", window=window)
    settings = RunChoices(reading=reading, straight_through=True, **choices)  # type: ignore[arg-type]
    return create_run(project, question, settings).id


def start_harbour_run(project: Project, **choices: object) -> str:
    """A queued run of the harbour question; its id."""
    reading = ModelChoice(model="scripted", base_url="http://127.0.0.1:9/v1")
    return create_run(project, QUESTION, RunChoices(reading=reading, **choices)).id  # type: ignore[arg-type]


def carry_scripted(project: Project, run_id: str, model: Callable[[Prompt], Reply], workers: int = 1) -> RunState:
    """Carry a queued run with a model in this process, through the call log as a worker would."""
    repeat = run_rows.load_run(project, run_id).settings.repeat
    ask = remembering(project, run_id, "scripted", "this computer", model, repeat=repeat)
    run_rows.claim_run(project, run_id, pid=1)
    try:
        models = Models(reading=ask, reasoning=ask, workers=workers)
        return carry(project, run_id, models, Equipment(sandbox=open_remembered))
    finally:
        run_rows.release_run(project, run_id)


Made = Callable[[Path], tuple[Project, str]]
"""Makes a project in a folder below the given one; the project, and a run of it."""
_handed: set[tuple[str, Made]] = set()


def _copied(make: Made, root: Path) -> tuple[Project, str]:
    """What `make` makes, as a copy of one made before; made anew where a test has its copy, so that no ids are twice."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
    if not test or (test, make) in _handed:
        return make(root)
    _handed.add((test, make))
    folder, run_id = _pattern(make)
    shutil.copytree(folder, root / folder.name)
    return open_project(root / folder.name), run_id


@cache
def _pattern(make: Made) -> tuple[Path, str]:
    """The folder that is copied, and the id of its run."""
    root = Path(tempfile.mkdtemp(prefix="r3con-pattern-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    project, run_id = make(root)
    project.db.execute("pragma wal_checkpoint(truncate)")
    project.close()
    for beside in project.folder.glob(f"{project.path.name}-*"):
        beside.unlink()
    return project.folder, run_id


def finished_harbour(root: Path) -> tuple[Project, str]:
    """A project with a finished run, as the pages find it."""
    return _copied(_finish_harbour, root)


def _finish_harbour(root: Path) -> tuple[Project, str]:
    project = harbour_project(root)
    run_id = start_harbour_run(project, straight_through=True)
    carry_scripted(project, run_id, Scripted())
    return project, run_id


def inquiry_project(root: Path) -> Project:
    """A project that holds the inquiry documents, read as the app reads them."""
    return _copied(_read_inquiry, root)[0]


def _read_inquiry(root: Path) -> tuple[Project, str]:
    project = create_project(root, "Inquiry")
    add_paths(project, [INQUIRY])
    return project, ""


def finished_inquiry(root: Path) -> tuple[Project, str]:
    """A project with a finished run over the inquiry corpus, as the pages find it; see `tests/inquiry_records.py`."""
    return _copied(_finish_inquiry, root)


def _finish_inquiry(root: Path) -> tuple[Project, str]:
    project = inquiry_project(root)
    run_id = start_run(project, INQUIRY_QUESTION, window=INQUIRY_WINDOW)
    carry_scripted(project, run_id, Scripted(inquiry_answer), workers=4)
    return project, run_id
