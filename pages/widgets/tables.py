"""Tables as files to take along."""

import csv
import io
from collections.abc import Mapping, Sequence

from r3con_core.tables import csv_cell


def to_csv(rows: Sequence[Mapping[str, object]]) -> bytes:
    """CSV in UTF-8 with a byte order mark, as spreadsheets want it; "" when there are no rows.

    Text that a spreadsheet would take for a formula gets an apostrophe in front: names of files come from anybody.
    """
    if not rows:
        return b""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows({name: csv_cell(value) for name, value in row.items()} for row in rows)
    return b"\xef\xbb\xbf" + out.getvalue().encode("utf-8", "replace")
