"""Each format becomes text that a person can read, with the places in it."""

import pytest

from r3con_core.documents import Document
from r3con_core.readers import Outcome, load_bytes
from tests.pdfs import line, pdf


def only_document(name: str, data: bytes) -> Document:
    """The one document that an upload gives."""
    loading = load_bytes(name, data)
    assert len(loading.documents) == 1, loading.ledger
    return loading.documents[0]


def places(document: Document) -> list[tuple[str, str, str]]:
    """Kind, label and words of each unit."""
    return [(unit.kind, unit.label, document.text[unit.span.start : unit.span.end]) for unit in document.units]


def reasons(name: str, data: bytes) -> list[tuple[Outcome, str]]:
    """Outcome and reason of each line of an upload's ledger."""
    return [(line.outcome, line.reason) for line in load_bytes(name, data).ledger]


def test_plain_text_keeps_its_words_and_numbers_its_paragraphs() -> None:
    document = only_document("memo.txt", b"One.\r\nStill one.\r\n\r\nTwo.\r")
    assert document.text == "One.\nStill one.\n\nTwo.\n"
    assert places(document) == [("paragraph", "1", "One.\nStill one."), ("paragraph", "2", "Two.")]
    assert (document.title, document.source.media_type, document.warnings) == ("memo.txt", "text/plain", ())


def test_a_text_of_very_many_paragraphs_shares_its_places() -> None:
    document = only_document("log.txt", "\n\n".join(f"line {n}" for n in range(12_000)).encode())
    assert len(document.units) == 4_000
    assert document.units[1].label == "4-6"
    assert places(document)[1][2] == "line 3\n\nline 4\n\nline 5"


def test_markdown_is_titled_by_its_first_heading() -> None:
    document = only_document("notes.md", b"Preamble\n\n## The *Demeter* ##\n\nText\n")
    assert document.title == "The *Demeter*"
    assert document.text.startswith("Preamble\n\n## The")


SENTENCE = "Größe der Straße: 45 €, Café, naïve Überprüfung"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_unicode_encodings_are_recognised(encoding: str) -> None:
    document = only_document("a.txt", SENTENCE.encode(encoding))
    assert (document.text, document.warnings) == (SENTENCE, ())


@pytest.mark.parametrize(
    ("encoding", "sentence"),
    [
        ("cp1252", "Renée d’Alcôve a reçu €1.500,00 — validé"),
        ("cp1252", "Alle Menschen sind frei und gleich an Würde geboren. Straße „Größe“."),
        ("cp1252", "Alle mennesker er født frie og lige i værdighed; de bør handle i en broderskabets ånd."),
        ("cp1250", "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw."),
        ("cp1250", "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv."),
        ("mac_roman", "Köln; Lübeck; Düsseldorf; Straße"),
        ("cp1251", "Все люди рождаются свободными и равными в своем достоинстве и правах."),
        ("cp866", "Все люди рождаются свободными и равными в своем достоинстве и правах."),
        ("shift_jis", "すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。"),
        ("gb18030", "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心。"),
    ],
)
def test_older_encodings_are_guessed_and_the_guess_is_told(encoding: str, sentence: str) -> None:
    document = only_document("a.txt", sentence.encode(encoding))
    assert document.text == sentence
    assert len(document.warnings) == 1
    assert "does not say its encoding" in document.warnings[0]


def test_signs_that_cannot_be_stored_are_replaced() -> None:
    document = only_document("a.json", b'["a\\ud800b", "c\\u0000d"]')
    assert document.text == "- a\ufffdb\n- c\ufffdd"


PAGE = """<!DOCTYPE html><html><head><title> Harbour
 blog </title><style>p {color: red}</style><script>var a = "no";</script></head>
<body><!-- no --><h1>Works</h1><p>Paid <b>EUR&nbsp;2,222</b><br>today.</p>
<ul><li>first</li><li>second</li></ul>
<table><tr><th>Ref</th><th>Amount</th></tr><tr><td><p>NQ-1</p></td><td>7</td></tr></table>
<pre>a  b
  c</pre>
<div style="display: none">planted words</div> tail <noscript>no</noscript>
</body></html>"""


