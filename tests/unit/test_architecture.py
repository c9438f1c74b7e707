"""The rules of the house that a machine can check."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).parents[2]
CODE = sorted([ROOT / "app.py", *(ROOT / "pages").rglob("*.py"), *(ROOT / "r3con_core").rglob("*.py")])
OURS = [*CODE, *sorted(p for p in (ROOT / "tests").rglob("*.py") if "sandbox_programs" not in p.parts)]
LONGEST_FUNCTION, LONGEST_MODULE = 60, 400
NAMELESS = {"utils", "util", "helpers", "helper", "common", "base", "misc"}
NAMES = {"www.w3.org", "json-schema.org", "schemas.openxmlformats.org", "schemas.microsoft.com"}
"""Of kinds of pictures and documents, written into files; nothing is asked there."""
EXAMPLES = {"localhost", "127.0.0.1", "api.openai.com", "openrouter.ai", "r3con.example.org", *NAMES}
"""Addresses that are shown, filled in, or compared with, and reached only when a person chooses them."""


def _named(files: list[Path]) -> list[object]:
    return [pytest.param(file, id=file.relative_to(ROOT).as_posix()) for file in files]


def test_imports_point_down_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert lint_imports(no_cache=True) == 0


def test_no_module_is_named_after_nothing() -> None:
    assert [path for path in OURS if path.stem in NAMELESS] == []


@pytest.mark.parametrize("file", _named(CODE))
def test_modules_and_functions_are_short(file: Path) -> None:
    source = file.read_text("utf-8")
    assert len(source.splitlines()) <= LONGEST_MODULE
    functions = [
        node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    assert [f.name for f in functions if f.end_lineno and f.end_lineno - f.lineno >= LONGEST_FUNCTION] == []


def test_every_host_the_code_can_reach_is_in_the_privacy_page() -> None:
    documented = (ROOT / "docs" / "privacy.md").read_text("utf-8")
    for file, host in _hosts():
        assert host in EXAMPLES or host in documented, f"{file} names {host}"


def _hosts() -> Iterator[tuple[Path, str]]:
    scripts = [
        p for p in (ROOT / "pages").rglob("*") if p.suffix in (".js", ".css", ".html") and "vendor" not in p.parts
    ]
    for file in [*CODE, *scripts]:
        for host in re.findall(r"https?://([\w.-]+)", file.read_text("utf-8")):
            yield file, host


_IMPORT = """
import os, sys
opened = []
def watch(event, arguments):
    if event.startswith("socket.") and event != "socket.__new__":
        opened.append((event, str(arguments[-1])))
    elif event == "open" and isinstance(arguments[0], str):
        opened.append((event, os.path.realpath(arguments[0])))
sys.addaudithook(watch)
import {module}
allowed = tuple(os.path.realpath(p) for p in [{root!r}, sys.prefix, sys.base_prefix, *sys.path if p])
print([o for o in opened if o[0] != "open" or not o[1].startswith(allowed)])
print([name for name in {heavy!r} if name in sys.modules])
"""


HEAVY = (
    *("streamlit", "openai", "pandas", "numpy", "networkx", "plotly", "genai_prices", "jsonschema", "json_repair"),
    *("httpx", "httpx2", "xllamacpp", "lxml", "jinja2", "xlsxwriter", "pyarrow", "PIL", "r3con_core.readers.registry"),
)
"""What takes long to import, and is imported where it is used; how long is measured by benchmarks/model_calls.py."""


@pytest.mark.parametrize("module", ["r3con_core", "r3con_core.cli", "r3con_core.run", "r3con_core.worker"])
def test_importing_loads_nothing_heavy_and_touches_nothing_outside(module: str, tmp_path: Path) -> None:
    program = _IMPORT.replace("*sys.path if p", "*(p for p in sys.path if p)")
    program = program.format(module=module, root=str(ROOT), heavy=HEAVY)
    command = [sys.executable, "-c", program]
    empty = {"PATH": "", "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    runs = [
        subprocess.run(command, env=empty, cwd=tmp_path, capture_output=True, text=True, check=True) for _ in range(2)
    ]
    assert runs[1].stdout.splitlines() == ["[]", "[]"]  # the first may write bytecode
    assert list(tmp_path.iterdir()) == []
