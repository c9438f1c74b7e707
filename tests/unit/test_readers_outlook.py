"""Outlook's files: messages (.msg), winmail.dat, mailboxes (.pst), and the RTF inside them."""

import io
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from r3con_core.documents import Document, Source
from r3con_core.errors import CorpusError
from r3con_core.readers import Outcome, load_bytes
from r3con_core.readers.content import Content
from r3con_core.readers.ledger import File, LedgerLine, Member
from r3con_core.readers.mapi_rtf import rtf_message, unpack
from r3con_core.readers.pst import mails_of, read_pst

NASTY = Path(__file__).parents[3] / "shared" / "nasty"
needs_nasty = pytest.mark.skipif(not NASTY.is_dir(), reason="the files of other projects are not here")

Tree = dict[str, "bytes | Tree"]


END, FREE = 0xFFFFFFFE, 0xFFFFFFFF


@dataclass
class Node:
    """An entry of a compound file's directory."""

    name: str
    held: "bytes | Tree"
    child: int = FREE
    following: int = FREE
    start: int = END
    size: int = 0


@dataclass
class Sectors:
    """Streams in sectors of one size, and which sector follows which."""

    step: int
    chain: list[int] = field(default_factory=list)
    content: bytearray = field(default_factory=bytearray)

    def put(self, data: bytes) -> int:
        first, count = len(self.chain), max(-(-len(data) // self.step), 1)
        self.chain.extend([*range(first + 1, first + count), END])
        self.content.extend(data.ljust(count * self.step, b"\x00"))
        return first


def directory(tree: Tree) -> list[Node]:
    nodes = [Node("Root Entry", tree)]
    for number, node in enumerate(nodes):  # grows while it is walked
        before = None
        for name, held in node.held.items() if isinstance(node.held, dict) else ():
            nodes.append(Node(name, held))
            if before is None:
                nodes[number].child = len(nodes) - 1
            else:
                nodes[before].following = len(nodes) - 1
            before = len(nodes) - 1
    return nodes


def compound(tree: Tree) -> bytes:
    """A compound file (MS-CFB) of storages and streams."""
    nodes = directory(tree)
    small, big = Sectors(64), Sectors(512)
    for node in nodes:
        if isinstance(node.held, bytes) and node.held:
            node.start, node.size = (small if len(node.held) < 4096 else big).put(node.held), len(node.held)
    nodes[0].start, nodes[0].size = big.put(bytes(small.content)), len(small.content)
    small_fat = big.put(struct.pack(f"<{len(small.chain)}I", *small.chain).ljust(512, b"\xff"))
    raw = bytearray()
    for number, node in enumerate(nodes):
        name = node.name.encode("utf-16-le") + b"\x00\x00"
        kind = 2 if isinstance(node.held, bytes) else 1 if number else 5
        raw += name.ljust(64, b"\x00") + struct.pack("<HBBIII", len(name), kind, 1, FREE, node.following, node.child)
        raw += bytes(36) + struct.pack("<IQ", node.start, node.size)
    listed = big.put(bytes(raw))
    count = -(-(len(big.chain) + 200) // 128)
    table = [*big.chain, *[0xFFFFFFFD] * count]
    fat = struct.pack(f"<{len(table)}I", *table).ljust(count * 512, b"\xff")
    small_sectors = -(-max(len(small.chain) * 4, 1) // 512)
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    header += struct.pack("<IIIIIIIII", 0, count, listed, 0, 4096, small_fat, small_sectors, END, 0)
    places = range(len(big.chain), len(big.chain) + count)
    header += struct.pack(f"<{count}I", *places).ljust(436, b"\xff")
    return header + bytes(big.content) + fat


def ticks(moment: datetime) -> bytes:
    return struct.pack("<Q", int((moment - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10_000_000)


def storage(texts: Mapping[int, object], *, header: int, ansi: str = "", below: Tree | None = None) -> Tree:
    """The properties of a message, a recipient or an attachment, as streams; whole numbers and times in their list."""
    listed = bytes(header)
    tree: Tree = {}
    for tag, value in texts.items():
        if isinstance(value, int):
            listed += struct.pack("<HHIi4x", 3, tag, 6, value)
        elif isinstance(value, datetime):
            listed += struct.pack("<HHI", 0x40, tag, 6) + ticks(value)
        elif isinstance(value, bytes):
            tree[f"__substg1.0_{tag:04X}0102"] = value
        else:
            raw = str(value).encode(ansi or "utf-16-le")
            tree[f"__substg1.0_{tag:04X}{'001E' if ansi else '001F'}"] = raw
    return {"__properties_version1.0": listed, **tree, **(below or {})}


def recipient(kind: int, name: str, address: str) -> Tree:
    return storage({0x0C15: kind, 0x3001: name, 0x39FE: address}, header=8)


SENT = datetime(2021, 5, 17, 7, 30, tzinfo=UTC)
LETTER: dict[int, object] = {
    0x001A: "IPM.Note",
    0x0037: "Invoice for May",
    0x0C1A: "Tobias Quill",
    0x0C1F: "/O=Q/CN=TQUILL",
    0x5D01: "tobias@quillfeather.example",
    0x0039: SENT,
    0x1035: "<m1@quillfeather.example>",
}


def msg(properties: Mapping[int, object], below: Tree | None = None, *, ansi: str = "") -> bytes:
    names: Tree = {f"__substg1.0_000{number}0102": b"" for number in (2, 3, 4)}
    return compound({"__nameid_version1.0": names, **storage(properties, header=32, ansi=ansi, below=below)})


def only(name: str, data: bytes) -> Document:
    loading = load_bytes(name, data)
    assert len(loading.documents) == 1, loading.ledger
    return loading.documents[0]


def test_an_outlook_message_gives_its_headers_from_its_properties() -> None:
    people: Tree = {
        "__recip_version1.0_#00000000": recipient(1, "Maren Oduya", "maren@northdale.example"),
        "__recip_version1.0_#00000001": recipient(2, "Ada", "ada@northdale.example"),
        "__recip_version1.0_#00000002": recipient(3, "Lucius Vane", "vane@lawfirm.example"),
    }
    document = only("a.msg", msg({**LETTER, 0x1000: "Paid €12,750.50.\r\n"}, people))
    assert document.text == (
        "From: Tobias Quill <tobias@quillfeather.example>\nTo: Maren Oduya <maren@northdale.example>\n"
        "Cc: Ada <ada@northdale.example>\nBcc: Lucius Vane <vane@lawfirm.example>\nDate: 2021-05-17T07:30:00+00:00\n"
        "Subject: Invoice for May\nMessage-ID: <m1@quillfeather.example>\n\nPaid €12,750.50."
    )
    assert (document.date, document.author) == (
        "2021-05-17T07:30:00+00:00",
        "Tobias Quill <tobias@quillfeather.example>",
    )
    assert document.source.media_type == "application/vnd.ms-outlook"


def test_the_headers_a_message_was_sent_with_come_first() -> None:
    sent = (
        "From: =?utf-8?q?Ren=C3=A9e?= <r@x.example>\r\nDate: Mon, 17 May 2021 09:30:00 +0200\r\nIn-Reply-To: <0@x>\r\n"
    )
    document = only("a.msg", msg({**LETTER, 0x007D: sent, 0x1000: "Hello"}))
    assert document.author == "Renée <r@x.example>"
    assert document.date == "2021-05-17T09:30:00+02:00"
    assert "In-Reply-To: <0@x>" in document.text


@pytest.mark.parametrize(
    ("page", "encoding", "words"),
    [
        (950, "cp950", "格式測試"),
        (932, "cp932", "請求書です"),
        (1251, "cp1251", "Счёт оплачен"),
        (1252, "cp1252", "reçu 45 €"),
    ],
)
def test_text_in_a_code_page_is_read_as_the_message_says(page: int, encoding: str, words: str) -> None:
    document = only("a.msg", msg({0x3FFD: page, 0x0037: words, 0x1000: f"{words}."}, ansi=encoding))
    assert document.text == f"Subject: {words}\n\n{words}."


def test_a_message_that_is_only_a_page_is_read_as_one() -> None:
    page = "<p style='display:none'>preheader</p><p>Paid 5.</p>".encode("cp1252")
    document = only("a.msg", msg({**LETTER, 0x3FDE: 1252, 0x1013: page}))
    assert document.text.endswith("\n\nPaid 5.")
    assert "preheader" not in document.text


def attached(name: str, data: bytes) -> Tree:
    return storage({0x3705: 1, 0x3707: name, 0x3701: data}, header=8)


def test_attached_files_and_messages_come_with_an_outlook_message() -> None:
    inner = storage({**LETTER, 0x0037: "Earlier: quote/1", 0x1000: "Quote Q-77."}, header=24)
    inner["__attach_version1.0_#00000000"] = attached("deep.txt", b"deep words")
    below: Tree = {
        "__attach_version1.0_#00000000": attached("note.txt", b"attached words"),
        "__attach_version1.0_#00000001": {
            **storage({0x3705: 5, 0x3001: "Earlier quote"}, header=8),
            "__substg1.0_3701000D": inner,
        },
        "__attach_version1.0_#00000002": storage(
            {0x3705: 2, 0x3707: "far.doc", 0x370D: "\\\\server\\far.doc"}, header=8
        ),
        "__attach_version1.0_#00000003": attached("empty.bin", b""),
    }
    loading = load_bytes("a.msg", msg({**LETTER, 0x1000: "See attached."}, below))
    assert [(line.path, line.outcome.value) for line in loading.ledger] == [
        ("a.msg", "read with warnings"),
        ("a.msg > note.txt", "read"),
        ("a.msg > Earlier: quote 1.eml", "read"),
        ("a.msg > Earlier: quote 1.eml > deep.txt", "read"),
        ("a.msg > far.doc", "not readable"),
        ("a.msg > empty.bin", "nothing in it"),
    ]
    mail = loading.documents[2]
    assert (mail.title, mail.date) == ("Earlier: quote/1", "2021-05-17T07:30:00+00:00")
    assert mail.text.endswith("Attachments: deep.txt\n\nQuote Q-77.")
    assert loading.documents[0].warnings == ("1 of its 4 attachments is empty.",)


def test_a_signed_outlook_message_is_read() -> None:
    signed = (
        b"Content-Type: multipart/signed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nSigned words.\r\n"
        b"--b\r\nContent-Type: application/pkcs7-signature; name=smime.p7s\r\n\r\nx\r\n--b--\r\n"
    )
    piece = storage({0x3705: 1, 0x3707: "smime.p7m", 0x370E: "multipart/signed", 0x3701: signed}, header=8)
    below: Tree = {"__attach_version1.0_#00000000": piece}
    loading = load_bytes("a.msg", msg({**LETTER, 0x001A: "IPM.Note.SMIME.MultipartSigned"}, below))
    assert [line.path for line in loading.ledger][:2] == ["a.msg", "a.msg > signed message.eml"]
    assert loading.documents[1].text == "Attachments: smime.p7s\n\nSigned words."


def test_messages_inside_each_other_end_at_a_limit() -> None:
    inner = storage({0x0037: "level 30", 0x1000: "the end"}, header=24)
    for level in range(29, 0, -1):
        outer = storage({0x0037: f"level {level}", 0x1000: f"words {level}"}, header=24)
        outer["__attach_version1.0_#00000000"] = {
            **storage({0x3705: 5}, header=8),
            "__substg1.0_3701000D": inner,
        }
        inner = outer
    inner["__properties_version1.0"] = bytes(32)
    loading = load_bytes("a.msg", compound(inner))
    assert [document.title for document in loading.documents] == [f"level {number}" for number in range(1, 12)]
    assert loading.ledger[-1].reason == "lies inside more than 10 mails"


def test_an_appointment_and_a_contact_are_lines_of_names_and_values() -> None:
    contact: dict[int, object] = {
        0x001A: "IPM.Contact",
        0x0037: "Ada",
        0x3001: "Ada Lovelace",
        0x3A16: "Engines",
        0x3A08: "+44 1",
    }
    document = only("a.msg", msg(contact))
    assert document.text.endswith("\n\nName: Ada Lovelace\nCompany: Engines\nBusiness telephone: +44 1")
    names = b"".join(struct.pack("<IHH", number, 6, index) for index, number in enumerate((0x820D, 0x820E, 0x8208)))
    appointment = storage(
        {0x001A: "IPM.Appointment", 0x0037: "Board", 0x8000: SENT, 0x8001: SENT, 0x8002: "Room 4"}, header=32
    )
    document = only("b.msg", compound({"__nameid_version1.0": {"__substg1.0_00030102": names}, **appointment}))
    assert document.text.endswith(
        "\n\nStart: 2021-05-17T07:30:00+00:00\nEnd: 2021-05-17T07:30:00+00:00\nLocation: Room 4"
    )


def plain_rtf(rtf: bytes) -> bytes:
    """PR_RTF_COMPRESSED that is not packed."""
    return struct.pack("<II4sI", len(rtf) + 12, len(rtf), b"MELA", 0) + rtf


def test_a_message_in_rtf_gives_the_page_it_was_written_as() -> None:
    rtf = (
        rb"{\rtf1\ansi\ansicpg1252\fromhtml1 \deff0{\fonttbl{\f0\fswiss Arial;}{\f1\fcharset204 Arial;}}"
        rb"{\*\htmltag19 <html>}{\*\htmltag64 <p>}\htmlrtf {\htmlrtf0 Paid \'80 5 &{\*\htmltag84 &nbsp;}more"
        rb"\htmlrtf\par}\htmlrtf0{\*\htmltag72 </p>}{\*\mhtmltag1 x}{\f1 \'c4\'e0}\u28450?\u23383?{\*\htmltag27 </html>}}"
    )
    document = only("a.msg", msg({**LETTER, 0x1009: plain_rtf(rtf)}))
    assert document.text.endswith("\n\nPaid € 5 & more\nДа漢字")


def test_a_message_in_plain_rtf_gives_its_words() -> None:
    rtf = rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\*\generator X;}{\info{\title no}}One\par Two \{x\}\tab\'e9\par}"
    document = only("a.msg", msg({**LETTER, 0x1009: plain_rtf(rtf)}))
    assert document.text.endswith("\n\nOne\nTwo {x}\té")


def test_packed_rtf_is_unpacked_as_the_format_says() -> None:
    # The two examples of MS-OXRTFCP 3.1: one plain run, and one that refers to what it is just writing.
    simple = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0"
    )
    assert unpack(simple) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    crossing = bytes.fromhex("1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0")
    assert unpack(crossing) == b"{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}"


@pytest.mark.parametrize("cut", range(0, 30, 3))
def test_packed_rtf_that_is_cut_off_never_fails(cut: int) -> None:
    packed = bytes.fromhex("1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0")
    rtf_message(packed[:cut])


def test_a_damaged_outlook_message_says_so() -> None:
    data = msg({**LETTER, 0x1000: "words " * 2000})
    for size in (600, 1500, 4000):
        loading = load_bytes("a.msg", data[:size])
        assert [line.outcome for line in loading.ledger] == [Outcome.NOT_READABLE]


@needs_nasty
def test_outlook_messages_of_other_projects_are_read() -> None:
    chinese = only("c.msg", (NASTY / "testMSG_chinese.msg").read_bytes())
    assert "格式測試" in chinese.title
    loading = load_bytes("m.msg", (NASTY / "testMSG_att_msg.msg").read_bytes())
    assert [line.path for line in loading.ledger] == [
        "m.msg",
        "m.msg > Test Attachment.eml",
        "m.msg > smbprn.00009008.KdcPjl.pdf",
    ]
    assert loading.documents[1].text.endswith("Blah blah blah")


def attribute(number: int, value: bytes, *, level: int = 1, kind: int = 6) -> bytes:
    return struct.pack("<BHHI", level, number, kind, len(value)) + value + struct.pack("<H", sum(value) % 65536)


def tnef_properties(values: dict[int, object]) -> bytes:
    out = struct.pack("<I", len(values))
    for tag, value in values.items():
        if isinstance(value, int):
            out += struct.pack("<HHi", 3, tag, value)
            continue
        kind, raw = (0x102, value) if isinstance(value, bytes) else (0x1F, f"{value}\x00".encode("utf-16-le"))
        if isinstance(value, tuple):
            kind, raw = value
        out += struct.pack("<HHII", kind, tag, 1, len(raw)) + raw + bytes(-len(raw) % 4)
    return out


def tnef(*attributes: bytes) -> bytes:
    return b"\x78\x9f\x3e\x22\x01\x00" + b"".join(attributes)


BODY = attribute(0x800C, b"Paid \x80 5.\x00")
TITLE = attribute(0x8004, b"Invoice\x00")
NEXT = attribute(0x9002, bytes(14), level=2)


def test_winmail_dat_gives_its_message_and_its_files() -> None:
    data = tnef(
        attribute(0x9007, struct.pack("<II", 1252, 0)),
        TITLE,
        BODY,
        attribute(0x8005, struct.pack("<7H", 2021, 5, 17, 9, 30, 0, 1)),
        attribute(0x8000, struct.pack("<4H", 1, 30, 4, 13) + b"Ada\x00" + b"SMTP:a@x.ex\x00\x00"),
        NEXT,
        attribute(0x8010, b"SHORT~1.TXT\x00", level=2),
        attribute(0x800F, b"attached words", level=2),
        attribute(0x9005, tnef_properties({0x3707: "août long.txt"}), level=2),
    )
    loading = load_bytes("winmail.dat", data)
    assert [line.path for line in loading.ledger] == ["winmail.dat", "winmail.dat > août long.txt"]
    message, file = loading.documents
    assert message.text == (
        "From: Ada <a@x.ex>\nDate: 2021-05-17T09:30:00+00:00\nSubject: Invoice\nAttachments: août long.txt\n\nPaid € 5."
    )
    assert (file.text, file.parent) == ("attached words", "winmail.dat")


def test_a_mail_in_a_winmail_dat_is_read_as_a_mail() -> None:
    inner = tnef(attribute(0x8004, b"Earlier\x00"), attribute(0x800C, b"Quote Q-77.\x00"))
    message_id = bytes.fromhex("0703020000000000c000000000000046")
    files = attribute(0x9005, tnef_properties({0x3705: 5, 0x3701: (0x0D, message_id + inner)}), level=2)
    loading = load_bytes("winmail.dat", tnef(TITLE, BODY, NEXT, files))
    assert [document.text for document in loading.documents][1:] == ["Subject: Earlier\n\nQuote Q-77."]


def test_a_winmail_dat_of_files_alone_is_a_container() -> None:
    data = tnef(NEXT, attribute(0x8010, b"a.txt\x00", level=2), attribute(0x800F, b"words", level=2))
    loading = load_bytes("winmail.dat", data)
    assert [(line.path, line.outcome.value) for line in loading.ledger] == [
        ("winmail.dat", "read"),
        ("winmail.dat > a.txt", "read"),
    ]


@pytest.mark.parametrize("size", [4, 6, 9, 20, 45, 60])
def test_a_winmail_dat_that_is_cut_off_gives_what_there_is(size: int) -> None:
    outcomes = [line.outcome for line in load_bytes("winmail.dat", tnef(TITLE, BODY)[:size]).ledger]
    assert len(outcomes) == 1
    assert outcomes[0] is not Outcome.REFUSED


@needs_nasty
def test_a_winmail_dat_of_another_project_is_read() -> None:
    loading = load_bytes("winmail.dat", (NASTY / "testWINMAIL.dat").read_bytes())
    names = {line.path.removeprefix("winmail.dat > ") for line in loading.ledger}
    assert names == {"winmail.dat", "quick.doc", "quick.html", "quick.pdf", "quick.txt", "quick.xml"}
    assert any("Der schnelle braune Fuchs" in document.text for document in loading.documents)


@dataclass
class Entry:
    """A property, as libpff gives it."""

    entry_type: int
    value_type: int
    data: bytes


@dataclass
class RecordSet:
    entries: list[Entry]

    @property
    def number_of_entries(self) -> int:
        return len(self.entries)

    def get_entry(self, index: int) -> Entry:
        return self.entries[index]


def record(values: dict[int, object]) -> RecordSet:
    entries = []
    for tag, value in values.items():
        if isinstance(value, int):
            entries.append(Entry(tag, 3, struct.pack("<i", value)))
        elif isinstance(value, datetime):
            entries.append(Entry(tag, 0x40, ticks(value)))
        elif isinstance(value, bytes):
            entries.append(Entry(tag, 0x102, value))
        else:
            entries.append(Entry(tag, 0x1F, str(value).encode("utf-16-le")))
    return RecordSet(entries)


@dataclass
class Item:
    """A message, an attachment or a list of recipients, as libpff gives them."""

    sets: list[RecordSet]
    attachments: list["Item"] = field(default_factory=list)
    recipients: "Item | None" = None
    below: list["Item"] = field(default_factory=list)
    held: bytes = b""
    damaged: bool = False

    def __post_init__(self) -> None:
        self._stream = io.BytesIO(self.held)
        self.number_of_record_sets = len(self.sets)
        self.number_of_attachments = len(self.attachments)
        self.number_of_sub_items = len(self.below)
        self.size = len(self.held)

    def get_record_set(self, index: int) -> RecordSet:
        return self.sets[index]

    def get_attachment(self, index: int) -> "Item":
        return self.attachments[index]

    def get_sub_item(self, index: int) -> "Item":
        return self.below[index]

    def read_buffer(self, size: int) -> bytes:
        if self.damaged:
            raise OSError("pypff_attachment_read_buffer: unable to read")
        return self._stream.read(size)


@dataclass
class Folder:
    name: str | None
    messages: list[Item | None] = field(default_factory=list)
    folders: list["Folder"] = field(default_factory=list)

    @property
    def number_of_sub_messages(self) -> int:
        return len(self.messages)

    @property
    def number_of_sub_folders(self) -> int:
        return len(self.folders)

    def get_sub_message(self, index: int) -> Item:
        found = self.messages[index]
        if found is None:
            raise OSError("pypff_folder_get_sub_message_by_index: damaged")
        return found

    def get_sub_folder(self, index: int) -> "Folder":
        return self.folders[index]


@dataclass
class Store:
    root: Folder
    number_of_orphan_items: int = 0

    def get_root_folder(self) -> Folder:
        return self.root


def pst_file() -> File:
    return File(
        content=Content.held(b""), source=Source(path="box.pst", sha256="", media_type="application/vnd.ms-outlook-pst")
    )


def test_a_mailbox_of_outlook_gives_its_mails_by_folder() -> None:
    inner = Item([record({**LETTER, 0x0037: "Earlier", 0x1000: "Quote Q-77."})])
    files = [
        Item([record({0x3707: "note.txt", 0x3705: 1})], held=b"attached words"),
        Item([record({0x3705: 5})], below=[inner]),
        Item([record({0x3707: "bad.doc", 0x3705: 1})], held=b"x", damaged=True),
    ]
    people = Item([record({0x0C15: 1, 0x3001: "Maren", 0x39FE: "m@x.example"})])
    mail = Item(
        [record({**LETTER, 0x0037: "\x01\x05Re: Invoice", 0x1000: "Paid."})], attachments=files, recipients=people
    )
    root = Folder(None, folders=[Folder("Top", [], [Folder("Inbox", [mail, None]), Folder("Sent/Old", [inner])])])
    found = list(mails_of(Store(root), pst_file()))
    assert [one.name if isinstance(one, Member) else getattr(one, "path", "") for one in found] == [
        "Top/Inbox/0001 Re: Invoice.eml",
        "box.pst > Top/Inbox/0002.eml",
        "Top/Sent Old/0003 Earlier.eml",
    ]
    assert isinstance(found[1], LedgerLine)
    assert isinstance(found[0], Member)
    loading = load_bytes("a.eml", found[0].data)
    assert loading.documents[0].text == (
        "From: Tobias Quill <tobias@quillfeather.example>\nTo: Maren <m@x.example>\nDate: 2021-05-17T07:30:00+00:00\n"
        "Subject: Re: Invoice\nMessage-ID: <m1@quillfeather.example>\nAttachments: note.txt, Earlier.eml, bad.doc\n\nPaid."
    )
    assert [(line.path, line.outcome.value, line.reason) for line in loading.ledger][1:] == [
        ("a.eml > note.txt", "read", ""),
        ("a.eml > Earlier.eml", "read", ""),
        ("a.eml > bad.doc", "not readable", "damaged inside the mailbox"),
    ]


def test_what_is_no_outlook_mailbox_says_so() -> None:
    pytest.importorskip("pypff")
    content = Content.held(b"!BDN" + bytes(3000))
    with pytest.raises(CorpusError, match="damaged, or no Outlook mailbox"):
        list(read_pst(File(content=content, source=pst_file().source)))
