"""A run in forms that leave the product: code, tables, JSON, a report, and one file that opens elsewhere."""

from r3con_core.exports.code import export_code
from r3con_core.exports.contents import RunContents, describe, load_contents, pages_text, place_of
from r3con_core.exports.html_report import export_html
from r3con_core.exports.manifest import RUN_FILE_SUFFIX
from r3con_core.exports.memo import export_memo
from r3con_core.exports.parquet import export_parquet
from r3con_core.exports.readable import readable_files
from r3con_core.exports.report import report_markdown
from r3con_core.exports.runfile import export_run, import_run
from r3con_core.exports.tables import export_records_csv, export_records_json, export_schema
from r3con_core.exports.workbook import export_workbook

__all__ = [
    "RUN_FILE_SUFFIX",
    "RunContents",
    "describe",
    "export_code",
    "export_html",
    "export_memo",
    "export_parquet",
    "export_records_csv",
    "export_records_json",
    "export_run",
    "export_schema",
    "export_workbook",
    "import_run",
    "load_contents",
    "pages_text",
    "place_of",
    "readable_files",
    "report_markdown",
]
