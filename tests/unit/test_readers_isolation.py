"""A file that crashes, hangs or eats memory in its reader costs that file only; the ledger is the same in any case."""

import io
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from r3con_core.documents import Document
from r3con_core.readers import LedgerLine, Loading, iter_load, iter_load_bytes, join_loadings, load_bytes, load_paths
from r3con_core.readers.content import Content
from r3con_core.readers.ledger import ReadSettings
from r3con_core.readers.limits import Limits

ROOT = Path(__file__).parents[2]

STRANGE = r"""
import os, signal, subprocess, sys, time
from r3con_core.documents import make_document
from r3con_core.readers import kinds, reading
from r3con_core.readers.isolation import worker
from r3con_core.readers.ledger import CorpusError, Member, Progress

def read(file):
    words = file.data().decode().split()
    own = make_document(title="t", text=file.data().decode(), source=file.source)
    for word in words:
        if word == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif word == "exit":
            os._exit(3)
        elif word == "hang":
            while True:
                pass
        elif word == "hold":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            (file.content.path.parent / "child").write_text(str(os.getpgid(0)))
            time.sleep(600)
        elif word == "slow":
            for done in range(12):
                time.sleep(0.25)
                yield Progress(done=done, total=12)
        elif word == "eat":
            bytearray(2**40)
        elif word == "print":
            print("noise" * 1000, flush=True)
            os.system("echo more noise")
        elif word == "bad":
            os.write(PIPE, b"what no reader says")
        elif word == "liar":
            yield make_document(title="t", text="x", source=type(file.source)(path="b.txt", sha256="0", media_type=""))
        elif word == "half":
            yield Member(name="one.md", data=b"# the first member")
            yield Member(name="two.md", data=b"# the second member")
        elif word == "env":
            yield Member(name="env.md", data=repr((dict(os.environ), os.getcwd(), sys.argv)).encode())
        elif word == "grow":
            worker.TOO_LARGE = 1
        elif word == "pid":
            yield make_document(title="t", text=str(os.getpid()), source=file.source)
            return
        elif word == "touch":
            with file.content.path.open("a") as own_file:
                own_file.write("more")
        elif word == "lone":
            yield make_document(title="t", text="caf\udce9 and more", source=file.source, author="\ud800")
            return
        elif word == "own":
            yield own
    yield own

reading.READERS = {**reading.READERS, kinds.TEXT: read}
take = worker.take_output
def take_output():
    global PIPE
    pipe = take()
    PIPE = pipe.fileno()
    return pipe
worker.take_output = take_output
worker.main(memory=int(sys.argv[1]), seconds=60.0)
"""
"""A reader process that does what is written in text files."""

STRICT = Limits(seconds=5, memory=2**30, processes=2, free_bytes=0)


@pytest.fixture
def strange(tmp_path: Path) -> tuple[str, ...]:
    script = tmp_path / "strange.py"
    script.write_text(STRANGE)
    return (sys.executable, str(script), str(STRICT.memory))


def lines(loading: Loading) -> list[tuple[str, str, str]]:
    return [(line.path, line.outcome.value, line.reason) for line in loading.ledger]


def read(reader: tuple[str, ...], *files: tuple[str, bytes], limits: Limits = STRICT) -> Loading:
    held = [(name, Content.held(data)) for name, data in files]
    return join_loadings(iter_load_bytes(held, isolated=True, reader=reader, limits=limits))


def make_zip(*members: tuple[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, data in members:
            archive.writestr(name, data)
    return held.getvalue()


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("crash", "the reader stopped unexpectedly (signal 11)"),
        ("exit", "the reader stopped unexpectedly (exit code 3)"),
        ("eat", "needs more memory than 1 GB"),
        ("bad", "the reader stopped unexpectedly (it sent what cannot be read)"),
        ("liar", "the reader stopped unexpectedly (it sent what cannot be read)"),
    ],
)
def test_a_file_that_ends_its_reader_costs_that_file_only(strange: tuple[str, ...], word: str, reason: str) -> None:
    loading = read(strange, ("a.txt", word.encode()), ("b.txt", b"fine"), ("c.txt", b"fine too"))
    assert lines(loading) == [("a.txt", "not readable", reason), ("b.txt", "read", ""), ("c.txt", "read", "")]
    assert [document.text for document in loading.documents] == ["fine", "fine too"]


def test_a_file_that_hangs_is_stopped_and_the_next_ones_are_read(strange: tuple[str, ...]) -> None:
    limits = replace(STRICT, seconds=2, processes=1)
    loading = read(strange, ("a.txt", b"hang"), ("b.txt", b"fine"), limits=limits)
    reason = "took longer than 2 seconds without a result; stopped"
    assert lines(loading) == [("a.txt", "not readable", reason), ("b.txt", "read", "")]


