"""Rows 1 to 6: uncached tokens, throughput, memory, disk and import time, beside the authors' package."""

import os
from functools import partial

import psutil

from calls.documents import BOOK, BOOK_QUESTION, QUESTION, dracula_project, short_project
from calls.ours import Ran, our_imports
from calls.rows import FAST, MB, Flags, Line, Measured, Setting, how_it_went, our_ideal, scratch, their_ideal

PREFILL: Flags = {"prefill": 50_000}
SLOW: Flags = {**FAST, "latency": 2}
MEASURED_BEFORE = {46: 793_618.0, 400: 9_449_745.0, 1000: 53_977_954.0}
"""The other side's uncached prompt tokens on these documents, for where it is not measured now."""


def dracula(setting: Setting) -> list[Line]:
    """Row 1."""
    if not BOOK.is_file():
        return [Line(row=1, measure="Dracula", ours_said=f"not measured: the book is not at {BOOK}")]
    args = ("dracula", dracula_project, BOOK_QUESTION, PREFILL)
    return [_tokens(1, 46, 0.50, setting.ours(*args), setting.theirs(*args))]


def short_400(setting: Setting) -> list[Line]:
    """Row 2."""
    return [_tokens(2, 400, 0.20, *_short(setting, 400, FAST))]


def short_1000(setting: Setting) -> list[Line]:
    """Row 3."""
    return [_tokens(3, 1000, 0.10, *_short(setting, 1000, FAST))]


def _short(setting: Setting, count: int, flags: Flags) -> tuple[Measured, Measured | None]:
    args = (f"{count} {sorted(flags.items())}", partial(short_project, count), QUESTION, flags)
    return setting.ours(*args), setting.theirs(*args)


def _tokens(row: int, count: int, bound: float, ours: Measured, theirs: Measured | None) -> Line:
    peer = theirs.uncached if theirs and not how_it_went(theirs.ran) else MEASURED_BEFORE[count]
    trouble = how_it_went(ours.ran)
    return Line(
        row=row,
        measure=f"{count} documents: uncached prompt tokens",
        peer=peer,
        peer_said=_of(theirs) if theirs else "as measured before",
        ours=ours.uncached,
        ours_said=_of(ours),
        demanded=f"<= {bound:.2f} x",
        passed=not trouble and ours.uncached <= bound * peer,
    )


def _of(measured: Measured) -> str:
    trouble = how_it_went(measured.ran)
    seconds = measured.stats["span_s"]
    calls = int(measured.stats["calls"])
    return f"of {measured.stats['prompt']:,.0f}, {calls:,} calls in {seconds:.0f} s{'; ' + trouble if trouble else ''}"


def throughput(setting: Setting) -> list[Line]:
    """Row 4, at a latency of two seconds and at the simulator's own."""
    return [_wall(setting, SLOW, demanded=True), _wall(setting, FAST, demanded=False)]


def _wall(setting: Setting, flags: Flags, *, demanded: bool) -> Line:
    ours, theirs = _short(setting, 400, flags)
    load = psutil.getloadavg()[0]
    assert isinstance(ours.ran, Ran)
    ideal = our_ideal(ours.ran, flags)
    over = ours.stats["span_s"] / ideal if ideal else 0.0
    their = their_ideal(theirs.stats, 400, flags) if theirs else 0.0
    trouble = how_it_went(ours.ran)
    return Line(
        row=4,
        measure=f"400 documents, latency {flags.get('latency', 0.05)} s: wall over ideal",
        peer=theirs.stats["span_s"] / their if theirs else None,
        peer_said=f"{theirs.stats['span_s']:.1f} s over {their:.1f} s" if theirs else "",
        ours=over,
        ours_said=(
            f"{ours.stats['span_s']:.1f} s over {ideal:.1f} s; the whole process {ours.ran.seconds:.1f} s; "
            f"load {load:.1f} on {os.cpu_count()} cores; {trouble}"
        ),
        demanded="<= 1.05" if demanded else "",
        passed=not trouble and over <= 1.05 if demanded else None,
    )


def room(setting: Setting) -> list[Line]:
    """Row 5."""
    ours, theirs = _short(setting, 400, FAST)
    assert isinstance(ours.ran, Ran)
    trouble = how_it_went(ours.ran)
    memory = Line(
        row=5,
        measure="400 documents: peak memory of the process and its children, MB resident",
        peer=theirs.ran.peak.rss / MB if theirs else None,
        ours=ours.ran.peak.rss / MB,
        ours_said=f"{ours.ran.peak.uss / MB:.0f} MB not shared (USS); {trouble}",
        demanded="<= 300",
        passed=not trouble and ours.ran.peak.rss <= 300 * MB,
    )
    disk = Line(
        row=5,
        measure="400 documents: the whole folder a run leaves, MB",
        peer=theirs.ran.disk / MB if theirs else None,
        ours=ours.ran.disk / MB,
        ours_said=trouble,
        demanded="<= 15",
        passed=not trouble and ours.ran.disk <= 15 * MB,
    )
    return [memory, disk]


def imports(setting: Setting) -> list[Line]:
    """Row 6."""
    with scratch() as folder:
        bare, whole = our_imports(folder)
    return [
        Line(
            row=6,
            measure="import of the library with all public names, seconds",
            peer=setting.peer.import_seconds() if setting.peer else None,
            ours=whole,
            ours_said=f"the package alone {bare:.3f} s",
            demanded="<= 0.5",
            passed=whole <= 0.5,
        )
    ]
