"""Fixtures of page tests: a home of their own, and no worker process."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from r3con_core import jobs
from r3con_core.store.project import Project
from tests.fakes import harbour_project


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder where this test's projects, keys and choices are."""
    monkeypatch.setenv("R3CON_HOME", str(tmp_path))
    for name in ("R3CON_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def project(home: Path) -> Project:
    """The harbour documents, with nothing asked yet."""
    return harbour_project(home / "projects")


@dataclass(slots=True)
class Workers:
    """What would have been started."""

    started: list[str] = field(default_factory=list)
    keys: list[dict[str, str]] = field(default_factory=list)


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> Workers:
    """Instead of processes: a list of the runs they would carry."""
    seen = Workers()

    def start(_project: Project, run_id: str, *, home: Path, keys: dict[str, str] | None = None) -> int:
        assert home.is_dir()
        seen.started.append(run_id)
        seen.keys.append(dict(keys or {}))
        return 1

    monkeypatch.setattr(jobs, "start_worker", start)
    return seen
