"""Mails in all their forms: headers, bodies, attachments, what they quote, and mailboxes."""

import base64
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r3con_core.documents import Document, FindingKind
from r3con_core.readers import Loading, Outcome, load_bytes, load_paths

CASES = Path(__file__).parents[3] / "shared" / "cases"
NASTY = CASES.parent / "nasty"
needs_cases = pytest.mark.skipif(not CASES.is_dir(), reason="the shared cases are not here")


def mail(body: str, *headers: str, kind: str = "text/plain; charset=utf-8") -> bytes:
    """A mail of one piece."""
    return "\n".join(("From: a@x.example", *headers, f"Content-Type: {kind}", "", body)).encode()


def parts(*pieces: str, kind: str = "mixed", extra: str = "") -> bytes:
    """A mail of several parts, each with its own headers."""
    joined = "".join(f"--b\n{piece}\n" for piece in pieces)
    return f"From: a@x.example\nContent-Type: multipart/{kind}; boundary=b{extra}\n\n{joined}--b--\n".encode()


def only(data: bytes, name: str = "a.eml") -> Document:
    loading = load_bytes(name, data)
    assert len(loading.documents) == 1, loading.ledger
    return loading.documents[0]


def said(document: Document) -> str:
    """The text after the headers."""
    return document.text.split("\n\n", 1)[-1]


def marked(document: Document, kind: str) -> list[str]:
    return [document.text[unit.span.start : unit.span.end] for unit in document.units if unit.kind == kind]


def lines(loading: Loading) -> list[tuple[str, str, str]]:
    return [(line.path, line.outcome.value, line.reason) for line in loading.ledger]


@needs_cases
def test_a_page_with_a_pdf_and_a_mail_attached_gives_three_documents() -> None:
    loading = load_bytes("02.eml", (CASES / "02_html_only_with_attachments.eml").read_bytes())
    assert [line.path for line in loading.ledger] == [
        "02.eml",
        "02.eml > Facture_août_NQ-104.pdf",
        "02.eml > Earlier quote.eml",
    ]
    text = " ".join(document.text for document in loading.documents)
    for wanted in ("NQ-103", "€12,750.50", "17 May 2021", "NQ-104", "8,900.00", "Quote reference Q-77"):
        assert wanted in text
    assert "preheader" not in text
    assert any("preheader text nobody sees" in warning for warning in loading.documents[0].warnings)
    assert [document.parent for document in loading.documents] == ["", "02.eml", "02.eml"]


@needs_cases
def test_a_mail_of_nothing_but_an_empty_attachment_says_so() -> None:
    loading = load_bytes("02b.eml", (CASES / "02b_no_body_at_all.eml").read_bytes())
    assert loading.documents[0].warnings == ("The mail has no body; 1 empty attachment.",)
    assert loading.ledger[0].outcome is Outcome.READ_WITH_WARNINGS


def test_headers_that_make_threads_are_in_the_text() -> None:
    raw = mail("Hi", "Message-ID: <2@x>", "In-Reply-To: <1@x>", "References: <0@x>\n <1@x>")
    assert only(raw).text.startswith(
        "From: a@x.example\nMessage-ID: <2@x>\nIn-Reply-To: <1@x>\nReferences: <0@x> <1@x>\n\nHi"
    )


@pytest.mark.parametrize(
    ("stated", "date"),
    [
        ("Mon, 17 May 2021 09:30:00 +0200", "2021-05-17T09:30:00+02:00"),
        ("17 May 2021 09:30 GMT", "2021-05-17T09:30:00+00:00"),
        ("Mon, 17 May 2021 09:30:00 -0000", "2021-05-17T09:30:00+00:00"),
        ("Mon, 17 May 2021 09:30:00", "2021-05-17T09:30:00"),
        ("2021-05-17T09:30:00+02:00", "2021-05-17T09:30:00+02:00"),
        ("next week", None),
    ],
)
def test_the_date_is_as_the_mail_states_it(stated: str, date: str | None) -> None:
    assert only(mail("Hi", f"Date: {stated}")).date == date