def test_a_web_page_gives_what_its_reader_sees() -> None:
    document = only_document("page.html", PAGE.encode())
    assert document.title == "Harbour blog"
    assert places(document) == [
        ("heading", "1", "Works"),
        ("paragraph", "1", "Paid EUR 2,222\ntoday."),
        ("list item", "1", "first"),
        ("list item", "2", "second"),
        ("table row", "1", "Ref | Amount"),
        ("table row", "2", "NQ-1 | 7"),
        ("paragraph", "2", "a  b\n  c"),
        ("paragraph", "3", "tail"),
    ]
    assert document.text == "\n".join(words for _, _, words in places(document))
    assert document.warnings == ("Text that readers of the page do not see was left out: “planted words”",)


def test_a_page_that_lies_about_its_encoding_is_read_all_the_same() -> None:
    document = only_document("a.html", '<meta charset="utf-8"><p>Reçu €1.500,00 de Renée.</p>'.encode("cp1252"))
    assert document.text == "Reçu €1.500,00 de Renée."
    assert document.warnings == (
        "The text was decoded as windows-1252 (declared utf-8), and some letters may be wrong.",
    )


def test_a_page_of_very_many_blocks_shares_its_places() -> None:
    document = only_document("a.html", b"<h1>Top</h1>" + b"<p>word</p>" * 9_999)
    assert len(document.units) == 5_000
    assert [unit.label for unit in document.units[:2]] == ["heading 1 to paragraph 1", "2-3"]


def test_a_page_nested_beyond_all_measure_loses_no_words() -> None:
    markup = "<html><p>start</p>" + "<div>" * 50_000 + "deep" + "</div>" * 50_000 + "<p>end &amp; out</p>"
    assert only_document("a.html", markup.encode()).text == "start\ndeep\nend & out"


def test_a_table_names_the_column_of_each_value() -> None:
    document = only_document("a.csv", b'Ref;Amount;Note\nNQ-1;1.234,56;"two\nlines"\n00042;;=1+1\n')
    assert places(document) == [
        ("header", "1", "Columns: Ref; Amount; Note"),
        (
            "reading note",
            "Reading note",
            "Reading note: in Amount a comma marks the decimals and a point groups thousands.",
        ),
        ("row", "1", "Ref: NQ-1; Amount: 1.234,56; Note: two\nlines"),
        ("row", "2", "Ref: 00042; Note: =1+1"),
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter: str) -> None:
    rows = [["Name", "Year"], ["Ada, Countess", "1815"], ["Grace", "1906"]]
    table = "\n".join(delimiter.join(f'"{cell}"' for cell in row) for row in rows)
    assert only_document("a.csv", table.encode()).text.splitlines()[1:] == [
        "Name: Ada, Countess; Year: 1815",
        "Name: Grace; Year: 1906",
    ]


def test_a_table_without_header_numbers_its_columns_and_a_title_stays_above() -> None:
    document = only_document("a.tsv", b"Report for May\n1\t2\n3\t4\t5\n")
    assert document.text == "Report for May\ncolumn 1: 1; column 2: 2\ncolumn 1: 3; column 2: 4; column 3: 5"


def test_rows_wider_than_the_header_are_told() -> None:
    document = only_document("a.csv", b"a,b\nx,y\nx,y,z\n")
    assert document.text.endswith("a: x; b: y; column 3: z")
    assert document.warnings == ("1 of 2 rows have more cells than the header has columns.",)


def test_a_table_whose_quote_never_closes_is_read_as_text() -> None:
    table = 'a,b\n"' + "x,y\n" * 50_000
    assert only_document("a.csv", table.encode()).text == table


def test_json_reads_like_an_outline_with_its_values_as_they_are() -> None:
    person = '{"name": "Ren\\u00e9e \\"R\\"", "paid": 12500.00, "born": 1e3}'
    raw = f'{{"people": [{person}, null, [true]], "none": {{}}, "name": "first", "name": "second"}}'
    document = only_document("a.json", raw.encode())
    assert document.text == (
        'people:\n  - name: Renée "R"\n    paid: 12500.00\n    born: 1e3\n  - null\n  - - true\n'
        "none: {}\nname: first\nname: second"
    )
    assert [unit.label for unit in document.units] == ["people", "none", "name", "name"]


