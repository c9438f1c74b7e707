"""Truncated and bit-flipped files: no crash, one line for the file, every place within its text.

`R3CON_FUZZ_EXAMPLES=5000 pytest tests/unit/test_readers_fuzz.py` looks longer.
"""

import io
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from r3con_core.readers import Loading, Outcome, load_bytes
from r3con_core.readers.ledger import ReadSettings

CASES = Path(__file__).parents[2].parent / "shared" / "cases"
NASTY = CASES.parent / "nasty"
EXAMPLES = int(os.environ.get("R3CON_FUZZ_EXAMPLES", "150"))
LARGEST = 60_000
"""Bytes of a case that is tried; larger ones say the same and take longer."""
UNSEEN = ReadSettings(ocr=False)


def _zip(*members: tuple[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return held.getvalue()


def _tar() -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w:gz") as archive:
        member = tarfile.TarInfo("in/a.txt")
        member.size = 5
        archive.addfile(member, io.BytesIO(b"words"))
    return held.getvalue()


_MAIL = (
    b"From: =?utf-8?q?Ren=C3=A9e?= <r@example.org>\nMessage-ID: <1@example.org>\nDate: Mon, 17 May 2021 09:30:00 +0200\n"
    b"Subject: Invoices\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=edge\n\n"
    b"--edge\nContent-Type: text/html; charset=utf-8\n\n<p>See <b>attached</b></p>\n"
    b"--edge\nContent-Type: message/rfc822\n\nFrom: a@example.org\nMessage-ID: <2@example.org>\n\nEarlier\n"
    b"--edge\nContent-Disposition: attachment; filename=a.csv\nContent-Transfer-Encoding: base64\n\nYTtiCjE7Mgo=\n--edge--\n"
)
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_DOCX = _zip(
    ("[Content_Types].xml", b"<Types/>"),
    (
        "word/document.xml",
        f'<w:document xmlns:w="{_W}"><w:body><w:p><w:ins w:id="1" w:author="R"><w:r><w:t>in</w:t></w:r></w:ins>'
        '<w:del w:id="2" w:author="R"><w:r><w:delText>out</w:delText></w:r></w:del></w:p>'
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>".encode(),
    ),
)
_PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj\n"
    b"4 0 obj<</Length 44>>stream\nBT /F 12 Tf 20 100 Td (Words on a page) Tj ET\nendstream endobj\n"
    b"5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R>>\n"
)
BUILT = {
    "a.eml": _MAIL,
    "Inbox.mbox": b"From a@x Mon May 17 09:30:00 2021\n" + _MAIL + b"\nFrom b@x Mon May 17 10:30:00 2021\n" + _MAIL,
    "a.docx": _DOCX,
    "a.pdf": _PDF,
    "a.zip": _zip(("a.eml", _MAIL), ("in.zip", _zip(("deep.txt", b"deep"))), ("a.docx", _DOCX)),
    "a.tgz": _tar(),
    "a.html": b"<html><head><title>T</title><style>.h{display:none}</style></head><body><p class=h>no</p><p>yes</body>",
    "a.csv": 'Datum;Betrag\n13/05/2021;1.234,56\n25/04/2021;"zwei\nZeilen"\n'.encode("cp1252"),
    "a.json": b'{"a": [1, {"b": "text"}], "c": null}',
    "a.jsonl": b'{"text": "one"}\n{"text": "two"}\n',
    "a.xml": b"<?xml version='1.0'?><a><b c='d'>text</b></a>",
    "a.rtf": b"{\\rtf1\\ansi\\ansicpg1252 {\\b Words} and \\'e9t\\'e9 {\\footnote note}\\par}",
    "a.md": b"# Title\n\nwords\n",
    "a.txt": "Größe 12 €\n\nzweiter Absatz".encode("cp1252"),
}


def _shared() -> dict[str, bytes]:
    files = [file for folder in (CASES, NASTY) if folder.exists() for file in sorted(folder.iterdir())]
    return {file.name: file.read_bytes() for file in files if file.is_file() and file.stat().st_size <= LARGEST}


SHARED = _shared()


@st.composite
def _damaged(draw: Callable[..., object], whole: dict[str, bytes]) -> tuple[str, bytes]:
    name = str(draw(st.sampled_from(sorted(whole))))
    data = bytearray(whole[name])
    cut = draw(st.one_of(st.none(), st.integers(0, len(data))))
    if isinstance(cut, int):
        del data[cut:]
    flips = draw(st.lists(st.tuples(st.integers(0, max(len(data) - 1, 0)), st.integers(1, 255)), max_size=8))
    assert isinstance(flips, list)
    for place, bits in flips:
        if data:
            data[place] ^= bits
    return name, bytes(data)


def _check(loading: Loading, name: str) -> None:
    assert [line.path for line in loading.ledger].count(name) == 1
    assert loading.ledger[0].path == name
    read = [line.document_id for line in loading.ledger if line.outcome in (Outcome.READ, Outcome.READ_WITH_WARNINGS)]
    assert [document_id for document_id in read if document_id] == [document.id for document in loading.documents]
    for document in loading.documents:
        document.text.encode()
        assert document.text.strip() or any(one.set_aside for one in document.findings)
        spans = [unit.span for unit in document.units] + [one.span for one in document.findings if one.span]
        assert all(span.end <= len(document.text) for span in spans)
        assert all(one.text == document.text[one.span.start : one.span.end] for one in document.findings if one.span)
        assert len(document.unread_pages) <= document.pages


@settings(deadline=None, max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(_damaged(BUILT))
@example(("a.html", BUILT["a.html"].replace(b"<p>yes", b"<p?yes")))
def test_a_damaged_file_is_a_line_and_its_places_are_sound(damaged: tuple[str, bytes]) -> None:
    name, data = damaged
    _check(load_bytes(name, data, settings=UNSEEN), name)


@pytest.mark.skipif(not SHARED, reason="the shared files are not here")
@settings(deadline=None, max_examples=max(EXAMPLES // 2, 1), suppress_health_check=list(HealthCheck))
@given(_damaged(SHARED or BUILT))
def test_a_damaged_case_is_a_line_and_its_places_are_sound(damaged: tuple[str, bytes]) -> None:
    name, data = damaged
    _check(load_bytes(name, data, settings=UNSEEN), name)


@pytest.mark.parametrize("name", sorted(BUILT))
def test_what_is_damaged_here_can_be_read_whole(name: str) -> None:
    _check(load_bytes(name, BUILT[name], settings=UNSEEN), name)