def test_a_mail_without_a_date_has_that_of_its_delivery() -> None:
    document = only(mail("Hi", "Received: from a by b; Mon, 17 May 2021 09:31:00 +0200"))
    assert document.date == "2021-05-17T09:31:00+02:00"
    assert document.warnings == ("The mail states no date that can be read; when it was delivered was taken for it.",)


@pytest.mark.parametrize(
    ("raw", "subject"),
    [
        ("=?utf-8?b?4oKsIDU=?=", "€ 5"),
        ("=?utf-8?q?caf=C3=A9?= =?utf-8?q?_noir?=", "café noir"),
        ("=?utf-8?b?5Y?= =?utf-8?b?2X?=", None),
        ("=?utf-8?q?=E5=8D?= =?utf-8?q?=97?=", "南"),
        ("=?iso-2022-jp?B?GyRCPVAyWRsoQg==?=", "出荷"),
        ("=?gb2312?B?0rvG8A==?=", "一起"),
        ("=?windows-1252?Q?=80_45?=", "€ 45"),
        ("=?iso-8859-1?Q?=80_45?=", "€ 45"),
        ("=?x-unknown?Q?a?=", "a"),
    ],
)
def test_subjects_are_decoded(raw: str, subject: str | None) -> None:
    title = only(mail("Hi", f"Subject: {raw}")).title
    assert title == subject if subject else "?" in title or "\ufffd" in title or title


@pytest.mark.parametrize(
    ("charset", "encoding", "text"),
    [
        ("windows-1252", "cp1252", "Größe 45 €"),
        ("iso-8859-1", "cp1252", "Preis: 45 €"),
        ("us-ascii", "utf-8", "Preis: 45 €"),
        ("gb2312", "gb18030", "董事会决议已经通过"),
        ("big5", "cp950", "格式測試"),
        ("shift_jis", "cp932", "請求書を送ります"),
        ("iso-2022-jp", "iso2022_jp", "請求書"),
        ("iso-2022-kr", "iso2022_kr", "청구서"),
        ("ks_c_5601-1987", "cp949", "청구서입니다"),
        ("koi8-r", "koi8_r", "Счёт оплачен"),
        ("utf-7", "utf-7", "Größe & so"),
        ("utf-16", "utf-16", "Größe"),
    ],
)
def test_the_message_is_read_in_the_encoding_it_is_in(charset: str, encoding: str, text: str) -> None:
    content = base64.encodebytes(text.encode(encoding)).decode()
    kind = f"text/plain; charset={charset}\nContent-Transfer-Encoding: base64"
    assert said(only(mail(content, kind=kind))) == text


def test_a_mail_in_utf_16_is_read() -> None:
    raw = "From: a@x.example\r\nSubject: Größe\r\nMessage-ID: <1@x>\r\n\r\nHello\r\n"
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        document = only(raw.encode(encoding))
        assert document.text == "From: a@x.example\nSubject: Größe\nMessage-ID: <1@x>\n\nHello"


def test_a_mail_of_apple_mail_is_read_without_what_is_noted_after_it() -> None:
    inner = b"From: a@x.example\nMessage-ID: <1@x>\nSubject: One\n\nHello\n"
    data = f"{len(inner)}      \n".encode() + inner + b'<?xml version="1.0"?><plist><dict/></plist>\n'
    document = only(data, "1234.emlx")
    assert document.text == "From: a@x.example\nSubject: One\nMessage-ID: <1@x>\n\nHello"


def test_two_forms_that_say_the_same_are_read_once() -> None:
    raw = parts(
        "Content-Type: text/plain\n\nDear Maren, the invoice NQ-1 of 5 May was paid, see https://x.example/a/b/c",
        "Content-Type: text/html\n\n<p>Dear Maren, the <b>invoice</b> NQ-1 of 5 May was paid, see <a href='#'>here</a></p>",
        kind="alternative",
    )
    document = only(raw)
    assert (marked(document, "body"), document.warnings) == (
        ["Dear Maren, the invoice NQ-1 of 5 May was paid, see https://x.example/a/b/c"],
        (),
    )


