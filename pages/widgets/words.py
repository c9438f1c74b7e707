"""Words and figures as people read them."""

from datetime import date

from r3con_core.caps import money_text
from r3con_core.readers import kinds

KINDS = {
    kinds.TEXT: "text",
    kinds.MARKDOWN: "Markdown",
    kinds.HTML: "web page",
    kinds.CSV: "table (CSV)",
    kinds.TSV: "table (TSV)",
    kinds.JSON: "JSON",
    kinds.JSON_LINES: "JSON lines",
    kinds.MAIL: "mail",
    kinds.DOCX: "Word",
    kinds.PDF: "PDF",
}
"""Media types of documents in a word."""
TOKENS_HELP = "A token is a piece of a word, about four letters. Models read, count and charge in tokens. Estimated."


_MORE_KINDS = {
    "application/msword": "Word (old)",
    "application/vnd.oasis.opendocument.text": "OpenDocument text",
    "application/vnd.oasis.opendocument.spreadsheet": "OpenDocument sheet",
    "application/vnd.oasis.opendocument.presentation": "OpenDocument slides",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "Excel",
    "application/vnd.ms-excel": "Excel (old)",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PowerPoint",
    "application/vnd.ms-powerpoint": "PowerPoint (old)",
    "application/vnd.ms-outlook": "mail (Outlook)",
    "application/rtf": "RTF",
    "application/epub+zip": "e-book",
    "application/xml": "XML",
    "application/zip": "ZIP archive",
    "application/x-tar": "TAR archive",
    "application/x-7z-compressed": "7Z archive",
    "application/mbox": "mailbox",
    "application/octet-stream": "unknown",
}
LANGUAGES = {
    "ar": "Arabic",
    "bg": "Bulgarian",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "et": "Estonian",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "hr": "Croatian",
    "hu": "Hungarian",
    "id": "Indonesian",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "lt": "Lithuanian",
    "lv": "Latvian",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sk": "Slovak",
    "sl": "Slovenian",
    "sr": "Serbian",
    "sv": "Swedish",
    "th": "Thai",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "ur": "Urdu",
    "vi": "Vietnamese",
    "zh": "Chinese",
}
"""Names of ISO 639-1 codes."""


def kind_of(media_type: str) -> str:
    """What kind of document that is."""
    if media_type.startswith("image/"):
        return "picture"
    return KINDS.get(media_type) or _MORE_KINDS.get(media_type, media_type)


def language_of(code: str) -> str:
    """The name of a language; the code itself where we have no name for it."""
    return LANGUAGES.get(code, code)


def count(number: int, one: str, many: str = "") -> str:
    """`number` with its noun, such as "1 document" and "2,000 documents"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def day_of(date: str | None) -> str:
    """The day of a date and time in ISO 8601; as much as there is of one that leaves more open."""
    return (date or "").partition("T")[0]


def date_in_words(day: str) -> str:
    """A recent day in ISO 8601 as people say it: "28 November"."""
    found = date.fromisoformat(day)
    return f"{found.day} {found:%B}"


def moment_of(date: str) -> str:
    """A date and time in ISO 8601 to the minute: "2021-05-17 10:00"."""
    day, _, time = date.partition("T")
    return f"{day} {time[:5]}" if time else day


def size(in_bytes: int) -> str:
    """A size in the unit that fits: 98 MB, 1.1 GB."""
    return f"{in_bytes / 1e9:.1f} GB" if in_bytes >= 1e9 else f"{in_bytes / 1e6:.0f} MB"


def file_size(in_bytes: int) -> str:
    """A file's size down to its bytes: 512 bytes, 12 kB, 3 MB."""
    if in_bytes < 1_000:
        return count(in_bytes, "byte")
    return f"{in_bytes / 1e3:.0f} kB" if in_bytes < 999_500 else size(in_bytes)


def round_figure(number: float) -> str:
    """An estimate to two figures, in words from a thousand on: 850, 12 thousand, 1.4 million."""
    if number < 999.5:
        return str(round(number))
    if number < 999_500:
        return f"{_two(number / 1_000)} thousand"
    return f"{_two(number / 1_000_000)} million"


def _two(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0") if number < 9.95 else f"{number:,.0f}"


def duration(seconds: float) -> str:
    """A length of time, roundly: "under a minute", "about 7 minutes", "about 2.5 hours"."""
    return time_span(seconds) if seconds < 60 else f"about {time_span(seconds)}"


def time_span(seconds: float) -> str:
    """The same, where something else says that it is rough."""
    if seconds < 60:
        return "under a minute"
    if seconds < 5_400:
        return count(round(seconds / 60), "minute")
    if seconds < 172_800:
        return f"{_two(seconds / 3_600)} hours"
    return f"{_two(seconds / 86_400)} days"


LEAST_MONEY = 0.0001


def money(amount: float, currency: str) -> str:
    """An amount of money: "1.03 USD", "0.0123 USD", "under 0.0001 USD"."""
    if 0 < amount < LEAST_MONEY:
        return f"under {LEAST_MONEY} {currency}"
    return f"{money_text(amount)} {currency}"
