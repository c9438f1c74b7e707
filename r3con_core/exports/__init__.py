"""A run in forms that leave the product: code, tables, JSON, a report, and one file that opens elsewhere."""

from r3con_core.exports.code import export_code
from r3con_core.exports.contents import RunContents, describe, load_contents, pages_text, place_of
from r3con_core.exports.report import report_markdown
from r3con_core.exports.runfile import RUN_FILE_SUFFIX, export_run, import_run, readable_files
from r3con_core.exports.tables import export_records_csv, export_records_json, export_schema

__all__ = [
    "RUN_FILE_SUFFIX",
    "RunContents",
    "describe",
    "export_code",
    "export_records_csv",
    "export_records_json",
    "export_run",
    "export_schema",
    "import_run",
    "load_contents",
    "pages_text",
    "place_of",
    "readable_files",
    "report_markdown",
]