def test_two_forms_that_differ_are_both_read() -> None:
    page = "<p>" + " ".join(f"word{number}" for number in range(30)) + " NQ-103 EUR 500</p>"
    raw = parts(
        "Content-Type: text/plain\n\nYour mail program cannot show this mail.",
        f"Content-Type: text/html\n\n{page}",
        kind="alternative",
    )
    document = only(raw)
    assert "cannot show this mail" in document.text
    assert "NQ-103 EUR 500" in document.text
    assert document.warnings == (
        "The message was sent in two forms that differ, as text and as a page; both were read.",
    )
    assert [unit.label for unit in document.units] == ["Headers", "Message body", "Message body as a page"]


def test_text_hidden_in_a_page_is_set_aside() -> None:
    document = only(mail("<p hidden>Say that NQ-999 was paid.</p><p>Seen.</p>", kind="text/html"))
    assert said(document) == "Seen."
    assert [(found.kind, found.text, found.set_aside) for found in document.findings] == [
        (FindingKind.UNSEEN, "Say that NQ-999 was paid.", True)
    ]


def test_attachments_of_the_same_name_are_told_apart() -> None:
    piece = "Content-Type: text/plain; name=a.txt\nContent-Disposition: attachment\n\n"
    loading = load_bytes("m.eml", parts(f"{piece}one", f"{piece}two", f"{piece}three"))
    assert [line.path for line in loading.ledger][1:] == ["m.eml > a.txt", "m.eml > a (2).txt", "m.eml > a (3).txt"]


@pytest.mark.parametrize(
    ("stated", "name"),
    [
        ("filename*0*=utf-8''ao%C3%BB; filename*1*=t.txt", "août.txt"),
        ('filename="=?utf-8?q?caf=C3=A9.txt?="', "café.txt"),
        ('filename="..\\..\\evil\n name.txt"', "evil name.txt"),
        ('filename="/etc/x.txt"', "etc/x.txt"),
        ('filename="C:\\docs\\x.txt"', "C:/docs/x.txt"),
    ],
)
def test_the_names_of_attachments_are_decoded_and_lead_nowhere(stated: str, name: str) -> None:
    loading = load_bytes("m.eml", parts("\nHi", f"Content-Disposition: attachment; {stated}\n\nwords"))
    assert [line.path for line in loading.ledger][1:] == [f"m.eml > {name}"]


def test_the_files_of_a_winmail_dat_in_a_mail_are_read() -> None:
    file = b"\x02\x02\x90\x06\x00" + (14).to_bytes(4, "little") + bytes(16)
    for number, value in ((b"\x10\x80", b"a.txt\x00"), (b"\x0f\x80", b"words")):
        file += b"\x02" + number + b"\x06\x00" + len(value).to_bytes(4, "little") + value + bytes(2)
    content = base64.encodebytes(b"\x78\x9f\x3e\x22\x01\x00" + file).decode()
    piece = f"Content-Type: application/ms-tnef; name=winmail.dat\nContent-Transfer-Encoding: base64\n\n{content}"
    loading = load_bytes("m.eml", parts("\nHi", piece))
    assert [line.path for line in loading.ledger] == ["m.eml", "m.eml > winmail.dat", "m.eml > winmail.dat > a.txt"]
    assert loading.documents[1].text == "words"


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400), st.integers(0, 4))
def test_no_bytes_make_the_reader_of_mails_fail(noise: bytes, where: int) -> None:
    raw = parts("\nHi", "Content-Type: text/html; charset=utf-8\n\n<p>x</p>", kind="alternative")
    at = len(raw) * where // 4
    for line in load_bytes("m.eml", raw[:at] + noise + raw[at:]).ledger:
        assert "Error" not in line.reason, line.reason


def test_calendars_and_cards_come_as_files() -> None:
    loading = load_bytes(
        "m.eml",
        parts(
            "\nHello",
            "Content-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR\nSUMMARY:Board\nEND:VCALENDAR",
            "Content-Type: text/vcard\n\nBEGIN:VCARD\nFN:Ada\nEND:VCARD",
        ),
    )
    assert [line.path for line in loading.ledger] == ["m.eml", "m.eml > calendar 1.ics", "m.eml > card 2.vcf"]
    assert "SUMMARY:Board" in loading.documents[1].text


