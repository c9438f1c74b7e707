"""Which documents are held back as communication with counsel, and which are not."""

import pytest

from r3con_core.documents import Document, Source, make_document
from r3con_core.privilege import Holding, held_family, looks_like_counsel, why_held
from r3con_core.readers import load_bytes

CORPORATE = (
    "This e-mail and any attachments may be confidential and legally privileged. If you are not the intended recipient, "
    "please notify the sender and delete it."
)


def mail(
    body: str, *, subject: str = "Invoice for May", to: str = "maren@northdale.example", more: str = ""
) -> Document:
    raw = f"From: Tobias Quill <tobias@quillfeather.example>\nTo: {to}\n{more}Subject: {subject}\nMessage-ID: <1@x>\n\n{body}\n"
    return load_bytes("a.eml", raw.encode()).documents[0]


def memo(text: str) -> Document:
    source = Source(path="memo.pdf", sha256="", media_type="application/pdf")
    return make_document(title="memo.pdf", text=text, source=source)


BANNERS = [
    "PRIVILEGED & CONFIDENTIAL",
    "Privileged and Confidential",
    "PRIVILEGED AND CONFIDENTIAL - ATTORNEY-CLIENT COMMUNICATION",
    "Attorney-Client Privileged Communication",
    "*** ATTORNEY WORK PRODUCT ***",
    "CONFIDENTIAL / ATTORNEY'S WORK PRODUCT / PREPARED AT THE REQUEST OF COUNSEL",
    "Legally privileged",
    "Subject to Legal Professional Privilege",
    "SOLICITOR-CLIENT PRIVILEGED",
    "Strictly private and confidential - legally privileged",
    "ATTORNEY CLIENT PRIVILEGED - DO NOT FORWARD",
    "PRIVILEGED & CONFIDENTIAL: NORTHDALE HARBOUR MATTER 4711",
    "Vertrauliche Anwaltskorrespondenz",
    "Unterliegt dem Anwaltsgeheimnis",
    "CONFIDENTIEL AVOCAT",
    "Confidentiel – secret professionnel de l'avocat",
    "Secreto profesional abogado-cliente",
    "SEGRETO PROFESSIONALE",
    "Sigilo profissional do advogado",
    "Vertrouwelijk - advocaat-cliënt",
    "Tajemnica adwokacka",
    "Адвокатская тайна",
]


@pytest.mark.parametrize("banner", BANNERS)
def test_a_banner_holds_a_mail_and_a_memo(banner: str) -> None:
    body = f"{banner}\n\nDear Maren,\n\nmy advice is not to pay invoice NQ-103.\n\nYours, T."
    assert why_held(mail(body)).startswith("marked “")
    assert why_held(memo(body)).startswith("marked “")


@pytest.mark.parametrize("banner", BANNERS)
def test_a_banner_in_the_subject_holds_a_mail(banner: str) -> None:
    assert why_held(mail("See below.", subject=f"RE: {banner}")).startswith("its subject says “")


def test_a_banner_at_the_end_holds_a_mail() -> None:
    body = "Dear Maren,\n\ndo not pay.\n\nYours, T.\n\nPRIVILEGED & CONFIDENTIAL"
    assert why_held(mail(body)) == "marked “PRIVILEGED & CONFIDENTIAL”"


def test_a_banner_in_a_quoted_mail_holds_the_answer_too() -> None:
    body = "Thanks.\n\n-----Original Message-----\nFrom: V\nSent: Mon\nTo: M\nSubject: x\n\nATTORNEY WORK PRODUCT\n\nAdvice."
    assert why_held(mail(body)) == "marked “ATTORNEY WORK PRODUCT”"


