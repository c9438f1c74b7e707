"""Files, folders, uploads and archives: every one has its line, and none stops the others."""

import io
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r3con_core.documents import Corpus
from r3con_core.errors import CorpusError
from r3con_core.readers import (
    READERS,
    Loading,
    Outcome,
    count_files,
    iter_load,
    iter_load_bytes,
    join_loadings,
    load_bytes,
    load_paths,
)
from r3con_core.readers.content import Content
from r3con_core.readers.limits import Limits

ROOT = Path(__file__).parents[2]
Lines = list[tuple[str, str, str]]


def lines(loading: Loading) -> Lines:
    """Path, outcome and reason of each line."""
    return [(line.path, line.outcome.value, line.reason) for line in loading.ledger]


def uploads(*files: tuple[str, bytes]) -> Iterator[Loading]:
    """The loadings of these files, given as name and bytes."""
    return iter_load_bytes((name, Content.held(data)) for name, data in files)


def make_zip(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    """An archive of these members, in their order."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data, zipfile.ZIP_DEFLATED)
    return held.getvalue()


def test_a_folder_is_read_in_order_with_all_it_holds(tmp_path: Path) -> None:
    mails = tmp_path / "mails"
    (mails / "b").mkdir(parents=True)
    (mails / ".git").mkdir()
    (mails / ".git" / "config").write_text("no")
    (mails / ".DS_Store").write_bytes(b"x")
    (mails / "c.txt").write_text("third")
    (mails / "a.txt").write_text("first")
    (mails / "b" / "d.md").write_text("# second")
    loading = load_paths([mails])
    assert lines(loading) == [
        ("mails/.DS_Store", "skipped", "a hidden or system file"),
        ("mails/.git", "skipped", "a hidden or system file"),
        ("mails/a.txt", "read", ""),
        ("mails/b/d.md", "read", ""),
        ("mails/c.txt", "read", ""),
    ]
    assert [document.text for document in loading.documents] == ["first", "# second", "third"]
    assert [line.document_id for line in loading.ledger[2:]] == [document.id for document in loading.documents]


def test_a_single_file_is_known_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("words")
    [document] = load_paths([tmp_path / "a.txt"]).documents
    assert document.source.path == "a.txt"


def test_the_current_folder_has_its_own_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("words")
    monkeypatch.chdir(tmp_path)
    assert load_paths([Path()]).documents[0].source.path == f"{tmp_path.name}/a.txt"


def test_a_path_that_does_not_exist_is_named_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"no-such\.txt"):
        iter_load([tmp_path, tmp_path / "no-such.txt"])
    with pytest.raises(CorpusError, match="no-such"):
        count_files([tmp_path / "no-such"])


def test_progress_is_one_loading_for_each_file(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt", ".hidden"):
        (tmp_path / name).write_text(name)
    steps = list(iter_load([tmp_path]))
    assert (len(steps), count_files([tmp_path])) == (3, 3)
    assert join_loadings(steps) == load_paths([tmp_path])


def test_an_empty_folder_has_nothing_in_it(tmp_path: Path) -> None:
    assert lines(load_paths([tmp_path])) == [(tmp_path.name, "nothing in it", "the folder is empty")]


def test_links_and_pipes_are_listed_and_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "f"
    folder.mkdir()
    (tmp_path / "outside.txt").write_text("secret")
    (folder / "link.txt").symlink_to(tmp_path / "outside.txt")
    (folder / "loop").symlink_to(folder)
    (folder / "nowhere").symlink_to(tmp_path / "gone")
    os.mkfifo(folder / "pipe")
    loading = load_paths([folder])
    assert loading.documents == ()
    assert [(line.path, line.outcome.value) for line in loading.ledger] == [
        ("f/link.txt", "refused"),
        ("f/loop", "refused"),
        ("f/nowhere", "refused"),
        ("f/pipe", "refused"),
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may open every file")
def test_a_file_without_permission_is_a_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("words")
    (tmp_path / "a.txt").chmod(0)
    assert lines(load_paths([tmp_path / "a.txt"])) == [("a.txt", "not readable", "cannot be opened: Permission denied")]


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="a file that fails when read is at hand on Linux only")
def test_a_file_that_fails_when_it_is_read_is_a_line() -> None:
    assert lines(load_paths([Path("/proc/self/mem")])) == [
        ("mem", "not readable", "cannot be opened: Input/output error")
    ]


def test_a_path_that_cannot_be_a_path_is_named() -> None:
    with pytest.raises(CorpusError, match="There is no file or folder xxx"):
        load_paths([Path("x" * 5_000)])


def test_a_name_that_is_no_unicode_is_shown_with_escapes(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/caf\xe9\n.txt"
    with open(name, "wb") as file:  # noqa: PTH123 - Path takes no bytes
        file.write(b"words")
    [document] = load_paths([tmp_path]).documents
    assert document.source.path == f"{tmp_path.name}/caf\\udce9\\u000a.txt"


ODD_NAMES = {
    "=cmd|calc.csv.txt": "=cmd|calc.csv.txt",
    "<img src=x onerror=alert(1)>.txt": "<img src=x onerror=alert(1)>.txt",
    "line\nbreak.txt": "line\\u000abreak.txt",
    "bidi_\u202etxt.exe.txt": "bidi_\\u202etxt.exe.txt",
    f"{'ü' * 125}a.txt": f"{'ü' * 125}a.txt",
    " blank .txt": " blank .txt",
}


def test_odd_names_are_kept_or_shown_with_escapes(tmp_path: Path) -> None:
    for number, name in enumerate(ODD_NAMES):
        (tmp_path / name).write_text(f"words {number}")
    for isolated in (False, True):
        found = {document.source.path for document in load_paths([tmp_path], isolated=isolated).documents}
        assert found == {f"{tmp_path.name}/{shown}" for shown in ODD_NAMES.values()}


def test_a_file_that_vanishes_before_its_turn_is_a_line(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text(name)
    pieces = iter_load([tmp_path])
    next(pieces)
    (tmp_path / "b.txt").unlink()
    assert [lines(piece)[0][1:] for piece in pieces] == [
        ("not readable", "cannot be opened: No such file or directory"),
        ("read", ""),
    ]


def test_equal_files_are_one_document(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("same")
    (tmp_path / "b.md").write_text("same")
    loading = load_paths([tmp_path, tmp_path / "a.txt"])
    [document] = loading.documents
    first = f"{tmp_path.name}/a.txt"
    assert lines(loading)[1:] == [
        (f"{tmp_path.name}/b.md", "duplicate", f"the same bytes as {first}"),
        ("a.txt", "duplicate", f"the same bytes as {first}"),
    ]
    assert {line.document_id for line in loading.ledger} == {document.id}


def test_equal_names_with_equal_words_are_one_document() -> None:
    loading = join_loadings(uploads(("a.txt", b"same"), ("a.txt", b"\xef\xbb\xbfsame"), ("a.txt", b"other")))
    assert [line.outcome.value for line in loading.ledger] == ["read", "duplicate", "read"]
    assert len(Corpus(documents=loading.documents).documents) == 2


def test_the_name_of_an_upload_leads_nowhere() -> None:
    assert load_bytes("../..\\etc/./a.txt", b"x").documents[0].source.path == "etc/a.txt"
    assert load_bytes("", b"x").documents[0].source.path == "unnamed"
    assert lines(load_bytes("f/.DS_Store", b"x")) == [("f/.DS_Store", "skipped", "a hidden or system file")]


def test_archives_within_archives_are_read_and_every_member_has_its_line() -> None:
    inner = make_zip(("deep/c.txt", b"deep"), ("bad.pdf", b"%PDF-1.4"))
    outer = make_zip(("a.txt", b"shallow"), ("inner.zip", inner), ("copy.txt", b"deep"), ("__MACOSX/._a.txt", b"x"))
    loading = load_bytes("dump.zip", outer)
    assert lines(loading) == [
        ("dump.zip", "read", "a container of 4 files; 1 junk file skipped"),
        ("dump.zip > a.txt", "read", ""),
        ("dump.zip > inner.zip", "read", "a container of 2 files"),
        ("dump.zip > inner.zip > deep/c.txt", "read", ""),
        ("dump.zip > inner.zip > bad.pdf", "not readable", "a damaged or incomplete PDF"),
        ("dump.zip > copy.txt", "duplicate", "the same bytes as dump.zip > inner.zip > deep/c.txt"),
        ("dump.zip > __MACOSX/._a.txt", "skipped", "a hidden or system file"),
    ]
    assert [document.title for document in loading.documents] == ["a.txt", "c.txt"]


def test_unsafe_names_and_links_in_an_archive_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    link = zipfile.ZipInfo("link.txt")
    link.external_attr = 0o120777 << 16
    archive = make_zip(
        ("ok/a.txt", b"fine"),
        ("../../b.txt", b"1"),
        ("/c.txt", b"2"),
        ("..\\d.txt", b"3"),
        ("C:\\e.txt", b"4"),
        (link, b"/etc/hostname"),
    )
    loading = load_bytes("a.zip", archive)
    assert [document.text for document in loading.documents] == ["fine"]
    assert [line.outcome.value for line in loading.ledger] == ["read with warnings", "read", *["refused"] * 5]
    assert list(tmp_path.iterdir()) == []


def test_a_bomb_is_refused_and_its_neighbours_are_read() -> None:
    archive = make_zip(("zeros.txt", bytes(30 * 2**20)), ("readme.txt", b"read me"))
    loading = load_bytes("a.zip", archive)
    assert [document.text for document in loading.documents] == ["read me"]
    assert lines(loading)[1] == (
        "a.zip > zeros.txt",
        "refused",
        "unpacks to more than 200 times its size, as archives made to do harm do",
    )


def test_archives_are_followed_only_so_deep() -> None:
    held = make_zip(("a.txt", b"words"))
    for level in range(12):
        held = make_zip((f"{level}.zip", held))
    loading = load_bytes("a.zip", held)
    assert loading.documents == ()
    assert lines(loading)[-1][1:] == ("refused", "lies inside more than 10 containers")


def test_an_archive_of_far_too_many_members_is_read_to_the_limit() -> None:
    loading = load_bytes("a.zip", make_zip(*((f"{n}.txt", b"") for n in range(9))), limits=Limits(members=8))
    assert len(loading.ledger) == 9
    assert lines(loading)[0][1:] == (
        "read with warnings",
        "a container of 8 files; it holds more than 8 files or 20 GB; the rest was not read",
    )


def test_a_locked_member_needs_a_password_and_the_others_are_read() -> None:
    archive = bytearray(make_zip(("a.txt", b"open"), ("b.txt", b"locked")))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        archive[archive.rindex(mark) + offset] |= 1
    loading = load_bytes("a.zip", bytes(archive))
    assert lines(loading)[1:] == [("a.zip > a.txt", "read", ""), ("a.zip > b.txt", "not readable", "Password needed")]


def test_a_damaged_member_is_a_line_and_the_others_are_read() -> None:
    archive = make_zip(("a.txt", b"damaged words"), ("b.txt", b"whole"))
    place = archive.index(b"a.txt") + len("a.txt")
    loading = load_bytes("a.zip", archive[:place] + b"\xff\xff\xff" + archive[place + 3 :])
    assert lines(loading)[1:] == [
        ("a.zip > a.txt", "not readable", "damaged inside the archive"),
        ("a.zip > b.txt", "read", ""),
    ]


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("utf-8", "Müller & Søn.txt"),
        ("cp437", "Müller Höhr résumé.txt"),
        ("cp866", "Договор №5/Счёт и акт.txt"),
        ("shift_jis", "A社の資料（写し）.txt"),
        ("shift_jis", "文章1.txt"),
        ("shift_jis", "すべての資料.txt"),
        ("gb18030", "关于合同的说明.txt"),
    ],
)
def test_old_archives_names_are_put_right(encoding: str, name: str) -> None:
    raw = name.encode(encoding)
    stand_in = "x" * (len(raw) - 4) + ".txt"
    archive = make_zip((stand_in, b"words")).replace(stand_in.encode(), raw)
    assert load_bytes("a.zip", archive).documents[0].source.path == f"a.zip > {name}"


def test_a_deceiving_name_is_shown_with_escapes_and_told() -> None:
    loading = load_bytes("a.zip", make_zip(("invoice_\u202etxt.exe", b"words")))
    [document] = loading.documents
    assert document.source.path == "a.zip > invoice_\\u202etxt.exe"
    assert "turn letters around" in document.warnings[0]


def test_an_empty_or_damaged_archive_says_so() -> None:
    assert lines(load_bytes("a.zip", make_zip())) == [("a.zip", "nothing in it", "the archive is empty")]
    assert lines(load_bytes("a.zip", b"PK\x03\x04 and no more")) == [
        ("a.zip", "not readable", "a damaged or incomplete ZIP archive")
    ]


def test_each_kind_with_a_reader_is_a_line_of_the_table() -> None:
    assert {"text/plain", "text/html", "text/csv", "message/rfc822", "application/pdf", "application/zip"} <= set(
        READERS
    )


def test_importing_the_readers_loads_no_library_of_a_format() -> None:
    heavy = "{'lxml', 'pypdfium2', 'charset_normalizer', 'pandas', 'streamlit'}"
    code = f"import sys, r3con_core.readers; sys.exit(repr({heavy} & set(sys.modules) or ''))"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.stderr.strip() == "''"


SUFFIXES = ["txt", "md", "html", "csv", "tsv", "json", "jsonl", "eml", "docx", "pdf", "zip", "doc", "xyz"]
STARTS = [
    b"",
    b"PK\x03\x04",
    b"%PDF-1.4\n",
    b"<html>",
    b"From: a@b\nMessage-ID: <1>\n\n",
    b"\xff\xfe",
    b'{"a": ',
    b"a;b\n",
]


@settings(deadline=None, max_examples=250)
@given(
    st.sampled_from(SUFFIXES), st.sampled_from(STARTS), st.one_of(st.binary(max_size=400), st.text().map(str.encode))
)
def test_any_bytes_under_any_name_give_lines_and_sound_documents(suffix: str, start: bytes, rest: bytes) -> None:
    loading = load_bytes(f"a.{suffix}", start + rest)
    assert loading.ledger
    read = [line.document_id for line in loading.ledger if line.outcome in (Outcome.READ, Outcome.READ_WITH_WARNINGS)]
    assert [name for name in read if name] == [document.id for document in loading.documents]
    for document in loading.documents:
        document.text.encode()
        assert document.text.strip()
        assert not set("\x00\r") & set(document.text)
        assert all(unit.span.end <= len(document.text) for unit in document.units)
        assert all(one.span.end <= two.span.start for one, two in pairwise(document.units))


@settings(deadline=None, max_examples=100)
@given(st.lists(st.text(min_size=1).filter(lambda cell: cell.strip()), min_size=1, max_size=5))
def test_every_cell_of_a_table_stands_in_its_text(cells: list[str]) -> None:
    row = ";".join('"' + cell.replace('"', '""') + '"' for cell in cells)
    loading = load_bytes("a.csv", f"sep=;\n{row}\n".encode("utf-8", "replace"))
    kept = [cell.replace("\r\n", "\n").replace("\r", "\n").strip() for cell in cells if cell.isprintable()]
    assert all(cell in document.text for document in loading.documents for cell in kept)


def test_a_file_all_of_whose_text_is_set_aside_is_kept_for_its_findings() -> None:
    loading = load_bytes("a.html", b"<html><body><p hidden>Nobody sees this.</p></body></html>")
    assert [line.outcome for line in loading.ledger] == [Outcome.READ_WITH_WARNINGS]
    assert [(document.text, document.findings[0].text) for document in loading.documents] == [("", "Nobody sees this.")]
