"""`r3con query`: questions that records answer without a model and without code."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from r3con_core.cli.commands import OK
from r3con_core.cli.exchanging import printed, written
from r3con_core.cli.places import find_run, one_project
from r3con_core.cli.screen import one_line, say, say_line, tell_line
from r3con_core.errors import CorpusError, StoreError
from r3con_core.exports import load_contents
from r3con_core.home import user
from r3con_core.queries import Query, Result, carry_out, query_from_json, query_to_json
from r3con_core.queries.columns import columns_of, joinable
from r3con_core.queries.query import LARGEST_FILE
from r3con_core.queries.writing import cell_words, query_words, result_csv, result_json, result_words
from r3con_core.records import StructuredData
from r3con_core.store.numbering import document_numbers
from r3con_core.store.project import Project
from r3con_core.store.queries import list_queries, query_called, save_query

WIDEST = 40
"""Letters of a cell in a printed table; files have all of them."""


def list_saved(options: argparse.Namespace) -> int:
    """List the queries that are kept in a project."""
    saved = list_queries(one_project(folder=options.folder, name=options.project))
    for one in saved:
        say_line(f"{one.name}: {query_words(query_from_json(one.query))} (saved by {one.author}, {one.made})")
    if not saved:
        say("No query is kept in this project. Save one with: r3con query save NAME FILE")
    return OK


def save(options: argparse.Namespace) -> int:
    """Keep a query from a file under a name."""
    query = _read_file(Path(options.file).expanduser())
    project = one_project(folder=options.folder, name=options.project)
    kept = save_query(project, options.name, query_to_json(query), author=user())
    tell_line(f"Kept as {kept.name!r}: {query_words(query)}. Run it with: r3con query run {kept.name!r}")
    return OK


def columns(options: argparse.Namespace) -> int:
    """Say what a query over a run can name."""
    project, run = find_run(options.run, options.folder)
    schema = _data(project, run.id).schema
    for record_type in schema.record_types:
        say(record_type.name)
        for column in columns_of(schema, record_type.name).values():
            say(f"  {column.name}: {column.holds.value}")
        for field, named in joinable(schema, record_type.name).items():
            say(f"  join over {field}: adds {field}.… of {named}")
    return OK


def run(options: argparse.Namespace) -> int:
    """Carry out a query, kept by name or in a file, over a run's records."""
    project, run = find_run(options.run, options.folder)
    file = Path(options.query).expanduser()
    query = _read_file(file) if file.is_file() else query_from_json(query_called(project, options.query).query)
    data = _data(project, run.id)
    result = carry_out(query, data, document_numbers(project, run.id))
    if options.format == "text":
        say("\n".join(_table(result, data)))
        say_line(result_words(result, query))
        return OK
    content = result_csv(result, data) if options.format == "csv" else result_json(query, result, data).encode()
    if options.out is None:
        printed(content.decode("utf-8-sig"))
        return OK
    return written(Path(options.out), content)


def _data(project: Project, run_id: str) -> StructuredData:
    data = load_contents(project, run_id).data
    if data is None or not data.schema.record_types:
        raise StoreError(f"The run {run_id} has no records to query yet.")
    return data


def _read_file(file: Path) -> Query:
    try:
        if file.stat().st_size > 4 * LARGEST_FILE:
            raise CorpusError(f"The file {str(file)!r} is too large for a query.")
        return query_from_json(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"The file {str(file)!r} cannot be read as a query. Check its path.") from error


def _table(result: Result, data: StructuredData) -> list[str]:
    """Columns side by side; each row ends with the records it rests on."""
    doubt = [f" ({row.in_doubt:,} in doubt)" if row.in_doubt else "" for row in result.rows]
    lines: list[Sequence[str]] = [(*result.columns, "rests on")]
    for row, told in zip(result.rows, doubt, strict=True):
        cells = (one_line(cell_words(cell))[:WIDEST] for cell in row.cells)
        lines.append((*cells, " ".join(map(data.label, row.record_ids)) + told))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in lines]
