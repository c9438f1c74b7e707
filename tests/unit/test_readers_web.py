"""Web pages, data files and text in any encoding."""

import time

import pytest

from r3con_core.documents import Document
from r3con_core.readers import Outcome, load_bytes


def only_document(name: str, data: bytes) -> Document:
    """The one document that an upload gives."""
    loading = load_bytes(name, data)
    assert len(loading.documents) == 1, loading.ledger
    return loading.documents[0]


def page(body: str, head: str = "") -> Document:
    """A web page with something to see in it."""
    return only_document("a.html", f"<html><head>{head}</head><body><p>seen</p>{body}</body></html>".encode())


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ('<div style="display:none">secret words</div>', "not displayed"),
        ("<div hidden>secret words</div>", "not displayed"),
        ('<div style="visibility:hidden">secret words</div>', "invisible"),
        ('<div style="opacity:0">secret words</div>', "transparent"),
        ('<p style="font-size:1px">secret words</p>', "tiny letters"),
        ('<p style="font-size:0">secret words</p>', "tiny letters"),
        ('<p style="color:#FFF">secret words</p>', "letters in the colour of their ground"),
        ('<p><font color="white">secret words</font></p>', "letters in the colour of their ground"),
        ('<p style="color:#222;background:#222">secret words</p>', "letters in the colour of their ground"),
        ('<p style="color:transparent">secret words</p>', "transparent letters"),
        ('<p style="position:absolute;left:-9999px">secret words</p>', "off the page"),
        ('<p style="text-indent:-9999px">secret words</p>', "off the page"),
        ('<p style="height:0;overflow:hidden">secret words</p>', "cut to nothing"),
        ('<p style="position:absolute;clip:rect(0,0,0,0)">secret words</p>', "cut to nothing"),
        ('<p class="x gone">secret words</p>', "not displayed"),
        ('<p id="z">secret words</p>', "tiny letters"),
        ('<p style="filter:blur(0) opacity(0)">secret words</p>', "transparent"),
        ('<p style="color:hsl(0, 0%, 100%)">secret words</p>', "letters in the colour of their ground"),
        ('<p style="color:ivory">secret words</p>', "letters in the colour of their ground"),
        ('<p style="color:#f1f1f1">secret words</p>', "letters in the colour of their ground"),
        ('<p style="dis\\70lay:none">secret words</p>', "not displayed"),
        ('<p style="display:/**/none">secret words</p>', "not displayed"),
        ('<p style="font:0/0 a">secret words</p>', "tiny letters"),
        ('<p style="text-indent:100%;overflow:hidden">secret words</p>', "off the page"),
        ("<dialog>secret words</dialog>", "not displayed"),
        ('<div class="out"><p><b>secret words</b></p></div>', "not displayed"),
        ("<section><i>secret words</i></section>", "invisible"),
        ("<template>secret words</template>", "a template"),
        ("<!-- secret words -->", "a comment in the page's source"),
        ("<noscript>secret words</noscript>", "shown only where scripts are off"),
    ],
)
def test_what_readers_of_a_page_do_not_see_is_set_aside_whole(body: str, why: str) -> None:
    document = page(
        body,
        "<style>/* a */ p.gone, .b {display: none} #z {font-size: 1px}"
        " div.out b {display: none} section > i {visibility: hidden}</style>",
    )
    assert document.text == "seen"
    assert [(one.text, one.detail, one.set_aside) for one in document.findings] == [("secret words", why, True)]
    assert len(document.warnings) == 1
    assert "“secret words”" in document.warnings[0]