def test_a_sign_of_life_keeps_a_slow_file_going_and_is_passed_on(strange: tuple[str, ...]) -> None:
    limits = replace(STRICT, seconds=2)
    pieces = list(iter_load_bytes([("a.txt", Content.held(b"slow"))], isolated=True, reader=strange, limits=limits))
    assert lines(join_loadings(pieces)) == [("a.txt", "read", "")]
    assert [(piece.file_number, piece.complete) for piece in pieces[-2:]] == [(1, False), (1, True)]
    assert any(piece.under_way.startswith("a.txt, page ") for piece in pieces)


def test_what_was_found_before_is_kept(strange: tuple[str, ...]) -> None:
    loading = read(strange, ("a.txt", b"half crash"), ("b.txt", b"own crash"))
    fault = "the reader stopped unexpectedly (signal 11)"
    assert lines(loading) == [
        ("a.txt", "read with warnings", f"a container of 2 files; {fault}"),
        ("a.txt > one.md", "read", ""),
        ("a.txt > two.md", "read", ""),
        ("b.txt", "read with warnings", fault),
    ]
    assert [document.text for document in loading.documents][-1] == "own crash"


def test_a_file_that_is_changed_while_it_is_read_says_so(strange: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("touch")
    loading = load_paths([tmp_path / "a.txt"], isolated=True, reader=strange, limits=STRICT)
    reason = "the file was changed or removed while it was read; import it again"
    assert lines(loading) == [("a.txt", "read with warnings", reason)]


def test_a_bad_member_costs_itself_only(strange: tuple[str, ...]) -> None:
    archive = make_zip(
        ("1.txt", b"fine"), ("2.txt", b"crash"), ("in.zip", make_zip(("3.txt", b"exit"), ("4.txt", b"4")))
    )
    assert lines(read(strange, ("a.zip", archive))) == [
        ("a.zip", "read", "a container of 3 files"),
        ("a.zip > 1.txt", "read", ""),
        ("a.zip > 2.txt", "not readable", "the reader stopped unexpectedly (signal 11)"),
        ("a.zip > in.zip", "read", "a container of 2 files"),
        ("a.zip > in.zip > 3.txt", "not readable", "the reader stopped unexpectedly (exit code 3)"),
        ("a.zip > in.zip > 4.txt", "read", ""),
    ]


def test_a_text_with_half_a_letter_is_kept(strange: tuple[str, ...]) -> None:
    [document] = read(strange, ("a.txt", b"lone")).documents
    assert (document.text, document.author) == ("caf? and more", "?")


def test_what_libraries_print_does_not_reach_the_importer(strange: tuple[str, ...]) -> None:
    assert lines(read(strange, ("a.txt", b"print"), ("b.txt", b"fine")))[1] == ("b.txt", "read", "")


def test_a_reader_gets_neither_keys_nor_passwords_by_its_environment(
    strange: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "hush-hush")
    held = [("a.txt", Content.held(b"env"))]
    settings = ReadSettings(passwords=("pass-word",))
    pieces = iter_load_bytes(held, isolated=True, reader=strange, limits=STRICT, settings=settings)
    told = next(document.text for document in join_loadings(pieces).documents if "PATH" in document.text)
    assert "hush-hush" not in told
    assert "pass-word" not in told
    assert f"'HOME': '{Path.home()}'" not in told


def test_a_reader_that_has_grown_makes_way_for_another(strange: tuple[str, ...]) -> None:
    limits = replace(STRICT, processes=1)
    files = [("a.txt", b"pid  "), ("b.txt", b"grow pid"), ("c.txt", b"pid"), ("d.txt", b" pid")]
    loading = read(strange, *files, limits=limits)
    assert {line.outcome.value for line in loading.ledger} == {"read"}
    one, two, three, four = (document.text for document in loading.documents)
    assert one == two != three == four


def test_a_reader_that_cannot_start_is_told_of_each_file() -> None:
    loading = read((sys.executable, "-c", "raise SystemExit(4)"), ("a.txt", b"1"), ("b.txt", b"2"))
    fault = "the reader stopped unexpectedly (exit code 4)"
    assert lines(loading) == [("a.txt", "not readable", fault), ("b.txt", "not readable", fault)]


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at the processes as Linux shows them")
def test_a_reader_is_ended_with_all_it_has_started(strange: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hold")
    read_one = iter_load([tmp_path / "a.txt"], isolated=True, reader=strange, limits=replace(STRICT, seconds=3))
    assert lines(join_loadings(read_one))[0][1] == "not readable"
    group = (tmp_path / "child").read_text()
    assert group not in groups()


def group_of(process: Path) -> str:
    """The group of a process, empty when it has ended."""
    try:
        state, _, group = (process / "stat").read_text().rpartition(")")[2].split()[:3]
    except OSError:
        return ""
    return "" if state == "Z" else group


def test_nothing_is_left_behind(strange: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    archive = make_zip(*((f"{n}.txt", f"number {n}".encode()) for n in range(50)))
    pieces = iter_load_bytes([("a.zip", Content.held(archive))], isolated=True, limits=STRICT)
    assert next(piece.ledger for piece in pieces if piece.ledger)[0].path == "a.zip"
    pieces.close()
    read(strange, ("a.zip", archive), ("b.txt", b"half crash"))
    assert [place.name for place in tmp_path.iterdir()] == ["strange.py"]


def make_tree(folder: Path) -> Path:
    """A folder of duplicates, containers in containers and damaged files."""
    folder.mkdir()
    inner = make_zip(("deep.txt", b"deep"), ("twin.txt", b"twin"), ("bad.pdf", b"%PDF-1.4"))
    mail = b"From: a@b.example\nMessage-ID: <1>\nSubject: S\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n"
    mail += b"--x\n\nHello\n--x\nContent-Disposition: attachment; filename=a.txt\n\ntwin\n--x--\n"
    (folder / "a.zip").write_bytes(make_zip(("1.txt", b"one"), ("in.zip", inner), ("m.eml", mail), ("in2.zip", inner)))
    (folder / "b.txt").write_bytes(b"twin")
    (folder / "c.txt").write_bytes(b"deep")
    (folder / "d.zip").write_bytes(make_zip(("again.txt", b"only here"), ("one.txt", b"one")))
    for number in range(30):
        (folder / f"e{number}.txt").write_text(f"number {number % 20}")
    (folder / "f.csv").write_text("a;b\n1;2\n")
    (folder / "g.bin").write_bytes(bytes(100))
    return folder


def test_processes_give_the_same_documents_and_ledger_as_one(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "tree")
    alone = load_paths([tree])
    assert [load_paths([tree], isolated=True, limits=replace(STRICT, processes=n)) for n in (1, 3)] == [alone, alone]
    assert [line.path for line in alone.ledger if line.outcome == "duplicate"][:3] == [
        "tree/a.zip > m.eml > a.txt",
        "tree/a.zip > in2.zip",
        "tree/b.txt",
    ]


def test_an_attachment_names_the_document_it_came_with(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "tree")
    (tree / "a.zip").write_bytes(make_zip(("m.eml", zip_mail(make_zip(("in.txt", b"inside"))))))
    (tree / "b.txt").unlink()
    documents = load_paths([tree / "a.zip"], isolated=True, limits=STRICT).documents
    assert [(document.source.path, document.parent) for document in documents] == [
        ("a.zip > m.eml", ""),
        ("a.zip > m.eml > a.zip > in.txt", "a.zip > m.eml"),
    ]


def zip_mail(data: bytes) -> bytes:
    from email.message import EmailMessage

    mail = EmailMessage()
    mail["From"], mail["Message-ID"] = "a@b.example", "<1@b.example>"
    mail.set_content("See attached")
    mail.add_attachment(data, maintype="application", subtype="zip", filename="a.zip")
    return bytes(mail)


def remembered(kept: list[Loading]) -> dict[str, LedgerLine]:
    """What a project would know of what it has read, by hash and by document."""
    lines = [line for loading in kept for line in loading.ledger if line.outcome in ("read", "read with warnings")]
    return {key: line for line in reversed(lines) for key in (line.sha256, line.document_id) if key}


@pytest.mark.parametrize("pieces_kept", [0, 2, 9, 30])
def test_an_import_ended_at_any_point_and_resumed_has_the_same_ledger(tmp_path: Path, pieces_kept: int) -> None:
    tree = make_tree(tmp_path / "tree")
    whole = load_paths([tree])
    pieces = iter_load([tree], isolated=True, limits=STRICT)
    kept = [piece for piece, _ in zip(pieces, range(pieces_kept), strict=False)]
    pieces.close()
    done = max((piece.file_number for piece in kept if piece.complete), default=0)
    kept = [piece for piece in kept if piece.file_number <= done]
    rest = iter_load([tree], isolated=True, limits=STRICT, skip=done, known=remembered(kept).get)
    assert join_loadings([*kept, *rest]) == whole


def test_only_one_file_can_be_read_again(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "tree")
    pieces = list(iter_load([tree], only=2))
    assert [(piece.file_number, piece.complete) for piece in pieces] == [(2, True)]
    assert lines(pieces[0]) == [("tree/b.txt", "read", "")]


def test_each_document_is_told_of_with_its_bytes_while_they_are_there(tmp_path: Path) -> None:
    told: list[tuple[str, bytes, Path | None]] = []

    def keep(document: Document, content: Content, on_disk: Path | None) -> None:
        told.append((document.source.path, content.data(), on_disk))

    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.txt").write_text("on disk")
    (tree / "b.zip").write_bytes(make_zip(("c.txt", b"packed")))
    for isolated in (True, False):
        load_paths([tree], isolated=isolated, keep=keep)
        assert told == [("tree/a.txt", b"on disk", tree / "a.txt"), ("tree/b.zip > c.txt", b"packed", None)]
        told.clear()


def test_a_full_disk_is_a_plain_line() -> None:
    archive = make_zip(("a.txt", b"one"), ("b.txt", b"two"))
    limits = replace(STRICT, free_bytes=2**60)
    held = [("a.zip", Content.held(archive))]
    loading = join_loadings(iter_load_bytes(held, isolated=True, limits=limits))
    assert lines(loading) == [
        ("a.zip", "not readable", "the disk has too little room to unpack it; the rest was not read")
    ]


def test_an_archive_that_holds_itself_ends() -> None:
    droste = Path(__file__).parents[2].parent / "shared" / "nasty" / "droste.zip"
    if not droste.exists():
        pytest.skip("the shared files are not here")
    blind = ReadSettings(ocr=False)
    loading = load_paths([droste], isolated=True, limits=STRICT, settings=blind)
    assert loading == load_paths([droste], settings=blind)
    assert loading.ledger[-1].outcome in ("duplicate", "refused")


def test_a_container_whose_first_member_is_a_pdf_is_a_container() -> None:
    assert load_bytes("a.zip", make_zip(("bad.pdf", b"%PDF-1.4"))).ledger[0].media_type == "application/zip"


def test_lines_state_what_the_bytes_are() -> None:
    archive = make_zip(("bad.pdf", b"%PDF-1.4"), ("a.txt", b"words"))
    facts = [(line.size, len(line.sha256), line.media_type) for line in load_bytes("a.zip", archive).ledger]
    assert facts == [(len(archive), 64, "application/zip"), (8, 64, "application/pdf"), (5, 64, "text/plain")]


_KILLED = """
import sys
from pathlib import Path
from r3con_core.readers import iter_load
for piece in iter_load([Path(sys.argv[1])], isolated=True, reader=sys.argv[2:]):
    print(piece.under_way, flush=True)
"""


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at the processes as Linux shows them")
def test_readers_end_when_the_importer_is_killed(strange: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hold")
    importer = subprocess.Popen(
        [sys.executable, "-c", _KILLED, str(tmp_path / "a.txt"), *strange],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
    )
    child = tmp_path / "child"
    until = time.monotonic() + 20
    while not child.exists() and time.monotonic() < until:
        assert importer.stdout is not None
        importer.stdout.readline()
    importer.kill()
    importer.communicate()
    group = child.read_text()
    while group in groups() and time.monotonic() < until:
        os.sched_yield()
    assert group not in groups()


def groups() -> set[str]:
    return {group_of(place) for place in Path("/proc").glob("[0-9]*")}


def test_a_frame_is_json_of_a_known_kind() -> None:
    from r3con_core.readers.isolation import protocol
    from r3con_core.readers.reading import Node

    node = Node(key=(1,), path="a.txt", content=Content.held(b"x"), sha256="0" * 64)
    beyond = {"name": "m", "start": 0, "size": 9, "sha256": "0" * 64, "stands_in_container": False}
    outside = {"path": "b.txt", "outcome": "read"}
    for tag, stated in ((b"M", beyond), (b"L", outside), (b"L", {"path": "a.txt"}), (b"X", {}), (b"D", [])):
        with pytest.raises(protocol.FrameError):
            protocol.decode(tag, json.dumps(stated).encode(), node=node, pack=Path("no-such-pack"))


def test_the_size_of_the_importer_is_not_taken_for_the_readers(strange: tuple[str, ...]) -> None:
    ballast = bytearray(b"x") * (600 * 2**20)
    loading = read(
        strange, ("a.txt", b"pid  "), ("b.txt", b"pid"), ("c.txt", b" pid"), limits=replace(STRICT, processes=1)
    )
    assert ballast
    assert len({document.text for document in loading.documents}) == 1


def test_a_relative_path_is_read_wherever_the_reader_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("Words of a.")
    monkeypatch.chdir(tmp_path)
    assert [document.text for document in load_paths([Path("a.txt")], isolated=True).documents] == ["Words of a."]