ORDINARY = [
    f"Dear Maren,\n\nplease find the invoice.\n\nTobias\n\n--\n{CORPORATE}",
    f"Thanks.\n\n{CORPORATE}",
    f"Thanks.\n\nPRIVILEGED AND CONFIDENTIAL\n\n{CORPORATE}",
    f"Thanks.\n\nPRIVILEGED AND CONFIDENTIAL\n{CORPORATE}",
    f"Thanks.\n\n{CORPORATE.upper()}",
    (
        "CONFIDENTIALITY NOTICE: The information in this message is privileged and confidential and intended only for the "
        "addressee.\n\nHello"
    ),
    "Thanks.\n\nDiese E-Mail kann vertrauliche und/oder rechtlich geschützte Informationen enthalten.",
    (
        "Merci.\n\nCe message est confidentiel et couvert par le secret professionnel. Si vous n'en êtes pas le destinataire, "
        "merci de le détruire."
    ),
    "Gracias.\n\nEste mensaje puede contener información confidencial sujeta a secreto profesional.",
    "WITHOUT PREJUDICE\n\nWe offer EUR 5,000.",
    "WITHOUT PREJUDICE SAVE AS TO COSTS\n\nWe offer EUR 5,000.",
    "CONFIDENTIAL\n\nThe budget is attached.",
    "STRICTLY PRIVATE AND CONFIDENTIAL\n\nThe budget is attached.",
    "The seminar is about attorney-client privilege in the EU.\n\nIt begins at nine.",
    "Our members are privileged to invite you.\n\nPrivileged access management is on the agenda.",
    "The work product of the team is due in May.",
    "We asked our lawyer whether this is legally privileged.\n\nShe said it was not.",
    "Das Anwaltsgeheimnis schützt diese Unterlagen nicht, sagte der Richter.",
    "The court held that the document was protected by legal professional privilege, and rejected the appeal.",
]


@pytest.mark.parametrize("body", ORDINARY)
def test_ordinary_mails_and_disclaimers_are_not_held(body: str) -> None:
    assert why_held(mail(body)) == ""
    assert why_held(memo(body)) == ""


@pytest.mark.parametrize(
    "subject",
    [
        "Seminar: attorney-client privilege in the EU",
        "Privileged access: new passwords",
        "Without prejudice",
        "Confidential",
        "Work product of April",
        "Article on the end of legal privilege",
        "RE: Invoice NQ-103",
    ],
)
def test_ordinary_subjects_are_not_held(subject: str) -> None:
    assert why_held(mail("Hello", subject=subject)) == ""


FIRMS = [
    "smithlaw.com",
    "davislaw.com",
    "jones-law.co.uk",
    "vane-solicitors.co.uk",
    "harborllp.com",
    "dupont-avocats.fr",
    "kanzlei-weber.de",
    "kanzleiweber.de",
    "weber-rechtsanwaelte.de",
    "rechtsanwaltweber.de",
    "anwalt-weber.ch",
    "mueller.legal",
    "mail.smithlaw.com",
    "garcia-abogados.es",
    "studiolegalerossi.it",
    "rossi-avvocati.it",
    "devries-advocaten.nl",
    "kancelaria-nowak.pl",
    "silva-advogados.com.br",
    "quill.law",
    "advokatfirman-berg.se",
    "lawfirm.example",
    "northlegal.com",
]
NO_FIRMS = [
    "northdale.example",
    "pwr.wroclaw.pl",
    "wroclaw.pl",
    "stanislaw.com",
    "jaroslaw.pl",
    "law.harvard.edu",
    "law.ox.ac.uk",
    "law.com",
    "law360.com",
    "findlaw.com",
    "coleslaw.com",
    "outlaw.com",
    "claw.io",
    "lawn.com",
    "delaware.gov",
    "justice.gov.uk",
    "gmail.com",
    "helpdesk.com",
    "paralegal.com",
    "lawrence.com",
    "lawson.com",
    "example.com",
    "illegal.org",
    "flawless.com",
]


@pytest.mark.parametrize("domain", FIRMS)
def test_the_name_of_a_law_firm_holds_its_mail(domain: str) -> None:
    assert looks_like_counsel(domain)
    for held in (mail("Hi", to=f"v@{domain}"), mail("Hi", more=f"Bcc: V <v@{domain}>\n")):
        assert why_held(held) == f"from or to v@{domain}, a domain that looks like a law firm's"


@pytest.mark.parametrize("domain", NO_FIRMS)
def test_names_that_only_resemble_a_law_firms_do_not(domain: str) -> None:
    assert not looks_like_counsel(domain)
    assert why_held(mail("Hi", to=f"v@{domain}")) == ""


def test_an_address_in_the_text_alone_holds_nothing() -> None:
    assert why_held(mail("Write to v@smithlaw.com about it.")) == ""