@pytest.mark.parametrize(
    ("body", "head"),
    [
        ('<p style="color:white;background:#000">also</p>', ""),
        ('<table bgcolor="#000000"><tr><td style="color:#fff">also</td></tr></table>', ""),
        ('<div class="bar"><p style="color:#fff">also</p></div>', '<link rel="stylesheet" href="site.css">'),
        ('<div class="bar" style="color:#fff">also</div>', "<style>[lang] .bar {background: navy}</style>"),
        ('<div style="font-size:0"><span style="font-size:14px">also</span></div>', ""),
        ('<div style="visibility:hidden"><b style="visibility:visible">also</b></div>', ""),
        ('<p class="p">also</p>', "<style>@media print {.p {display:none}}</style>"),
        ('<p class="p">also</p>', "<style>.p {display:none} .p {display:block}</style>"),
        ("<dialog open>also</dialog>", ""),
        ('<div class="a"><p>also</p></div>', "<style>.b p, .a > b > p, p .a, .a > .a > p {display:none}</style>"),
        ("<div><p><i>also</i></p></div>", "<style>div > i, p + i, i:hover {display:none}</style>"),
        ('<p class="p q">also</p>', "<style>body .p {display:none} body p.q {display:block}</style>"),
        ('<p style="filter:blur(0)">also</p>', ""),
        ('<p style="color:rgba(0,0,0,1.2.3)">also</p>', ""),
        ('<p style="color:rgba(0,0,0,1.)">also</p>', ""),
        ('<p style="font:10px/0 a">also</p>', ""),
        ('<p style="color:hsl(0,0%,30%)">also</p>', ""),
        ("<details><summary>also</summary></details>", ""),
        ('<p aria-hidden="true">also</p>', ""),
        ('<input value="also"><input type="hidden" value="no">', ""),
    ],
)
def test_what_readers_of_a_page_may_see_stays(body: str, head: str) -> None:
    document = page(body, head)
    assert (document.text, document.findings) == ("seen\nalso", ())


def test_a_page_states_its_author_and_date() -> None:
    head = (
        '<meta name="author" content="R. Marsh"><meta property="article:published_time" content="2022-02-09T10:00:00Z">'
    )
    document = page("", head)
    assert (document.author, document.date) == ("R. Marsh", "2022-02-09T10:00:00Z")
    assert page("", '<meta name="date" content="03/04/2022">').date is None


def test_deep_nesting_hides_nothing_and_costs_little() -> None:
    depth = 100_000
    hidden = '<p style="display:none">secret words</p>'
    markup = f"<title>T</title><p>start</p>{'<div>' * depth}deep{hidden}{'</div>' * depth}<p>end &amp; out</p>"
    before = time.process_time()
    document = only_document("a.html", f"<html>{markup}".encode())
    assert time.process_time() - before < 5
    assert (document.title, document.text) == ("T", "start\ndeep\nend & out")
    assert [finding.text for finding in document.findings] == ["secret words"]


def test_xml_is_an_outline_with_attributes_and_paths() -> None:
    markup = (
        '<?xml version="1.0" encoding="windows-1251"?>\n<pay xmlns="urn:x" period="2021">'
        '<one id="1"><ref>NQ-1</ref><by who="Рената &amp; Ко"/></one><one><p>The <b>bold</b> sum<br/> of 5</p></one></pay>'
    )
    document = only_document("a.xml", markup.encode("cp1251"))
    assert document.text == (
        "pay (period: 2021):\n  one (id: 1):\n    ref: NQ-1\n    by (who: Рената & Ко)\n  one:\n    p: The bold sum of 5"
    )
    assert [unit.label for unit in document.units][2:] == [
        "/pay/one/ref",
        "/pay/one/by",
        "/pay/one[2]",
        "/pay/one[2]/p",
    ]
    assert document.warnings == ()


def test_entities_in_xml_are_not_followed() -> None:
    types = '<!DOCTYPE a [<!ENTITY x "boo"><!ENTITY f SYSTEM "file:///etc/hostname">]>'
    document = only_document("a.xml", f"<?xml version='1.0'?>{types}<a>&x; &f; &eacute;</a>".encode())
    assert document.text == "a: &x; &f; é"
    assert document.warnings == ("The file defines entities of its own; they were not followed, and stand as &name;.",)


