"""What the pages in docs/ tell people to write works, and what they name is there."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from r3con_core.documents import Corpus, Document, Source
from r3con_core.exchange import converse
from r3con_core.method.brief import make_brief
from r3con_core.method.relevance import find_focus
from r3con_core.methods import METHODS
from r3con_core.methods.seam import Method, Size
from r3con_core.readers.content import Content
from r3con_core.readers.ledger import File
from r3con_core.runs import RunSettings
from r3con_core.store.project import create_project
from r3con_core.tasks import make_task
from tests.fakes import harbour_documents

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md")])
EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "extending.md").read_text("utf-8"), re.DOTALL)


def _run(source: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(source, "docs/extending.md", "exec"), names)
    return names


def test_the_example_of_a_reader_reads() -> None:
    read = _run(EXAMPLES[0])["read_subtitles"]
    source = Source(path="call.srt", sha256="0" * 64, media_type="application/x-subrip")
    data = b"1\n00:00:01,000 --> 00:00:02,000\nGood\nmorning.\n\n2\n00:00:05,500 --> 00:00:06,000\nYes?\n"
    (document,) = read(File(content=Content.held(data), source=source))
    assert isinstance(document, Document)
    assert document.text == "Good morning.\nYes?\n"
    assert [(unit.label, document.text[unit.span.start : unit.span.end]) for unit in document.units] == [
        ("00:00:01,000", "Good morning."),
        ("00:00:05,500", "Yes?"),
    ]


def test_the_example_of_a_model_answers() -> None:
    brief = make_brief(make_task("Is it so?"), Corpus(documents=harbour_documents()), RunSettings(model="yes"))
    assert converse(find_focus(brief), _run(EXAMPLES[1])["ask"]) == ("yes",)


def test_the_example_of_a_page_uses_what_is_there() -> None:
    for node in ast.walk(ast.parse(EXAMPLES[2])):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("r3con_core"):
            module = __import__(node.module, fromlist=["*"])
            assert all(hasattr(module, alias.name) for alias in node.names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8"))
    missing = [link for link in links if not link.startswith("https://") and not (page.parent / link).exists()]
    assert missing == []


def test_every_table_of_the_store_is_explained(tmp_path: Path) -> None:
    explained = (ROOT / "docs" / "how-it-works.md").read_text("utf-8")
    project = create_project(tmp_path, "Any")
    tables = [name for (name,) in project.db.execute("select name from sqlite_master where type = 'table'")]
    assert [name for name in tables if f"`{name}`" not in explained] == []


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.id)
def test_the_page_on_methods_tells_what_each_is(method: Method) -> None:
    told = (ROOT / "docs" / "comparing-methods.md").read_text("utf-8")
    own = told.partition(f"### {method.name}\n")[2].partition("\n#")[0]
    size = Size(documents=(220,) * 10, window=8192)
    said = [
        method.says,
        method.paper,
        method.principles.why,
        *method.deviations,
        *(s.label for s in method.settings(size)),
    ]
    assert [words for words in said if words not in own] == []


def test_files_named_in_the_pages_are_there() -> None:
    named = re.findall(r"`((?:r3con_core|pages|tests)/[\w./]+)`", " ".join(page.read_text("utf-8") for page in PAGES))
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_every_test_that_the_security_page_names_is_there() -> None:
    told = (ROOT / "docs" / "security.md").read_text("utf-8")
    files = {file.as_posix(): file.read_text("utf-8") for file in sorted((ROOT / "tests").rglob("test_*.py"))}
    file, missing = "", []
    for path, name in re.findall(r"((?:tests/\w+/)?test_\w+\.py)?(?:::(test_\w+))?", told):
        file = path or file
        if name and not any(f"def {name}(" in text for at, text in files.items() if at.endswith(f"/{file}")):
            missing.append(f"{file}::{name}")
    assert "::test_" in told
    assert missing == []
