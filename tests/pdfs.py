"""Small PDF files, made of content streams and objects as they are written in the file."""

from collections.abc import Mapping

FIRST_PAGE = 50
"""Number of the object that is the first page; its content stream follows, then the next page."""


def pdf(
    *contents: str, catalog: str = "", resources: str = "", page: str = "", objects: Mapping[int, str] | None = None
) -> bytes:
    """A PDF with an A4 page for each content stream, in which /F is Helvetica.

    `catalog`, `resources` and `page` are added to these dictionaries, `objects` by their numbers, 4 to 49.
    """
    kids = " ".join(f"{FIRST_PAGE + 2 * n} 0 R" for n in range(len(contents)))
    held = {
        1: f"<< /Type /Catalog /Pages 2 0 R {catalog} >>",
        2: f"<< /Type /Pages /Kids [{kids}] /Count {len(contents)} >>",
        3: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        **(objects or {}),
    }
    for number, content in enumerate(contents):
        shared = f"/Resources << /Font << /F 3 0 R >> {resources} >>"
        box = "" if "/MediaBox" in page else "/MediaBox [0 0 595 842]"
        place = FIRST_PAGE + 2 * number
        held[place] = f"<< /Type /Page /Parent 2 0 R {box} {shared} /Contents {place + 1} 0 R {page} >>"
        held[place + 1] = f"<< /Length {len(content)} >>\nstream\n{content}\nendstream"
    out, places = "%PDF-1.7\n", {}
    for number in sorted(held):
        places[number] = len(out)
        out += f"{number} 0 obj\n{held[number]}\nendobj\n"
    size = max(held) + 1
    rows = "".join(f"{places[n]:010d} 00000 n \n" if n in places else "0000000000 65535 f \n" for n in range(size))
    trailer = f"xref\n0 {size}\n{rows}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF"
    return (out + trailer).encode("latin-1")


def line(text: str, x: float = 60, y: float = 700, *, size: float = 11, state: str = "") -> str:
    """A content stream that shows one line; `state` are operators before it, such as a colour."""
    return f"q {state} BT /F {size} Tf {x} {y} Td ({text}) Tj ET Q\n"


def lines(texts: list[str], x: float = 60, y: float = 700) -> str:
    """Lines one below the other."""
    return "".join(line(text, x, y - 14 * number) for number, text in enumerate(texts))


def rows(left: list[str], right: list[str], x: float = 320) -> str:
    """Lines of two columns drawn across them, row by row."""
    return "".join(
        line(one, 60, 700 - 14 * number) + line(other, x, 700 - 14 * number)
        for number, (one, other) in enumerate(zip(left, right, strict=True))
    )


def stream(content: str, entries: str) -> str:
    """A stream object."""
    return f"<< {entries} /Length {len(content)} >>\nstream\n{content}\nendstream"


GREY_DOT = stream("0", "/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8")
"""A picture of one grey point, which takes any size."""