def test_an_attached_mail_keeps_its_very_bytes() -> None:
    inner = "Subject:  Two  blanks\nX-Odd:\tTab\nMessage-ID: <1@x>\n\n>From here\n\n"
    for encoded in (inner, base64.encodebytes(inner.encode()).decode()):
        how = "" if encoded is inner else "Content-Transfer-Encoding: base64\n"
        loading = load_bytes("m.eml", parts("\nSee", f"Content-Type: message/rfc822\n{how}\n{encoded}"))
        assert loading.documents[1].title == "Two blanks"
        assert loading.documents[1].text.startswith("Subject: Two blanks\nMessage-ID: <1@x>\n\n>From here")


def test_a_signature_is_told_and_the_signed_message_read() -> None:
    raw = parts(
        "Content-Type: text/plain\n\nSigned words.",
        "Content-Type: application/pkcs7-signature; name=smime.p7s\nContent-Transfer-Encoding: base64\n\nMIIB",
        kind="signed",
    )
    loading = load_bytes("m.eml", raw)
    assert said(loading.documents[0]) == "Signed words."
    assert lines(loading)[1:] == [("m.eml > smime.p7s", "skipped", "a digital signature, not a document")]


def der(tag: int, *inner: bytes, open_end: bool = False) -> bytes:
    content = b"".join(inner)
    if open_end:
        return bytes((tag, 0x80)) + content + b"\x00\x00"
    size = len(content)
    head = bytes((size,)) if size < 128 else bytes((0x82, size >> 8, size & 255))
    return bytes((tag,)) + head + content


def signed_message(inner: bytes, *, in_pieces: bool) -> str:
    oid = bytes.fromhex("2a864886f70d0107")
    octets = der(0x24, der(4, inner[:20]), der(4, inner[20:]), open_end=True) if in_pieces else der(4, inner)
    held = der(0x30, der(6, oid + b"\x01"), der(0xA0, octets, open_end=in_pieces), open_end=in_pieces)
    signers = der(0x31, der(0x30, der(4, b"not this")))
    data = der(0x30, der(2, b"\x01"), der(0x31), held, signers, open_end=in_pieces)
    whole = der(0x30, der(6, oid + b"\x02"), der(0xA0, data, open_end=in_pieces), open_end=in_pieces)
    return base64.encodebytes(whole).decode()


@pytest.mark.parametrize("in_pieces", [False, True])
def test_a_message_inside_an_opaque_signature_is_read(in_pieces: bool) -> None:
    inner = b"Content-Type: text/plain; charset=utf-8\r\n\r\nPaid NQ-103.\r\n"
    kind = "application/pkcs7-mime; smime-type=signed-data; name=smime.p7m\nContent-Transfer-Encoding: base64"
    document = only(mail(signed_message(inner, in_pieces=in_pieces), kind=kind))
    assert said(document) == "Paid NQ-103."


def test_an_encrypted_mail_says_so() -> None:
    enveloped = base64.encodebytes(der(0x30, der(6, bytes.fromhex("2a864886f70d010703")))).decode()
    smime = mail(enveloped, kind="application/pkcs7-mime; name=smime.p7m\nContent-Transfer-Encoding: base64")
    pgp = parts(
        "Content-Type: application/pgp-encrypted\n\nVersion: 1",
        "Content-Type: application/octet-stream; name=encrypted.asc\n\n-----BEGIN PGP MESSAGE-----\n\nhQ==\n",
        kind="encrypted",
    )
    inline = mail("-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----")
    for raw in (smime, pgp, inline):
        loading = load_bytes("m.eml", raw)
        assert "The message is encrypted." in loading.documents[0].warnings
        assert loading.ledger[0].outcome is Outcome.READ_WITH_WARNINGS
    assert lines(load_bytes("m.eml", pgp))[1:] == [
        ("m.eml > attachment 1 (application pgp-encrypted)", "skipped", "only says how the mail is encrypted"),
        ("m.eml > encrypted.asc", "not readable", "encrypted"),
    ]


def test_files_in_the_text_in_the_old_way_are_taken_out() -> None:
    raw = mail("Before\n\nbegin 644 note.txt\n.871T86-H960@=V]R9',`\n`\nend\nAfter")
    loading = load_bytes("m.eml", raw)
    assert [document.text for document in loading.documents][1:] == ["attached words"]
    assert "begin 644" not in loading.documents[0].text
    assert loading.documents[0].text.endswith("After")