def test_json_lines_keep_a_broken_line_as_it_is() -> None:
    document = only_document("a.json", b'{"id": 1}\n{"id": 2}\n{"id": 3, "na')
    assert places(document) == [("line", "1", "- id: 1"), ("line", "2", "- id: 2"), ("line", "3", '{"id": 3, "na')]
    assert document.warnings == ("2 of 3 lines are valid JSON; the others stand as they are.",)


def test_what_only_calls_itself_json_stands_as_it_is() -> None:
    document = only_document("a.json", b"not\njson")
    assert document.text == "not\njson"
    assert len(document.warnings) == 1


def test_json_nested_beyond_all_measure_stands_as_it_is() -> None:
    raw = "[" * 30_000 + "]" * 30_000
    assert only_document("a.json", raw.encode()).text == raw


MAIL = """\
Received: from nowhere
From: =?utf-8?b?UmVuw6ll?= <renee@quillfeather.example>
To: Maren Oduya <maren@northdale.example>,
 Tobias <t@northdale.example>
Subject: Invoice =?iso-8859-1?q?f=FCr?= May
Date: Mon, 17 May 2021 09:30:00 +0200
Message-ID: <1@quillfeather.example>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=outer

--outer
Content-Type: multipart/alternative; boundary=inner

--inner
Content-Type: text/plain; charset=windows-1252
Content-Transfer-Encoding: quoted-printable

Paid =8012,750.50.
--inner
Content-Type: text/html

<p>Paid, as a page.</p>
--inner--
--outer
Content-Type: text/plain
Content-Disposition: attachment; filename*=utf-8''ao%C3%BBt.txt

attached words
--outer
Content-Type: message/rfc822

From: b@x.example
Subject: Earlier quote

Quote Q-77.
--outer--
"""


def test_a_mail_gives_its_headers_its_message_and_its_attachments() -> None:
    loading = load_bytes("box/mail.eml", MAIL.encode())
    mail, attachment, attached_mail = loading.documents
    headers = (
        "From: Renée <renee@quillfeather.example>\n"
        "To: Maren Oduya <maren@northdale.example>, Tobias <t@northdale.example>\n"
        "Date: Mon, 17 May 2021 09:30:00 +0200\nSubject: Invoice für May\n"
        "Message-ID: <1@quillfeather.example>\nAttachments: août.txt, Earlier quote.eml"
    )
    assert places(mail) == [
        ("header", "Headers", headers),
        ("body", "Message body", "Paid €12,750.50."),
    ]
    assert (mail.title, mail.date) == ("Invoice für May", "2021-05-17T09:30:00+02:00")
    assert (mail.author, mail.warnings) == ("Renée <renee@quillfeather.example>", ())
    assert (attachment.source.path, attachment.text) == ("box/mail.eml > août.txt", "attached words")
    assert attached_mail.source.path == "box/mail.eml > Earlier quote.eml"
    assert attached_mail.text == "From: b@x.example\nSubject: Earlier quote\n\nQuote Q-77."


def test_a_mail_that_is_only_a_page_is_read_as_its_reader_sees_it() -> None:
    raw = "From: a@x.example\nContent-Type: text/html\n\n<p hidden>preheader</p><p>Dear Maren,</p>"
    document = only_document("a.eml", raw.encode())
    assert document.text == "From: a@x.example\n\nDear Maren,"
    assert document.warnings == ("Text that readers of the page do not see was left out: “preheader”",)


def test_a_mail_without_a_message_says_so() -> None:
    raw = "From: a@x.example\nDate: soon\nContent-Type: image/png\nContent-Disposition: attachment; filename=e.png\n\n"
    loading = load_bytes("a.eml", raw.encode())
    assert [document.warnings for document in loading.documents] == [("The mail has no body; 1 empty attachment.",)]
    assert loading.documents[0].date is None
    assert loading.ledger[1].outcome is Outcome.NOTHING_IN_IT