def test_a_quoted_mail_from_counsel_holds_the_mail_that_quotes_it() -> None:
    body = "Fyi.\n\nFrom: V <v@smithlaw.com>\nSent: Monday\nTo: Tobias\nSubject: Advice\n\nDo not pay."
    assert why_held(mail(body)) == "from or to v@smithlaw.com, a domain that looks like a law firm's"


@pytest.mark.parametrize(
    ("holding", "reason"),
    [
        (Holding(domains=("northdale.example",)), "from or to maren@northdale.example, whose domain is on your list"),
        (Holding(domains=("@Northdale.Example ",)), "from or to maren@northdale.example, whose domain is on your list"),
        (Holding(people=("Quill, Tobias",)), "Quill, Tobias is on your list of counsel"),
        (Holding(people=("tobias quill",)), "tobias quill is on your list of counsel"),
        (Holding(people=("maren@northdale.example",)), "maren@northdale.example is on your list of counsel"),
        (Holding(phrases=("Project Nightjar",)), "its subject says “Project Nightjar”"),
        (Holding(domains=("dale.example",), people=("Tobias Vane", "n@northdale.example", ""), phrases=("Night",)), ""),
    ],
)
def test_the_analysts_list_holds_mails(holding: Holding, reason: str) -> None:
    document = mail("Hello", subject="RE: Project Nightjar - next steps")
    assert why_held(document, holding).startswith(reason)
    assert bool(why_held(document, holding)) == bool(reason)


def test_what_is_attached_to_a_held_mail_is_held_too() -> None:
    raw = (
        "From: v@smithlaw.com\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nAdvice\n--b\n"
        "Content-Type: message/rfc822\n\nFrom: a@x.example\nMessage-ID: <1@x>\nContent-Type: multipart/mixed; boundary=c\n\n"
        "--c\n\nFyi\n--c\nContent-Disposition: attachment; filename=a.txt\n\nwords\n--c--\n--b--\n"
    )
    other = load_bytes("b.eml", b"From: a@x.example\nMessage-ID: <2@x>\n\nHello")
    documents = (*load_bytes("a.eml", raw.encode()).documents, *other.documents)
    held = held_family(documents)
    assert [held.get(document.id, "") for document in documents] == [
        "from or to v@smithlaw.com, a domain that looks like a law firm's",
        "attached to a held mail",
        "attached to a held mail",
        "",
    ]


def test_an_outlook_message_is_held_like_any_mail() -> None:
    held = mail("Hi", to="v@smithlaw.com")
    source = Source(path="a.msg", sha256="", media_type="application/vnd.ms-outlook")
    document = make_document(title="x", text=held.text, source=source, units=held.units)
    assert why_held(document) == "from or to v@smithlaw.com, a domain that looks like a law firm's"


@pytest.mark.parametrize("text", ["", " " * 50_000, "\n" * 50_000, "a " * 50_000, "PRIVILEGED\n" * 5_000])
def test_odd_texts_hold_nothing(text: str) -> None:
    assert why_held(memo(text)) == ""


def test_a_document_that_its_production_marks_as_privileged_is_held() -> None:
    marked = make_document(
        title="NDHA-000101",
        text="Words.",
        source=Source(path="p.dat > NDHA-000101", sha256="", media_type="application/x-production-document"),
        warnings=("The production marks it as privileged: AC; WP.",),
    )
    assert why_held(marked) == "the production marks it as privileged: AC; WP"


@pytest.mark.parametrize(
    "banner",
    [
        "A/C PRIVILEGED",
        "Attorney–Client Privileged",
        "P\u200brivileged & Confidential",
        "Ｐｒｉｖｉｌｅｇｅｄ & Confidential",
    ],
)
def test_banners_in_unusual_letters_are_banners(banner: str) -> None:
    assert why_held(mail(f"{banner}\n\nOur advice."))


@pytest.mark.parametrize("subject", ["[PRIVILEGED] RE: harbour", "Re: harbour (privileged)", "Fwd: [Privileged] x"])
def test_the_sign_of_privilege_in_a_subject_holds_a_mail(subject: str) -> None:
    assert why_held(mail("x", subject=subject)).startswith("its subject says")


@pytest.mark.parametrize(
    "subject", ["Privileged customers: 20 % off", "Privileged access review", "[Privileged access]"]
)
def test_a_subject_about_other_privileges_holds_nothing(subject: str) -> None:
    assert why_held(mail("x", subject=subject)) == ""
