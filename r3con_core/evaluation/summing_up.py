"""Results as files for people: tables in Markdown, the points of the plot as CSV, and the plot itself as SVG."""

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from r3con_core.evaluation.counting import (
    Point,
    Share,
    Sizes,
    Table,
    by_rounds,
    labels_of,
    leniently,
    points_of,
    sizes_of,
    table_by,
    ways,
)
from r3con_core.evaluation.results import Line
from r3con_core.figures import count_of
from r3con_core.method.marks import one_line
from r3con_core.methods import METHODS
from r3con_core.views.tables import csv_cell

SUMMARY, POINTS, PLOT = "summary.md", "cost_accuracy.csv", "cost_accuracy.svg"
_SPECIAL = re.compile(r"([\\|\[\]`])")
_NAMES = {method.id: method.name for method in METHODS}


def write_summary(folder: Path, lines: Sequence[Line]) -> tuple[Path, ...]:
    """The files, anew; those that say nothing are left out."""
    texts = {SUMMARY: summary(lines)}
    points = points_of(lines)
    if points:
        texts |= {POINTS: points_csv(points), PLOT: plot(points)}
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8", "replace")
    return tuple(folder / name for name in texts)


def summary(lines: Sequence[Line]) -> str:
    """All tables, as Markdown."""
    lenient = any(line.lenient != line.correct for line in lines)
    parts = ["# Evaluation", _how_many(lines)]
    for label in labels_of(lines):
        named = _cell(label)
        parts.append(_section(f"Accuracy by {named}, in per cent ± standard error", _accuracy(table_by(lines, label))))
        if lenient:
            parts.append(_section(f"Accuracy by {named}, lenient", _accuracy(table_by(lines, label, leniently))))
    parts += [
        _section("Accuracy by rounds of relevance", _rounds(by_rounds(lines))),
        _section("Cost of one task and accuracy", _costs(points_of(lines))),
        _section("What R3Con builds, as a share of the input", _sizes(sizes_of(lines))),
        _section("Not done", _faults(lines)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(title: str, text: str) -> str:
    return f"## {title}\n\n{text}" if text else ""


def _how_many(lines: Sequence[Line]) -> str:
    tasks, judges = {line.task for line in lines}, sorted({line.judge for line in lines if line.judge})
    judged = sum(line.correct is not None for line in lines)
    by = f" Judged by {', '.join(map(_cell, judges))}." if judges else ""
    pairs = f"{count_of(len(ways(lines)), 'pair')} of method and model"
    return f"{count_of(len(tasks), 'task')}, {pairs}, {count_of(judged, 'verdict')}.{by}"


def _cell(text: str) -> str:
    """On one line, as Markdown that shows just these signs: task files and models may say anything."""
    return _SPECIAL.sub(r"\\\1", one_line(text)).replace("<", "&lt;")


def _grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    drawn = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(_cell(one) for one in row)} |" for row in drawn)


def _name(method: str) -> str:
    return _NAMES.get(method, method)


def _accuracy(table: Table) -> str:
    rows = [
        [
            _name(row.method),
            row.model,
            *(cell.in_words for cell in row.cells),
            row.overall.in_words,
            str(row.overall.of),
        ]
        for row in table.rows
    ]
    return _grid(["Method", "Model", *table.columns, "Overall", "Tasks"], rows)


def _rounds(found: Sequence[tuple[str, int, Share]]) -> str:
    return _grid(
        ["Model", "Rounds", "Accuracy"], [[model, str(number), share.in_words] for model, number, share in found]
    )


def _costs(points: Sequence[Point]) -> str:
    rows = [
        [_name(one.method), one.model, f"{one.cost:.4f} {one.currency}", one.share.in_words, "yes" if one.best else ""]
        for one in points
    ]
    return _grid(["Method", "Model", "Cost", "Accuracy", "On the Pareto line"], rows)


def _sizes(sizes: Sequence[Sizes]) -> str:
    def per_cent(share: float | None) -> str:
        return "–" if share is None else f"{100 * share:.2f} %"

    rows = [[_name(one.method), one.model, per_cent(one.context), per_cent(one.records)] for one in sizes]
    return _grid(["Method", "Model", "Relevant context", "Records as compact JSON"], rows)


def _faults(lines: Sequence[Line]) -> str:
    rows = [
        [line.task, _name(line.method), line.model, line.fault or line.reason]
        for line in lines
        if line.fault or line.impossible
    ]
    return _grid(["Task", "Method", "Model", "Why"], rows)


def points_csv(points: Sequence[Point]) -> str:
    """One row for each method and model."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["method", "model", "cost_of_a_task", "currency", "accuracy", "standard_error", "tasks", "pareto"])
    for one in points:
        share = one.share
        table.writerow(
            [
                *(one.method, csv_cell(one.model), f"{one.cost:.6f}", one.currency),
                *(f"{share.accuracy:.6f}", f"{share.error:.6f}", share.of, int(one.best)),
            ]
        )
    return out.getvalue()


_WIDE, _HIGH, _EDGE, _LEGEND = 1100, 560, 70, 400
_LINE = 22
"""Height of a line of the legend."""
_FONT = 'font-family="sans-serif" font-size="14"'
_BEST, _OTHER = "#0072b2", "#666666"
_ACROSS, _DOWN = _WIDE - _LEGEND - 2 * _EDGE, _HIGH - 2 * _EDGE


def plot(points: Sequence[Point]) -> str:
    """Cost of a task against accuracy with its standard error, the Pareto line, and a legend that names the numbers.

    Points on the line are filled, others are rings. The currency is that of the first point; points in others are left
    out, since they cannot be compared.
    """
    same = [one for one in points if one.currency == points[0].currency]
    most = max(one.cost for one in same) or 1.0
    high = max(_HIGH, 2 * _EDGE + _LINE * len(same))
    line = " ".join("{:.1f},{:.1f}".format(*_place(one, most)) for one in same if one.best)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {high}" {_FONT}>',
            f'<rect width="{_WIDE}" height="{high}" fill="white"/>',
            *_axes(most, points[0].currency),
            f'<polyline points="{line}" fill="none" stroke="{_BEST}" stroke-width="2" stroke-dasharray="6 4"/>',
            *(_drawn(number, one, most) for number, one in enumerate(same, start=1)),
            *(_named(number, one) for number, one in enumerate(same, start=1)),
            "</svg>\n",
        ]
    )


def _place(one: Point, most: float) -> tuple[float, float]:
    return _EDGE + _ACROSS * one.cost / most, _height(one.share.accuracy)


def _height(accuracy: float) -> float:
    return _EDGE + _DOWN * (1 - min(max(accuracy, 0.0), 1.0))


def _axes(most: float, currency: str) -> list[str]:
    bottom, marks = _HIGH - _EDGE, []
    for step in range(5):
        down, across = _height(step / 4), _EDGE + _ACROSS * step / 4
        marks += [
            f'<line x1="{_EDGE}" y1="{down}" x2="{_EDGE + _ACROSS}" y2="{down}" stroke="#dddddd"/>',
            f'<text x="{_EDGE - 12}" y="{down + 5}" text-anchor="end">{25 * step} %</text>',
            f'<text x="{across}" y="{bottom + 24}" text-anchor="middle">{most * step / 4:.3g}</text>',
        ]
    middle = _EDGE + _ACROSS / 2
    return [
        *marks,
        f'<text x="{middle}" y="{_HIGH - 18}" text-anchor="middle">Cost of one task, {escape(currency)}</text>',
        f'<text x="{_EDGE}" y="{_EDGE - 34}">Accuracy ± standard error; the dashed line joins what nothing beats</text>',
    ]


def _drawn(number: int, one: Point, most: float) -> str:
    across, down = _place(one, most)
    colour = _BEST if one.best else _OTHER
    low, high = (_height(one.share.accuracy + sign * one.share.error) for sign in (-1, 1))
    return (
        f'<line x1="{across:.1f}" y1="{low:.1f}" x2="{across:.1f}" y2="{high:.1f}" stroke="{colour}" opacity="0.5"/>'
        f'<circle cx="{across:.1f}" cy="{down:.1f}" r="6" stroke="{colour}" stroke-width="2"'
        f' fill="{colour if one.best else "white"}"/>'
        f'<text x="{across + 10:.1f}" y="{down - 8:.1f}">{number}</text>'
    )


def _named(number: int, one: Point) -> str:
    words = escape(f"{number}  {_name(one.method)}, {one.model}")
    weight = "bold" if one.best else "normal"
    across, down = _WIDE - _LEGEND, _EDGE + _LINE * (number - 1) + 5
    return f'<text x="{across}" y="{down}" font-weight="{weight}">{words}</text>'