def test_a_mail_is_recognised_without_a_telling_name() -> None:
    assert only_document("1.", b"Message-ID: <1@x>\nFrom: a@x.example\n\nHello").source.media_type == "message/rfc822"
    assert only_document("memo.txt", b"From: the chair\nTo: all\n\nHello").source.media_type == "text/plain"


def test_a_mail_in_several_forms_without_plain_words_is_read_as_a_page() -> None:
    raw = (
        b"From: a@x\nContent-Type: multipart/alternative; boundary=b\n\n--b\n\n \n--b\n"
        b"Content-Type: text/html\n\n<p>As a page.</p>\n--b--\n"
    )
    assert only_document("a.eml", raw).text == "From: a@x\n\nAs a page."


def test_the_report_in_a_returned_mail_is_kept() -> None:
    raw = (
        b"From: a@x\nContent-Type: multipart/report; boundary=b\n\n--b\n\nReturned.\n--b\n"
        b"Content-Type: message/delivery-status\n\nReporting-MTA: dns; x\n\nStatus: 5.1.1\n\n--b--\n"
    )
    returned, report = load_bytes("a.eml", raw).documents
    assert returned.text.endswith("Returned.")
    assert "Reporting-MTA: dns; x" in report.text
    assert "Status: 5.1.1" in report.text


def test_headers_in_raw_bytes_or_broken_code_are_shown() -> None:
    raw = "From: Renée\nSubject: =?utf-8?b?a?= x\nDate: 1\n\nHello".encode("latin-1")
    document = only_document("a.eml", raw)
    assert document.text == "From: Renée\nDate: 1\nSubject: =?utf-8?b?a?= x\n\nHello"
    assert document.date is None


def test_a_mailbox_gives_each_of_its_mails() -> None:
    box = (
        b"From a@x Mon May 17 09:30:00 2021\nMessage-ID: <1>\nSubject: One\n\n>From here on\n\n"
        b"From b@x Mon May 17 10:30:00 2021\nMessage-ID: <2>\nSubject: Two\n\nSecond\n"
    )
    loading = load_bytes("Inbox", box)
    assert [line.path for line in loading.ledger] == ["Inbox", "Inbox > mail 1.eml", "Inbox > mail 2.eml"]
    assert [document.text for document in loading.documents] == [
        "Subject: One\nMessage-ID: <1>\n\nFrom here on",
        "Subject: Two\nMessage-ID: <2>\n\nSecond",
    ]


def test_the_bytes_decide_before_the_name() -> None:
    as_pdf = only_document("a.txt", pdf(line("Ref NQ-145")))
    assert as_pdf.source.media_type == "application/pdf"
    assert as_pdf.warnings == ("The name ends in .txt, but this is PDF, and was read as that.",)
    as_page = only_document("a.pdf", b"<html><p>404</p></html>")
    assert as_page.warnings == ("The name ends in .pdf, but this is HTML, and was read as that.",)


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.xyz", bytes(range(256)), "this kind of file (.xyz) cannot be read yet"),
        ("a", bytes(range(256)), "this kind of file cannot be read yet"),
        ("a.docx", bytes(range(256)), "damaged, or not what its name says: its bytes are not those of a .docx file"),
        ("a.docx", b"PK\x03\x04 cut off", "a damaged or incomplete Word document"),
        ("a.png", b"\x89PNG\r\n\x1a\n", "a damaged picture"),
        (
            "a.msg",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "__properties_version1.0".encode("utf-16-le"),
            "a damaged or incomplete Outlook message",
        ),
    ],
)
def test_what_cannot_be_read_says_why(name: str, data: bytes, reason: str) -> None:
    assert reasons(name, data) == [(Outcome.NOT_READABLE, reason)]


@pytest.mark.parametrize("data", [b" \n\t\r\n", "\u200d\n\ufeff\u00a0".encode(), b"\xef\xbb\xbf"])
def test_a_text_of_blanks_has_nothing_in_it(data: bytes) -> None:
    assert reasons("a.txt", data) == [(Outcome.NOTHING_IN_IT, "there is no text in it")]


def test_an_empty_file_has_nothing_in_it() -> None:
    assert reasons("a.pdf", b"") == [(Outcome.NOTHING_IN_IT, "the file is empty (0 bytes)")]
