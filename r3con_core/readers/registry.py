"""Which reader reads which kind of file."""

from collections.abc import Mapping

from r3con_core.readers import kinds
from r3con_core.readers.archive import read_zip
from r3con_core.readers.compressed import read_compressed
from r3con_core.readers.doc import read_doc
from r3con_core.readers.docx import read_docx
from r3con_core.readers.epub import read_epub
from r3con_core.readers.html import read_html
from r3con_core.readers.images import read_image
from r3con_core.readers.jsondata import read_json, read_json_lines
from r3con_core.readers.ledger import Reader
from r3con_core.readers.mail import read_mail
from r3con_core.readers.mailbox import read_mailbox
from r3con_core.readers.msg import read_msg
from r3con_core.readers.odt import read_odp, read_odt
from r3con_core.readers.olefiles import read_locked_office, read_ole
from r3con_core.readers.pdf import read_pdf
from r3con_core.readers.ppt import read_ppt
from r3con_core.readers.production_documents import read_production_document
from r3con_core.readers.pst import read_pst
from r3con_core.readers.rtf import read_rtf
from r3con_core.readers.sevenzip import read_seven_zip
from r3con_core.readers.sheets_ods import read_ods
from r3con_core.readers.sheets_xls import read_xls, read_xlsb
from r3con_core.readers.sheets_xlsx import read_xlsx
from r3con_core.readers.slides import read_pptx
from r3con_core.readers.tables import read_table
from r3con_core.readers.tar import read_tar
from r3con_core.readers.text import read_markdown, read_text
from r3con_core.readers.tnef import read_tnef
from r3con_core.readers.xmldata import read_xml

READERS: Mapping[str, Reader] = {
    kinds.TEXT: read_text,
    kinds.MARKDOWN: read_markdown,
    kinds.HTML: read_html,
    kinds.CSV: read_table,
    kinds.TSV: read_table,
    kinds.XLSX: read_xlsx,
    kinds.XLS: read_xls,
    kinds.XLSB: read_xlsb,
    kinds.ODS: read_ods,
    kinds.XML: read_xml,
    kinds.JSON: read_json,
    kinds.JSON_LINES: read_json_lines,
    kinds.MAIL: read_mail,
    kinds.MAILBOX: read_mailbox,
    kinds.OUTLOOK: read_msg,
    kinds.OUTLOOK_MAILBOX: read_pst,
    kinds.TNEF: read_tnef,
    kinds.DOCX: read_docx,
    kinds.DOC: read_doc,
    kinds.RTF: read_rtf,
    kinds.ODT: read_odt,
    kinds.ODP: read_odp,
    kinds.ODG: read_odp,
    kinds.PPTX: read_pptx,
    kinds.PPT: read_ppt,
    kinds.EPUB: read_epub,
    kinds.OLE: read_ole,
    kinds.LOCKED_OFFICE: read_locked_office,
    kinds.PDF: read_pdf,
    kinds.PNG: read_image,
    kinds.JPEG: read_image,
    kinds.GIF: read_image,
    kinds.TIFF: read_image,
    kinds.WEBP: read_image,
    kinds.HEIC: read_image,
    kinds.AVIF: read_image,
    kinds.BMP: read_image,
    kinds.JPEG_2000: read_image,
    kinds.ZIP: read_zip,
    kinds.TAR: read_tar,
    kinds.GZIP: read_compressed,
    kinds.BZIP2: read_compressed,
    kinds.XZ: read_compressed,
    kinds.ZSTANDARD: read_compressed,
    kinds.SEVEN_ZIP: read_seven_zip,
    kinds.PRODUCTION_DOCUMENT: read_production_document,
}
"""The reader of each media type. A new format is one function, one line here, and its name in `kinds`."""
