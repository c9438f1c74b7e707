"""Words and figures as people read them."""

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


def kind_of(media_type: str) -> str:
    """What kind of document that is."""
    return KINDS.get(media_type, media_type)


def count(number: int, one: str, many: str = "") -> str:
    """`number` with its noun, such as "1 document" and "2,000 documents"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def size(in_bytes: int) -> str:
    """A size in the unit that fits: 98 MB, 1.1 GB."""
    return f"{in_bytes / 1e9:.1f} GB" if in_bytes >= 1e9 else f"{in_bytes / 1e6:.0f} MB"


def round_figure(number: int) -> str:
    """An estimate to two figures, in words from a thousand on: 850, 12 thousand, 1.4 million."""
    if number < 1_000:
        return str(number)
    if number < 1_000_000:
        return f"{_two(number / 1_000)} thousand"
    return f"{_two(number / 1_000_000)} million"


def _two(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0") if number < 10 else f"{number:,.0f}"


def duration(seconds: float) -> str:
    """A length of time, roundly: "under a minute", "about 7 minutes", "about 2.5 hours"."""
    if seconds < 60:
        return "under a minute"
    if seconds < 5_400:
        return f"about {count(round(seconds / 60), 'minute')}"
    return f"about {_two(seconds / 3_600)} hours"


def money(amount: float, currency: str) -> str:
    """An amount of money: "0.12 USD", "under 0.01 USD"."""
    return f"{amount:,.2f} {currency}" if amount >= 0.01 or not amount else f"under 0.01 {currency}"
