"""`r3con export` and `r3con open`: runs leave and come in as files."""

import argparse
import shlex
import sys
from pathlib import Path

from r3con_core.cli.commands import OK
from r3con_core.cli.places import find_run
from r3con_core.cli.screen import say, tell
from r3con_core.errors import CorpusError, StoreError
from r3con_core.exports import (
    RUN_FILE_SUFFIX,
    export_code,
    export_html,
    export_memo,
    export_parquet,
    export_records_csv,
    export_records_json,
    export_run,
    export_schema,
    export_workbook,
    import_run,
    report_markdown,
)
from r3con_core.exports.graphml import export_graphml
from r3con_core.exports.manifest import MAX_FILE_BYTES
from r3con_core.exports.notebook import export_notebook
from r3con_core.exports.noted import noted
from r3con_core.exports.sent import sent_text
from r3con_core.home import home_folder, write_bytes_whole
from r3con_core.store.runs import list_runs

_TEXTS = {
    "html": export_html,
    "report": report_markdown,
    "json": export_records_json,
    "code": export_code,
    "notebook": export_notebook,
    "schema": export_schema,
    "sent": sent_text,
}
_FILES = {
    "run": (export_run, RUN_FILE_SUFFIX),
    "docx": (export_memo, ".docx"),
    "xlsx": (export_workbook, ".xlsx"),
    "csv": (export_records_csv, ".records.zip"),
    "parquet": (export_parquet, ".parquet.zip"),
    "graphml": (export_graphml, ".graphml"),
}


def export(options: argparse.Namespace) -> int:
    """Save a run or a part of it; text goes to standard output unless a file is named."""
    project, run = find_run(options.run, options.folder)
    if options.format in _TEXTS:
        text = _TEXTS[options.format](project, run.id)
        noted(project, run.id, options.format, text.encode("utf-8", "replace"))
        if options.out is None:
            printed(text)
            return OK
        return written(Path(options.out), text.encode("utf-8", "replace"))
    make, suffix = _FILES[options.format]
    return written(
        Path(options.out or f"{run.id}{suffix}"), noted(project, run.id, options.format, make(project, run.id))
    )


def printed(text: str) -> None:
    """To a terminal without what acts on it; to a file or another program as it is."""
    if sys.stdout.isatty():
        say(text)
    else:
        sys.stdout.write(text.encode("utf-8", "replace").decode("utf-8"))


def written(file: Path, data: bytes) -> int:
    """Save `data`, and say so; StoreError when it cannot be."""
    try:
        write_bytes_whole(file.expanduser(), data)
    except OSError as error:
        raise StoreError(f"{file} cannot be written: {error.strerror}. Choose another place with --out.") from error
    tell(f"Saved {file} ({len(data):,} bytes)")
    return OK


def open_run(options: argparse.Namespace) -> int:
    """Open a run file as a project of its own."""
    project = import_run(home_folder(), read_bundle(Path(options.file).expanduser()), options.project or "")
    run = list_runs(project)[0]
    folder = shlex.quote(str(project.folder))
    tell(f"Opened as the project {project.name!r}. Look at it with: r3con show {run.id} --in {folder}")
    return OK


def read_bundle(file: Path) -> bytes:
    """The bytes of a run file; CorpusError when it cannot be read, or is too large to be one."""
    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            raise CorpusError(f"{file} is larger than {MAX_FILE_BYTES >> 30} GB, which no run file is.")
        return file.read_bytes()
    except OSError as error:
        raise CorpusError(f"The file {str(file)!r} cannot be read: {error.strerror}. Check its path.") from error