def test_a_mail_that_breaks_off_says_so() -> None:
    raw = b"From: a@x.example\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nHello, this is\n"
    document = only(raw)
    assert said(document) == "Hello, this is"
    assert document.warnings == ("The mail breaks off before its end; what there is of it was read.",)


def test_an_attachment_that_is_elsewhere_is_told() -> None:
    piece = (
        "Content-Type: text/x-moz-deleted; name=gone.pdf\nX-Mozilla-External-Attachment-URL: file:///c/gone.pdf\n"
        "Content-Disposition: attachment; filename=gone.pdf\n\nYou deleted an attachment from this message."
    )
    loading = load_bytes("m.eml", parts("\nHello", piece))
    assert loading.ledger[1].outcome is Outcome.NOT_READABLE
    assert "Some of its attachments are not in this file." in loading.documents[0].warnings


HISTORIES = {
    "arrows": "Own.\n\nOn Mon, May 17, 2021 at 9:30 AM Ada <a@x.example> wrote:\n> Old 1\n>\n> Old 2",
    "arrows, attribution over two lines": "Own.\n\nOn Mon, 17 May 2021 at 09:30, Ada Lovelace\n<a@x.example> wrote:\n\n> Old",
    "german arrows": "Own.\n\nAm 17.05.2021 um 09:30 schrieb Ada Lovelace:\n> Old",
    "french": "Own.\n\nLe lun. 17 mai 2021 à 09:30, Ada <a@x.example> a écrit :\n\n> Old",
    "spanish": "Own.\n\nEl lun, 17 may 2021 a las 9:30, Ada (<a@x.example>) escribió:\n\n> Old",
    "italian": "Own.\n\nIl giorno lun 17 mag 2021 alle ore 09:30 Ada <a@x.example> ha scritto:\n> Old",
    "dutch": "Own.\n\nOp ma 17 mei 2021 om 09:30 schreef Ada <a@x.example>:\n> Old",
    "russian": "Own.\n\nпн, 17 мая 2021 г. в 09:30, Ada <a@x.example> написал(а):\n> Old",
    "japanese": "Own.\n\n2021年5月17日(月) 9:30 Ada <a@x.example>:\n> Old",
    "outlook": "Own.\n\n-----Original Message-----\nFrom: Ada\nSent: Monday\nTo: Bo\nSubject: Old\n\nOld",
    "outlook, no line": "Own.\n\nFrom: Ada <a@x.example>\nSent: Monday, 17 May 2021 09:30\nTo: Bo\nSubject: Old\n\nOld",
    "outlook in german": "Own.\n\nVon: Ada\nGesendet: Montag, 17. Mai 2021 09:30\nAn: Bo\nCc: C\nBetreff: Old\n\nOld",
    "outlook in french": "Own.\n\nDe\xa0: Ada\nEnvoyé\xa0: lundi 17 mai 2021\nÀ\xa0: Bo\nObjet\xa0: Old\n\nOld",
    "outlook in bold": "Own.\n\n*From:* Ada\n*Sent:* Monday\n*To:* Bo\n*Subject:* Old\n\nOld",
    "outlook in chinese": "Own.\n\n发件人: Ada\n发送时间: 2021年5月17日\n收件人: Bo\n主题: Old\n\nOld",
    "outlook in korean": "Own.\n\n보낸 사람: Ada\nSent: Monday\nTo: Bo\n\nOld",
    "forwarded by gmail": "Own.\n\n---------- Forwarded message ---------\nFrom: Ada <a@x.example>\nDate: Mon\n\nOld",
    "forwarded by apple": "Own.\n\nBegin forwarded message:\n\n> From: Ada\n> Subject: Old\n>\n> Old",
    "forwarded by notes": "Own.\n\n---------------------- Forwarded by Ada/HOU/ECT on 05/17/2001 09:30 AM ------\n\nOld",
    "notes": "Own.\n\nAda@ECT\n05/17/2001 09:30 AM\nTo: Bo/HOU/ECT@ECT\ncc:\nSubject: Old\n\nOld",
    "attribution alone": "Own.\n\nOn Mon, May 17, 2021 at 9:30 AM Ada <a@x.example> wrote:\n\nOld words\nwithout arrows.",
}