def test_broken_xml_loses_no_words() -> None:
    document = only_document("a.xml", b"<a>\n<b>one</b>\n<c>two</b>\n<d>three</d></a>")
    assert document.text == "a:\n  b: one\n  c: two\ntwo\nthree"
    assert document.warnings == ("The XML is damaged; what follows line 3 stands as it is.",)
    assert only_document("a.xml", b"no markup").text == "no markup"


def test_many_json_lines_are_cut_and_each_piece_counts_its_own() -> None:
    raw = "".join(f'{{"id": {n}}}\n' for n in range(20_000)) + '{"id": 1}\n{"id":\n'
    first, second = load_bytes("a.jsonl", raw.encode()).documents
    assert (first.source.path, first.warnings) == ("a.jsonl > lines 1-20,000", ())
    assert second.warnings == ("1 of 2 lines are valid JSON; the others stand as they are.",)


def test_a_long_json_array_is_read_item_by_item() -> None:
    item = '{"id": 12, "note": "' + "x" * 1000 + '"}'
    documents = load_bytes("a.json", f"[{', '.join([item] * 36_000)}]".encode()).documents
    assert len(documents) == 10
    assert documents[0].text.startswith("- id: 12\n  note: xxx")
    assert documents[-1].warnings == ()


def test_a_very_long_text_is_cut_at_a_line_and_loses_nothing() -> None:
    raw = "".join(f"line {n} of many, {'as long as lines of letters are, ' * 6}\n\n" for n in range(40_000))
    documents = load_bytes("a.txt", raw.encode()).documents
    assert len(documents) == 2
    assert "".join(document.text for document in documents) == raw
    assert documents[1].source.path.startswith("a.txt > lines ")


SAMPLES = {
    "de": "Die Behörde überwies am 3. März einen Betrag für die Prüfung der Straße; der Geschäftsführer erklärte es später.",
    "fr": "Le directeur a confirmé que la société avait reçu trois paiements à la fin de l'été, où étaient les reçus?",
    "pl": "Zarząd zapłacił spółce za usługi, których nie świadczyła; księgowa potwierdziła, że płatność była później.",
    "cs": "Společnost dostala od přístavu tři platby, ačkoli služby nebyly poskytnuty; ředitel řekl, že doklady shořely.",
    "tr": "Liman müdürü, şirketin üç ödeme aldığını doğruladı; danışmanlık sözleşmesi bulunamadı, görüşme tutanağı kayıp.",
    "ru": "Директор порта подтвердил, что компания получила три платежа за услуги, которые не были оказаны.",
    "el": "Ο διευθυντής του λιμανιού επιβεβαίωσε ότι η εταιρεία έλαβε τρεις πληρωμές για υπηρεσίες.",
    "he": "מנהל הנמל אישר כי החברה קיבלה שלושה תשלומים עבור שירותים שלא ניתנו.",
    "ar": "أكد مدير الميناء أن الشركة تلقت ثلاث دفعات مقابل خدمات لم تقدم.",
    "th": "ผู้อำนวยการท่าเรือยืนยันว่าบริษัทได้รับเงินสามครั้งสำหรับบริการที่ไม่ได้ให้",
    "ja": "港湾局は2022年3月16日にコンサルタントに12万円を支払った。",
    "zh": "港务局局长确认，该公司就未提供的服务收到了三笔付款，董事会没有批准。",
    "tw": "港務局局長確認，該公司就未提供的服務收到了三筆付款，董事會沒有批准。",
    "ko": "항만청장은 회사가 제공하지 않은 용역에 대해 세 차례의 대금을 받았다고 확인했다.",
}
ENCODINGS = {
    "de": "cp1252 cp850 cp437 mac_roman utf-32-le utf-32-be",
    "fr": "cp1252 cp850 mac_roman",
    "pl": "cp1250 iso8859_2 cp852",
    "cs": "cp1250 cp852",
    "tr": "cp1254 cp857",
    "ru": "cp1251 koi8_r cp866 iso8859_5 mac_cyrillic utf-16-le utf-16-be",
    "el": "cp1253 cp737 utf-16-le",
    "he": "cp1255 cp862",
    "ar": "cp1256 iso8859_6 utf-16-be",
    "th": "cp874",
    "ja": "cp932 euc_jp iso2022_jp utf-16-le",
    "zh": "gb18030 utf-16-le utf-16-be",
    "tw": "big5",
    "ko": "cp949",
}


