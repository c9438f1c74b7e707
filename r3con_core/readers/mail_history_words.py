# ruff: noqa: RUF001 - the letters of other scripts are meant
"""How mail programs, in many languages, begin what a mail quotes or forwards."""

import re
from collections.abc import Iterable

_FROM = (
    "From Von De Da Van Från Fra Od От Від Kimden Lähettäjä Feladó Expéditeur Remitente Mittente Afzender Afsender "
    "Avsändare Nadawca Odesílatel Отправитель Gönderen Remetente 发件人 寄件者 寄件人 差出人 送信者 من מאת"
).split()
_DATE = (
    "Sent Date Gesendet Datum Envoyé Enviado Enviada Fecha Data Inviato Verzonden Skickat Sendt Dato Wysłano Odesláno "
    "Odoslané Отправлено Дата Надіслано Tarih Gönderildi Lähetetty Päiväys Elküldve Dátum Trimis 发送时间 日期 寄件日期 "
    "送信日時 日付 تاريخ נשלח Fecha Enviado"
).split()
_TO = (
    "To An À Para A Aan Till Til Do Komu Кому Kime Vastaanottaja Címzett Către 收件人 收件者 宛先 إلى אל Destinatario "
    "Destinataire Empfänger"
).split()
_SUBJECT = (
    "Subject Betreff Objet Asunto Oggetto Onderwerp Ämne Emne Temat Předmět Predmet Тема Konu Aihe Tárgy Subiect Assunto "
    "主题 主旨 標題 件名 الموضوع נושא Re"
).split()


def _label(names: Iterable[str]) -> re.Pattern[str]:
    either = "|".join((*map(re.escape, names), r"보낸 ?사람" if "From" in names else "(?!)"))
    return re.compile(rf"(?i)[ \t*_|]{{0,8}}(?:{either})(?: el| le| am| dnia)?[*_]{{0,2}}[ \t\xa0]?[*_]{{0,2}}[:：]")


FROM_LABEL = _label(_FROM)
OTHER_LABELS = tuple(_label(names) for names in (_DATE, _TO, _SUBJECT))
DIVIDER = re.compile(
    r"(?i)[ \t]*[-_=*]{2,}[ \t]*(?:original(?:message| message| e-?mail| appointment)|ursprüngliche (?:nachricht|mail)|"
    r"originalnachricht|message d['’]origine|message original|mensaje original|messaggio originale|"
    r"oorspronkelijk bericht|mensagem original|original ?meddelande|ursprungligt meddelande|oprindelig meddelelse|"
    r"opprinnelig melding|alkuperäinen viesti|wiadomość oryginalna|(?:původní|pôvodná) (?:zpráva|správa)|"
    r"исходное сообщение|orijinal mesaj|eredeti üzenet|原始邮件|原始郵件|元のメッセージ|"
    r"forwarded message|forwarded by\b.*|weitergeleitete nachricht|message transféré|mensaje reenviado|"
    r"messaggio inoltrato|doorgestuurd bericht|mensagem encaminhada|vidarebefordrat meddelande|videresendt besked|"
    r"videresendt melding|przekazana wiadomość|пересылаемое сообщение|转发的?邮件|転送メッセージ)[ \t]*[-_=*]*[ \t]*"
    r"|[ \t]*(?:begin forwarded message|anfang der weitergeleiteten nachricht|début du message (?:réexpédié|transféré)|"
    r"inicio del mensaje reenviado|inizio messaggio inoltrato|begin doorgestuurd bericht)[ \t]*:[ \t]*"
)
_WROTE = (
    r"(?:wrote|writes|schrieb|a écrit|ha scritto|scrisse|escribió|escreveu|schreef|skrev|kirjoitti|napisał(?:\(a\)|a)?|"
    r"pisze|napsal(?:\(a\)|a)?|napísal|написал(?:\(а\)|а)?|пишет|написав|yazdı|şunları yazdı|írta|a scris)"
)
_WROTE = rf"(?:\b{_WROTE}|写道|寫道|のメール)"
_OPENING = (
    r"(?:On|Am|Le|El|Il|Op|Em|Den|På|W dniu|Dnia|Dne|Dňa|Il giorno|În|Vào|Am|Quoting|\d{1,4}[./年-]|[A-Z][a-z]{2,3}, )"
)
ATTRIBUTION = re.compile(
    rf"[ \t]*{_OPENING}(?=.{{3,400}}$).*{_WROTE}.{{0,120}}[:：][ \t]*|\d{{4}}年.{{3,200}}>[ \t]*[:：]"
)
NAMED = re.compile(rf".{{2,200}}{_WROTE}[ \t]*[:：][ \t]*")
