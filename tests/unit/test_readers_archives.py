"""ZIP, TAR, 7z and packed files: all that is in them is read or told, and nothing in them does harm."""

import bz2
import gzip
import io
import lzma
import os
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from r3con_core.readers import Loading, load_bytes, load_paths
from r3con_core.readers.ledger import ReadSettings

SHARED = Path(__file__).parents[3] / "shared"
Lines = list[tuple[str, str, str]]


def lines(loading: Loading) -> Lines:
    """Path, outcome and reason of each line."""
    return [(line.path, line.outcome.value, line.reason) for line in loading.ledger]


def texts(loading: Loading) -> dict[str, str]:
    """The text of each document, by its path."""
    return {document.source.path: document.text for document in loading.documents}


def make_zip(*members: tuple[str | zipfile.ZipInfo, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", how) as archive:
        for name, data in members:
            archive.writestr(name, data, how)
    return held.getvalue()


def make_tar(*members: tuple[str, bytes], form: int = tarfile.PAX_FORMAT) -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w", format=form) as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return held.getvalue()


def with_entries(*entries: tarfile.TarInfo) -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as archive:
        for entry in entries:
            archive.addfile(entry, io.BytesIO(bytes(entry.size)))
    return held.getvalue()


def entry(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def make_seven_zip(*members: tuple[str, bytes], password: str | None = None, hide_names: bool = False) -> bytes:
    py7zr = pytest.importorskip("py7zr")
    held = io.BytesIO()
    with py7zr.SevenZipFile(held, "w", password=password, header_encryption=hide_names) as archive:
        for name, data in members:
            archive.writestr(data, name)
    return held.getvalue()


def locked_zip(*members: tuple[str, bytes], password: str) -> bytes:
    """An archive under AES, as WinZip and 7-Zip make it."""
    pyzipper = pytest.importorskip("pyzipper")
    held = io.BytesIO()
    with pyzipper.AESZipFile(held, "w", compression=zipfile.ZIP_DEFLATED, encryption=pyzipper.WZ_AES) as archive:
        archive.setpassword(password.encode())
        for name, data in members:
            archive.writestr(name, data)
    return held.getvalue()


def old_lock(data: bytes, password: bytes) -> bytes:
    """`data` as the old ZIP cipher writes it (APPNOTE 6.1), after a header that ends in the checksum's high byte."""
    table = list(range(256))
    for _ in range(8):
        table = [n >> 1 ^ 0xEDB88320 if n & 1 else n >> 1 for n in table]
    keys = [0x12345678, 0x23456789, 0x34567890]

    def step(byte: int, checksum: int) -> int:
        return (checksum >> 8) ^ table[(checksum ^ byte) & 0xFF]

    def update(byte: int) -> None:
        keys[0] = step(byte, keys[0])
        keys[1] = ((keys[1] + (keys[0] & 0xFF)) * 134775813 + 1) & 0xFFFFFFFF
        keys[2] = step(keys[1] >> 24, keys[2])

    for byte in password:
        update(byte)
    locked = bytearray()
    for byte in bytes(11) + bytes([zlib.crc32(data) >> 24]) + data:
        mask = (keys[2] | 2) & 0xFFFF
        locked.append(byte ^ (mask * (mask ^ 1) >> 8) & 0xFF)
        update(byte)
    return bytes(locked)


def raw_zip(
    packed: bytes, *, method: int, plain: bytes, flags: int = 0, named: tuple[bytes, bytes] = (b"a.txt", b"")
) -> bytes:
    """An archive of one member whose bytes, headers, name and extra field are just these."""
    name, extra = named
    common = struct.pack(
        "<HHHHHLLLHH", 20, flags, method, 0, 0x21, zlib.crc32(plain), len(packed), len(plain), len(name), len(extra)
    )
    local = b"PK\x03\x04" + common + name + extra + packed
    central = b"PK\x01\x02" + struct.pack("<H", 20) + common + struct.pack("<HHHLL", 0, 0, 0, 0, 0) + name + extra
    end = b"PK\x05\x06" + struct.pack("<HHHHLLH", 0, 0, 1, 1, len(central), len(local), 0)
    return local + central + end


def test_members_of_the_same_name_are_all_read_and_told_apart() -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        archive = make_zip(("a.csv", b"x;y\n1;2\n"), ("a.csv", b"x;y\n3;4\n"), ("a.csv", b"x;y\n5;6\n"))
    loading = load_bytes("a.zip", archive)
    assert [line.path for line in loading.ledger] == [
        "a.zip",
        "a.zip > a.csv",
        "a.zip > a.csv (2)",
        "a.zip > a.csv (3)",
    ]
    assert {line.media_type for line in loading.ledger[1:]} == {"text/csv"}


def test_an_archive_tells_what_it_refused_and_skipped() -> None:
    link = zipfile.ZipInfo("link.txt")
    link.external_attr = 0o120777 << 16
    archive = make_zip(
        ("a.txt", b"fine"),
        ("../b.txt", b"1"),
        ("C:\\c.txt", b"2"),
        (link, b"/etc/hostname"),
        ("__MACOSX/._a", b"3"),
        (".DS_Store", b"4"),
    )
    assert lines(load_bytes("a.zip", archive)) == [
        (
            "a.zip",
            "read with warnings",
            "a container of 6 files; 3 entries refused: unsafe path or link; 2 junk files skipped",
        ),
        ("a.zip > a.txt", "read", ""),
        ("a.zip > ../b.txt", "refused", "an unsafe name that points outside the archive"),
        ("a.zip > C:/c.txt", "refused", "an unsafe name that points outside the archive"),
        ("a.zip > link.txt", "refused", "a link; links are not followed"),
        ("a.zip > __MACOSX/._a", "skipped", "a hidden or system file"),
        ("a.zip > .DS_Store", "skipped", "a hidden or system file"),
    ]


def test_junk_alone_is_a_note_and_no_warning() -> None:
    [own, *_] = lines(load_bytes("a.zip", make_zip(("a.txt", b"fine"), (".DS_Store", b"4"))))
    assert own == ("a.zip", "read", "a container of 2 files; 1 junk file skipped")


def test_a_bomb_is_told_with_how_far_it_expands() -> None:
    archive = make_zip(("zeros\n.txt", bytes(30 * 2**20)), ("readme.txt", b"read me"))
    loading = load_bytes("a.zip", archive)
    assert texts(loading) == {"a.zip > readme.txt": "read me"}
    assert (
        loading.ledger[0].reason == "a container of 2 files; zeros\\u000a.txt skipped: expands 1028:1 beyond the limit"
    )


def test_a_bomb_that_states_a_small_size_is_counted_while_it_unpacks() -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(bytes(30 * 2**20)) + packer.flush()
    archive = bytearray(raw_zip(packed, method=8, plain=bytes(30 * 2**20)))
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<L", archive, archive.index(mark) + offset, 10)
    loading = load_bytes("a.zip", bytes(archive))
    assert loading.documents == ()
    assert loading.ledger[1].outcome.value in ("refused", "not readable")


def test_members_that_overlap_are_not_unpacked_over_and_over() -> None:
    words = os.urandom(20_000)
    archive = raw_zip(words, method=0, plain=words)
    at, end = archive.index(b"PK\x01\x02"), archive.index(b"PK\x05\x06")
    central = archive[at:end]
    many = archive[:at] + central * 50 + b"PK\x05\x06" + struct.pack("<HHHHLLH", 0, 0, 50, 50, len(central) * 50, at, 0)
    reasons = [line.reason for line in load_bytes("a.zip", many).ledger]
    assert reasons.count("overlaps other files of its archive, as in archives made to do harm") >= 48


@pytest.mark.parametrize("how", [zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_members_packed_in_other_ways_are_read(how: int) -> None:
    assert texts(load_bytes("a.zip", make_zip(("a.txt", b"plain words"), how=how))) == {"a.zip > a.txt": "plain words"}


def test_zstandard_and_deflate64_are_read() -> None:
    zstd = pytest.importorskip("backports.zstd")
    inflate64 = pytest.importorskip("inflate64")
    plain = b"the same words again and again " * 500
    deflater = inflate64.Deflater()
    packed = deflater.deflate(plain) + deflater.flush()
    for method, data in ((93, zstd.compress(plain)), (9, packed)):
        loading = load_bytes("a.zip", raw_zip(data, method=method, plain=plain))
        assert texts(loading) == {"a.zip > a.txt": plain.decode()}


def test_a_damaged_zstandard_member_is_told() -> None:
    zstd = pytest.importorskip("backports.zstd")
    packed = bytearray(zstd.compress(b"words " * 100))
    packed[6:9] = b"\xff\xff\xff"
    loading = load_bytes("a.zip", raw_zip(bytes(packed), method=93, plain=b"words " * 100))
    assert lines(loading)[1:] == [("a.zip > a.txt", "not readable", "damaged inside the archive")]


def test_a_way_of_packing_that_is_not_known_is_named() -> None:
    for method, reason in ((98, "packed as PPMd that"), (77, "packed in a way that")):
        loading = load_bytes("a.zip", raw_zip(b"xxxx", method=method, plain=b"words"))
        assert lines(loading)[1:] == [("a.zip > a.txt", "not readable", f"{reason} cannot be unpacked here")]


def test_the_name_in_the_unicode_field_counts_when_it_belongs_to_the_member() -> None:
    old = b"?????.txt"
    for checked, shown in ((old, "доклад.txt"), (b"other", "?????.txt")):
        stated = struct.pack("<BL", 1, zlib.crc32(checked)) + "доклад.txt".encode()
        extra = struct.pack("<HH", 0x7075, len(stated)) + stated
        archive = raw_zip(b"words", method=0, plain=b"words", named=(old, extra))
        assert list(texts(load_bytes("a.zip", archive))) == [f"a.zip > {shown}"]


def test_a_zip64_archive_is_read() -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive, archive.open("a.txt", "w", force_zip64=True) as member:
        member.write(b"plain words")
    assert texts(load_bytes("a.zip", held.getvalue())) == {"a.zip > a.txt": "plain words"}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.z01", b"PK\x07\x08PK\x03\x04 and so on"),
        ("a.zip.001", make_zip(("a.txt", b"words"))[:40]),
        ("a.zip", make_zip(("a.txt", b"words"))[:-18] + struct.pack("<HHHHLLH", 2, 0, 1, 1, 51, 43, 0)),
    ],
    ids=["middle part", "cut by size", "last part"],
)
def test_a_part_of_a_split_archive_says_so(name: str, data: bytes) -> None:
    [line] = load_bytes(name, data).ledger
    assert line.outcome.value == "not readable"
    assert line.reason.startswith("one part of an archive that was split over several files; join them")


def test_a_locked_member_asks_for_a_password_and_is_read_with_it() -> None:
    locked = raw_zip(old_lock(b"secret words", b"harbour"), method=0, plain=b"secret words", flags=1)
    for archive in (locked, locked_zip(("a.txt", b"secret words"), password="harbour")):
        [_, line] = load_bytes("a.zip", archive).ledger
        assert (line.outcome.value, line.reason, line.locked) == ("not readable", "Password needed", True)
        [_, line] = load_bytes("a.zip", archive, settings=ReadSettings(passwords=("wrong", "x"))).ledger
        assert (line.reason, line.locked) == ("Password needed: none of those given opens it", True)
        loading = load_bytes("a.zip", archive, settings=ReadSettings(passwords=("wrong", "harbour")))
        assert texts(loading) == {"a.zip > a.txt": "secret words"}


def test_a_damaged_locked_member_is_told_from_a_wrong_password() -> None:
    archive = bytearray(locked_zip(("a.txt", b"secret words " * 100), password="harbour"))
    archive[archive.index(b"PK\x01\x02") - 30] ^= 0xFF
    [_, line] = load_bytes("a.zip", bytes(archive), settings=ReadSettings(passwords=("wrong", "harbour"))).ledger
    assert (line.reason, line.locked) == ("damaged inside the archive", False)


def test_a_password_beyond_ascii_opens_what_it_locked() -> None:
    archive = locked_zip(("a.txt", b"secret words"), password="Größe€")
    assert texts(load_bytes("a.zip", archive, settings=ReadSettings(passwords=("Größe€",)))) == {
        "a.zip > a.txt": "secret words"
    }


def test_far_too_much_under_the_old_lock_is_not_unlocked_for_minutes() -> None:
    packed = bytes(17 * 2**20)
    archive = raw_zip(packed, method=0, plain=packed, flags=1)
    [_, line] = load_bytes("a.zip", archive, settings=ReadSettings(passwords=("x",))).ledger
    assert line.reason == "locked in an old way that takes long to undo (over 16 MB); unlock it yourself"


def test_a_large_member_is_read_from_disk(tmp_path: Path) -> None:
    inner = make_zip(("noise.bin", os.urandom(17 * 2**20)), ("a.txt", b"plain words"), how=zipfile.ZIP_STORED)
    (tmp_path / "a.zip").write_bytes(make_zip(("inner.zip", inner)))
    assert texts(load_paths([tmp_path / "a.zip"])) == {"a.zip > inner.zip > a.txt": "plain words"}


PACKERS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gz", gzip.compress),
    ("bz2", bz2.compress),
    ("xz", lzma.compress),
]


@pytest.mark.parametrize(("suffix", "pack"), PACKERS)
def test_a_packed_file_gives_what_it_holds(suffix: str, pack: Callable[[bytes], bytes]) -> None:
    loading = load_bytes(f"notes.txt.{suffix}", pack(b"plain words"))
    assert lines(loading) == [
        (f"notes.txt.{suffix}", "read", "a container of 1 file"),
        (f"notes.txt.{suffix} > notes.txt", "read", ""),
    ]


@pytest.mark.parametrize(("suffix", "pack"), [*PACKERS, ("", bytes)])
def test_a_tar_archive_gives_its_members_however_it_is_packed(suffix: str, pack: Callable[[bytes], bytes]) -> None:
    archive = make_tar(("./a/one.txt", b"first"), ("a/two.txt", b"second"), ("a/.DS_Store", b"x"))
    loading = load_bytes(f"t.tar.{suffix}", pack(archive))
    assert lines(loading) == [
        (f"t.tar.{suffix}", "read", "a container of 3 files; 1 junk file skipped"),
        (f"t.tar.{suffix} > a/one.txt", "read", ""),
        (f"t.tar.{suffix} > a/two.txt", "read", ""),
        (f"t.tar.{suffix} > a/.DS_Store", "skipped", "a hidden or system file"),
    ]


def test_zstandard_files_are_read() -> None:
    zstd = pytest.importorskip("backports.zstd")
    assert texts(load_bytes("a.txt.zst", zstd.compress(b"plain words"))) == {"a.txt.zst > a.txt": "plain words"}


def test_a_tar_archive_on_disk_is_read_where_it_lies(tmp_path: Path) -> None:
    (tmp_path / "a.tar").write_bytes(make_tar(("a.txt", b"first"), ("b.txt", b"second")))
    loading = load_paths([tmp_path / "a.tar"])
    assert texts(loading) == {"a.tar > a.txt": "first", "a.tar > b.txt": "second"}


def test_a_tar_archive_without_its_mark_is_known_by_its_checksum() -> None:
    old = bytearray(make_tar(("a.txt", b"plain words"), form=tarfile.USTAR_FORMAT))
    old[257:512] = bytes(255)
    old[148:156] = b"%06o\0 " % (sum(old[:148]) + 8 * 32 + sum(old[156:512]))
    assert texts(load_bytes("backup", bytes(old))) == {"backup > a.txt": "plain words"}
    old[0] ^= 1
    assert [line.outcome.value for line in load_bytes("backup", bytes(old)).ledger] == ["not readable"]


def test_links_devices_and_unsafe_names_in_a_tar_archive_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    archive = with_entries(
        entry("a/link", tarfile.SYMTYPE, "/etc/passwd"),
        entry("a/hard", tarfile.LNKTYPE, "a/link"),
        entry("a/pipe", tarfile.FIFOTYPE),
        entry("a/device", tarfile.CHRTYPE),
        entry("/absolute.txt"),
        entry("../up.txt"),
        entry("a", tarfile.DIRTYPE),
    )
    loading = load_bytes("a.tar", archive)
    assert lines(loading) == [
        ("a.tar", "read with warnings", "a container of 6 files; 6 entries refused: unsafe path or link"),
        ("a.tar > a/link", "refused", "a link; links are not followed"),
        ("a.tar > a/hard", "refused", "a link; links are not followed"),
        ("a.tar > a/pipe", "refused", "not an ordinary file"),
        ("a.tar > a/device", "refused", "not an ordinary file"),
        ("a.tar > /absolute.txt", "refused", "an unsafe name that points outside the archive"),
        ("a.tar > ../up.txt", "refused", "an unsafe name that points outside the archive"),
    ]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_and_foreign_names_in_a_tar_archive_are_kept(form: int) -> None:
    name = "отчёт/" + "n" * 90 + ".txt"
    assert list(texts(load_bytes("a.tar", make_tar((name, b"words"), form=form)))) == [f"a.tar > {name}"]


def test_an_old_name_in_a_tar_archive_is_put_right() -> None:
    archive = make_tar(("x" * 11 + ".txt", b"words"), form=tarfile.USTAR_FORMAT)
    raw = "資料（写し".encode("shift_jis").ljust(11, b"1")[:11] + b".txt"
    old = bytearray(archive)
    old[: len(raw)] = raw
    old[148:156] = b"%06o\0 " % (sum(old[:148]) + 8 * 32 + sum(old[156:512]))
    [document] = load_bytes("a.tar", bytes(old)).documents
    assert document.source.path.startswith("a.tar > 資料（写し")


def test_a_tar_archive_that_breaks_off_gives_what_comes_before() -> None:
    whole = make_tar(("a.txt", b"first"), ("b.txt", b"x" * 3000))
    for packed in (whole[:2200], gzip.compress(whole)[:-30]):
        loading = load_bytes("a.tar", packed)
        assert texts(loading)["a.tar > a.txt"] == "first"
        assert loading.ledger[0].outcome.value == "read with warnings"


def test_a_tar_archive_damaged_in_the_middle_says_that_more_follows() -> None:
    damaged = bytearray(make_tar(("a.txt", b"first"), ("b.txt", b"second")))
    damaged[1024:1100] = b"?" * 76
    [own, *_] = lines(load_bytes("a.tar", bytes(damaged)))
    assert own[1:] == (
        "read with warnings",
        "a container of 1 file; damaged or joined: more follows after its last readable file, and was not read",
    )


def test_a_tar_archive_cut_off_between_two_files_says_that_files_may_be_missing() -> None:
    [own, *_] = lines(load_bytes("a.tar", make_tar(("a.txt", b"first"), ("b.txt", b"second"))[:1024]))
    assert own[1:] == (
        "read with warnings",
        "a container of 1 file; it has no end mark, so files may be missing at its end",
    )


def test_a_tar_archive_that_expands_far_too_much_is_stopped() -> None:
    archive = gzip.compress(make_tar(("a.txt", b"first"), ("zeros.txt", bytes(60 * 2**20))))
    loading = load_bytes("a.tgz", archive)
    assert texts(loading) == {"a.tgz > a.txt": "first"}
    assert "beyond the limit" in loading.ledger[0].reason


def test_an_empty_tar_archive_says_so() -> None:
    assert lines(load_bytes("a.tgz", gzip.compress(make_tar()))) == [("a.tgz", "nothing in it", "the archive is empty")]


def test_the_name_stored_in_a_gzip_file_counts_without_its_folders() -> None:
    for stored, shown in (
        ("report.txt", "report.txt"),
        ("../../etc/x.txt", "x.txt"),
        ("C:\\a\\y.txt", "y.txt"),
        ("..", "b.txt"),
    ):
        head = b"\x1f\x8b\x08\x08" + bytes(6) + stored.encode() + b"\0"
        loading = load_bytes("b.txt.gz", head + gzip.compress(b"words", mtime=0)[10:])
        assert list(texts(loading)) == [f"b.txt.gz > {shown}"]


def test_of_a_cut_off_gzip_file_the_beginning_is_read() -> None:
    words = b"".join(b"line %d of the report\n" % number for number in range(20_000))
    [own, member] = load_bytes("a.txt.gz", gzip.compress(words)[:20_000]).ledger
    assert own.outcome.value == "read with warnings"
    assert "damaged or incomplete: only its first" in own.reason
    assert member.outcome.value == "read"


@pytest.mark.parametrize("name", ["a.gz", "a.bz2", "a.xz", "a.7z"])
def test_a_damaged_archive_says_so(name: str) -> None:
    pytest.importorskip("py7zr")
    start = {"a.gz": b"\x1f\x8b\x08", "a.bz2": b"BZh91AY&SY", "a.xz": b"\xfd7zXZ\x00", "a.7z": b"7z\xbc\xaf\x27\x1c"}[
        name
    ]
    [line] = load_bytes(name, start + b"no more than this").ledger
    assert line.outcome.value == "not readable"
    assert "damaged or incomplete" in line.reason


def test_text_that_begins_like_an_archive_is_text() -> None:
    assert texts(load_bytes("names.txt", b"BZhang wrote this.")) == {"names.txt": "BZhang wrote this."}


def test_a_gzip_bomb_is_stopped() -> None:
    loading = load_bytes("a.gz", gzip.compress(bytes(40 * 2**20)))
    assert loading.documents == ()
    assert loading.ledger[0].reason == "a container of 1 file; a skipped: expands more than 200:1 beyond the limit"


def test_packed_files_inside_each_other_are_followed_only_so_deep() -> None:
    held = b"words"
    for _ in range(15):
        held = gzip.compress(held)
    assert lines(load_bytes("a.gz", held))[-1][1:] == ("refused", "lies inside more than 10 containers")


def test_a_seven_zip_archive_gives_its_members() -> None:
    archive = make_seven_zip(("a/one.txt", b"first"), ("a/two.txt", b"second"), ("empty.txt", b""), (".DS_Store", b"x"))
    assert lines(load_bytes("a.7z", archive)) == [
        ("a.7z", "read", "a container of 4 files; 1 junk file skipped"),
        ("a.7z > a/one.txt", "read", ""),
        ("a.7z > a/two.txt", "read", ""),
        ("a.7z > empty.txt", "nothing in it", "the file is empty (0 bytes)"),
        ("a.7z > .DS_Store", "skipped", "a hidden or system file"),
    ]


def test_a_locked_seven_zip_archive_asks_for_its_password() -> None:
    for hide_names in (False, True):
        archive = make_seven_zip(("a.txt", b"secret words"), password="harbour", hide_names=hide_names)
        [line] = load_bytes("a.7z", archive).ledger
        assert (line.outcome.value, line.reason, line.locked) == ("not readable", "Password needed", True)
        [line] = load_bytes("a.7z", archive, settings=ReadSettings(passwords=("wrong",))).ledger
        assert (line.reason, line.locked) == ("Password needed: none of those given opens it", True)
        loading = load_bytes("a.7z", archive, settings=ReadSettings(passwords=("wrong", "harbour")))
        assert texts(loading) == {"a.7z > a.txt": "secret words"}


def test_a_bomb_in_a_seven_zip_archive_is_refused_and_its_neighbours_are_read() -> None:
    archive = make_seven_zip(("zeros.txt", bytes(60 * 2**20)), ("readme.txt", b"read me"))
    loading = load_bytes("a.7z", archive)
    assert texts(loading) == {"a.7z > readme.txt": "read me"}
    assert "zeros.txt skipped: expands" in loading.ledger[0].reason
    assert loading.ledger[1].outcome.value == "refused"


def test_members_of_the_same_name_in_a_seven_zip_archive_are_told_apart() -> None:
    archive = make_seven_zip(("a.txt", b"one"), ("a.txt", b"two"))
    assert texts(load_bytes("a.7z", archive)) == {"a.7z > a.txt": "one", "a.7z > a.txt (2)": "two"}


def test_a_damaged_member_of_a_seven_zip_archive_is_told() -> None:
    archive = bytearray(make_seven_zip(("a.txt", os.urandom(3000)), ("b.txt", os.urandom(3000))))
    archive[32 + 1500] ^= 0xFF
    outcomes = [(line.outcome.value, line.reason) for line in load_bytes("a.7z", bytes(archive)).ledger[1:]]
    assert ("not readable", "damaged inside the archive") in outcomes


def test_rar_archives_say_what_to_do() -> None:
    [line] = load_bytes("a.rar", b"Rar!\x1a\x07\x01\x00 and so on").ledger
    assert (line.outcome.value, line.reason) == ("not readable", "RAR archives cannot be opened yet; pack it as ZIP")


@pytest.mark.skipif(not (SHARED / "nasty").is_dir(), reason="the files with traps are not on this machine")
@pytest.mark.parametrize("name", ["droste.zip", "quine.gz"])
def test_an_archive_that_holds_itself_comes_to_an_end(name: str) -> None:
    loading = load_bytes(name, (SHARED / "nasty" / name).read_bytes())
    assert loading.ledger[-1].outcome.value == "duplicate"


@pytest.mark.parametrize(
    "name", ["..\\x.txt", "\\\\server\\share\\x.txt", "\\x.txt", "a\\..\\..\\x.txt", "C:\\x.txt", "c:x.txt"]
)
def test_names_of_another_system_that_point_outside_a_tar_are_refused(name: str) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        member = tarfile.TarInfo(name)
        member.size = 5
        archive.addfile(member, io.BytesIO(b"words"))
    loading = load_bytes("a.tar", out.getvalue())
    assert [outcome for _, outcome, _ in lines(loading)] == ["read with warnings", "refused"]


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("Договор.txt", "cp1251"),
        ("Оплата услуг/акт сверки.txt", "cp1251"),
        ("支付通知.txt", "gbk"),
        ("合同/付款记录.txt", "gbk"),
        ("Müller Übersicht.txt", "cp437"),
        ("naïve été.txt", "cp437"),
    ],
)
def test_names_in_windows_1251_are_told_from_chinese_and_western_ones(name: str, encoding: str) -> None:
    raw = name.encode(encoding)
    packed = make_zip(("A" * len(raw), b"words")).replace(b"A" * len(raw), raw)
    assert list(texts(load_bytes("a.zip", packed))) == [f"a.zip > {name}"]


def test_zstandard_that_wants_a_dictionary_is_damaged_like_any_other() -> None:
    pytest.importorskip("backports.zstd")
    [line] = load_bytes("a.txt.zst", bytes.fromhex("28b52ffd210504210000") + b"abcd").ledger
    assert (line.outcome.value, line.reason) == ("not readable", "a damaged or incomplete Zstandard archive")