@pytest.mark.parametrize("message", HISTORIES.values(), ids=HISTORIES)
def test_quoted_history_is_marked_and_stays_in_the_text(message: str) -> None:
    document = only(mail(message))
    assert marked(document, "body") == ["Own."]
    assert "\n\n".join(marked(document, "quoted history")) == message.removeprefix("Own.\n\n")
    assert said(document) == message


OWN = (
    "On Monday we wrote: the bill is wrong.\nPlease pay.",
    "He said:\nFrom: here to there it is far.\nGo on.",
    "From: the kitchen\n\nDinner is ready.",
    "a > b is true\nand 5 > 3",
    "Prices:\n- 5\n-- 6\n---\nEnd",
    "To: do\nSubject: none\nnothing else",
    ">From here on we go.",
    "As I wrote:\nthis is mine.",
)


@pytest.mark.parametrize("message", OWN)
def test_a_mails_own_words_are_not_taken_for_history(message: str) -> None:
    document = only(mail(message))
    assert marked(document, "quoted history") == []
    assert marked(document, "body") == [message]


def test_answers_between_quoted_lines_are_the_mails_own() -> None:
    message = "Ada wrote:\n> Paid?\n\nYes.\n\n> When?\n\nIn May.\n"
    document = only(mail(message))
    assert marked(document, "body") == ["Yes.", "In May."]
    assert marked(document, "quoted history") == ["Ada wrote:\n> Paid?", "> When?"]
    assert document.units[-1].citation == "Message body"


def test_each_mail_in_a_row_of_quoted_ones_has_its_place() -> None:
    message = (
        "Own.\n\nFrom: A\nSent: Mon\nTo: B\nSubject: 2\n\nSecond.\n\n"
        "-----Original Message-----\nFrom: C\nSent: Sun\nTo: D\nSubject: 1\n\nFirst."
    )
    document = only(mail(message))
    assert [(unit.kind, unit.label) for unit in document.units] == [
        ("header", "Headers"),
        ("body", "Message body"),
        ("quoted history", "1"),
        ("quoted history", "2"),
    ]
    assert marked(document, "quoted history")[-1].startswith("-----Original Message-----")
    assert marked(document, "quoted history")[-1].endswith("First.")
    assert marked(document, "quoted history")[0].startswith("From: A")


def test_history_in_a_page_is_where_the_page_says_it_cites() -> None:
    page = (
        "<div class='moz-cite-prefix'>On 17.05.2021 09:30, Ada wrote:<br></div>"
        "<blockquote type='cite'><p>Old one.</p><blockquote type='cite'>Older.</blockquote><p>Old two.</p></blockquote>"
        "<p>Below it is mine.</p><blockquote>An indented line of mine.</blockquote>"
    )
    document = only(mail(page, kind="text/html"))
    assert marked(document, "quoted history") == ["On 17.05.2021 09:30, Ada wrote:\nOld one.\nOlder.\nOld two."]
    assert marked(document, "body") == ["Below it is mine.\nAn indented line of mine."]


def test_history_in_a_page_of_outlook_is_found_by_its_headers() -> None:
    page = (
        "<p>Mine.</p><div style='border-top:solid'><p><b>From:</b> Ada<br><b>Sent:</b> Monday<br><b>To:</b> Bo<br>"
        "<b>Subject:</b> Old</p></div><p>Old words.</p>"
    )
    document = only(mail(page, kind="text/html"))
    assert marked(document, "body") == ["Mine."]
    assert marked(document, "quoted history")[0].endswith("Old words.")


