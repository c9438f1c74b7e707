"""Which reader reads which kind of file."""

from collections.abc import Mapping

from r3con_core.readers import kinds
from r3con_core.readers.archive import read_zip
from r3con_core.readers.docx import read_docx
from r3con_core.readers.html import read_html
from r3con_core.readers.jsondata import read_json, read_json_lines
from r3con_core.readers.ledger import Reader
from r3con_core.readers.mail import read_mail, read_mailbox
from r3con_core.readers.pdf import read_pdf
from r3con_core.readers.tables import read_table
from r3con_core.readers.text import read_markdown, read_text

READERS: Mapping[str, Reader] = {
    kinds.TEXT: read_text,
    kinds.MARKDOWN: read_markdown,
    kinds.HTML: read_html,
    kinds.CSV: read_table,
    kinds.TSV: read_table,
    kinds.JSON: read_json,
    kinds.JSON_LINES: read_json_lines,
    kinds.MAIL: read_mail,
    kinds.MAILBOX: read_mailbox,
    kinds.DOCX: read_docx,
    kinds.PDF: read_pdf,
    kinds.ZIP: read_zip,
}
"""The reader of each media type. A new format is one function, one line here, and its name in `kinds`."""