@pytest.mark.parametrize(
    ("language", "encoding"), [(one, encoding) for one, held in ENCODINGS.items() for encoding in held.split()]
)
def test_text_of_any_language_and_encoding_is_read(language: str, encoding: str) -> None:
    assert only_document("a.txt", SAMPLES[language].encode(encoding)).text == SAMPLES[language]


def test_bytes_that_cannot_be_decoded_are_counted() -> None:
    document = only_document("a.txt", "Größe, Länge, Höhe, Übergröße".encode() + b" \xff\xfe.")
    assert document.text == "Größe, Länge, Höhe, Übergröße \ufffd\ufffd."
    assert document.warnings == ("2 signs are not valid utf-8, could not be decoded, and stand as \ufffd.",)


def test_a_character_on_the_edge_of_a_block_is_not_cut() -> None:
    text = "é" * 300_000
    assert only_document("a.txt", b"x" + text.encode()).text == "x" + text


def test_bytes_without_words_are_not_readable() -> None:
    [line] = load_bytes("a.txt", bytes(range(256)) * 20).ledger
    assert line.outcome is Outcome.NOT_READABLE


def test_the_page_written_into_a_frame_is_read() -> None:
    inner = "&lt;p&gt;NQ-2 framed&lt;/p&gt;&lt;p hidden&gt;secret words&lt;/p&gt;"
    document = page(f'<iframe srcdoc="{inner}">no frames here</iframe><p>after</p>')
    assert document.text == "seen\nNQ-2 framed\nafter"
    assert [unit.label for unit in document.units] == ["1", "2", "3"]
    assert [(found.text, found.detail) for found in document.findings] == [
        ("secret words", "not displayed"),
        ("no frames here", "shown only where a frame or object cannot be"),
    ]


def test_the_page_written_into_a_hidden_frame_is_set_aside() -> None:
    document = page('<iframe style="display:none" srcdoc="&lt;p&gt;secret words&lt;/p&gt;"></iframe>')
    assert (document.text, [found.text for found in document.findings]) == ("seen", ["secret words"])


def test_frames_within_frames_end_somewhere() -> None:
    markup = "<p>deep</p>"
    for _ in range(7):
        escaped = markup.replace("&", "&amp;").replace('"', "&quot;")
        markup = f'<p>x</p><iframe srcdoc="{escaped}"></iframe>'
    assert only_document("a.html", markup.encode()).text == "\n".join("x" * 6)


@pytest.mark.parametrize("tag", ["object", "iframe", "noframes"])
def test_words_in_place_of_what_is_not_shown_are_set_aside(tag: str) -> None:
    document = page(f"<{tag}>secret words</{tag}>")
    assert (document.text, [found.text for found in document.findings]) == ("seen", ["secret words"])


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("a.html", '<meta charset="iso-8859-1"><p>'),
        ("a.html", '<meta charset="us-ascii"><p>'),
        ("a.xml", '<?xml version="1.0" encoding="ISO-8859-1"?><p>'),
    ],
)
def test_latin_1_is_taken_for_windows_1252_as_browsers_do(name: str, head: str) -> None:
    assert "Müller’s € 5" in only_document(name, f"{head}Müller’s € 5</p>".encode("cp1252")).text