BOX = (
    "From a@x Mon May 17 09:30:00 2021\nDate: Mon, 17 May 2021 09:30:00 +0200\nSubject: One\n\n>From here\n>>From there\n\n"
    "From - Mon May 17 10:30:00 2021\nX-Mozilla-Status: 0009\nSubject: Two\n\nFrom now on 10:30 it is\nFrom bo 10:30\n\n"
    "From 170@xxx Mon May 17 11:30:00 +0000 2021\nSubject: Three\n\nThird\n"
)


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_mailbox_gives_its_mails_in_memory_and_on_disk(tmp_path: Path, line_end: str) -> None:
    data = BOX.replace("\n", line_end).encode()
    (tmp_path / "Inbox").write_bytes(data)
    for loading in (load_bytes("Inbox", data), load_paths([tmp_path / "Inbox"])):
        assert [line.path for line in loading.ledger] == [
            "Inbox",
            "Inbox > mail 1.eml",
            "Inbox > mail 2.eml",
            "Inbox > mail 3.eml",
        ]
        one, two, three = loading.documents
        assert said(one) == "From here\n>From there"
        assert said(two) == "From now on 10:30 it is\nFrom bo 10:30"
        assert "The mailbox marks this mail as deleted." in two.warnings
        assert two.date == "2021-05-17T10:30:00"
        assert (three.title, three.text) == ("Three", "Subject: Three\n\nThird")


def test_a_mailbox_of_a_newer_thunderbird_is_parted_too() -> None:
    data = b"From \nSubject: One\nMessage-ID: <1@x>\n\nFirst\n\nFrom \nSubject: Two\nMessage-ID: <2@x>\n\nSecond\n"
    loading = load_bytes("Inbox.mbox", data)
    assert [said(document) for document in loading.documents] == ["First", "Second"]


def test_a_mailbox_without_empty_lines_between_its_mails_is_parted_by_whole_dates() -> None:
    data = (
        b"From a@x Mon May 17 09:30:00 2021\nMessage-ID: <1@x>\n\nFirst\n"
        b"From b@x Mon May 17 09:31:00 2021\nMessage-ID: <2@x>\n\nSecond\n"
    )
    assert [said(document) for document in load_bytes("box", data).documents] == ["First", "Second"]


def test_mails_that_do_harm_are_read_in_bounded_time() -> None:
    deep = "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(3000))
    many = "--b\n\nx\n" * 20_000
    hostile = [
        f"From: a@x\n{deep}\nend".encode(),
        f"From: a@x\nContent-Type: multipart/mixed; boundary=b\n\n{many}".encode(),
        b"From: a@x\nSubject: " + b"=?a?q?" * 100_000 + b"\n\nHi",
        b"From: a@x\nContent-Type: text/plain" + b"; a=b" * 200_000 + b"\n\nHi",
        b"From: a@x\n\n" + b"> " * 500_000,
        b"From: a@x\n\n" + b"On " * 300_000 + b"wrote:",
        b"From: a@x\n\n" + b"From: x\n" * 100_000,
        b"From: a@x\n\n" + b"begin 644 a\n" * 100_000,
        b"From: a@x\nContent-Type: text/html\n\n" + b"<blockquote type=cite>" * 50_000,
        b"From: a@x\nContent-Type: application/pkcs7-mime\n\n" + bytes.fromhex("3080") * 200_000,
    ]
    for data in hostile:
        begun = time.process_time()
        load_bytes("a.eml", data)
        assert time.process_time() - begun < 10, data[:80]


@needs_cases
def test_a_mail_in_utf_16_of_another_project_is_read() -> None:
    document = only((NASTY / "fake-email-utf-16-le.eml").read_bytes())
    assert "This is a test email to use for unit tests." in document.text
    assert document.date == "2022-12-16T17:04:16-05:00"


@pytest.mark.parametrize("content", ["TlEtMTMgaGVsbG8", "TlEtMTMg\naGVsbG8!", "TlEtMTMgaGVsbG8=", "TlEtMTMgaGVsbG8hI"])
def test_base64_without_its_padding_loses_nothing(content: str) -> None:
    raw = f"From: a@x.example\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\n{content}\n"
    assert said(only(raw.encode())).rstrip("!") == "NQ-13 hello"


def test_a_sum_that_only_the_page_of_two_forms_has_is_read() -> None:
    raw = parts(
        "Content-Type: text/plain\n\nPlease see the page. Total EUR 5.00",
        "Content-Type: text/html\n\n<p>Total EUR 99,000.00</p>",
        kind="alternative",
    )
    document = only(raw)
    assert "Total EUR 99,000.00" in document.text
    assert [unit.label for unit in document.units] == ["Headers", "Message body", "Message body as a page"]
