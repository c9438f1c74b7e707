"""Fixtures of page tests: a home of their own, and no worker process."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner

from pages.widgets.question import access
from r3con_core import jobs
from r3con_core.models import Sources
from r3con_core.store.project import Project
from tests.fakes import harbour_project
from tests.keyring_double import Kept, keyring_of


@pytest.fixture(scope="session", autouse=True)
def _components_are_looked_for_once() -> Iterator[None]:
    """AppTest asks every installed package for components of its own, for each page that a test opens."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder where this test's projects, keys and choices are."""
    monkeypatch.setenv("R3CON_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def kept(home: Path, monkeypatch: pytest.MonkeyPatch) -> Kept:
    """What the keyring of this computer keeps, in a test where it has one."""
    seen = Kept()

    def sources() -> Sources:
        return Sources(home=home, typed=access.typed_keys(), keyring=lambda: keyring_of(seen))

    monkeypatch.setattr(access, "sources", sources)
    return seen


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
