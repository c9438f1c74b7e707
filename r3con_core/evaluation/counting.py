"""Figures of results: accuracy with its standard error, cost against accuracy, sizes of representations, rounds. Pure."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

from r3con_core.evaluation.results import Line

Reading = Callable[[Line], bool | None]


def strictly(line: Line) -> bool | None:
    """Right by the rule as it stands."""
    return line.correct


def leniently(line: Line) -> bool | None:
    """Right by the rule or by the lenient answer."""
    return line.lenient


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How many of so many are right."""

    right: int
    of: int

    @property
    def accuracy(self) -> float:
        """From 0 to 1; 0 of none."""
        return self.right / self.of if self.of else 0.0

    @property
    def error(self) -> float:
        """The standard error of a share, the root of p (1 - p) / n (paper section D.4)."""
        return sqrt(self.accuracy * (1 - self.accuracy) / self.of) if self.of else 0.0

    @property
    def in_words(self) -> str:
        """In per cent, as the paper's tables have it."""
        return f"{100 * self.accuracy:.2f} ± {100 * self.error:.2f}" if self.of else "–"


def share_of(lines: Iterable[Line], reading: Reading = strictly) -> Share:
    """Of those that have a verdict."""
    said = [right for line in lines if (right := reading(line)) is not None]
    return Share(right=sum(said), of=len(said))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One method with one model, by the values of a label."""

    method: str
    model: str
    cells: tuple[Share, ...]
    """As the table's columns."""
    overall: Share
    """Over all tasks, each counted once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Accuracy by a label, such as the domain."""

    by: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


def table_by(lines: Sequence[Line], by: str, reading: Reading = strictly) -> Table:
    """Methods and columns in the order in which they first come."""
    columns = tuple(dict.fromkeys(line.labels[by] for line in lines if by in line.labels))
    return Table(by=by, columns=columns, rows=tuple(_row(own, by, columns, reading) for own in ways(lines)))


def _row(own: Sequence[Line], by: str, columns: Sequence[str], reading: Reading) -> Row:
    cells = tuple(share_of((line for line in own if line.labels.get(by) == one), reading) for one in columns)
    return Row(method=own[0].method, model=own[0].model, cells=cells, overall=share_of(own, reading))


def ways(lines: Sequence[Line]) -> tuple[tuple[Line, ...], ...]:
    """The lines of each method with each model."""
    found: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        found.setdefault((line.method, line.model), []).append(line)
    return tuple(map(tuple, found.values()))


def labels_of(lines: Sequence[Line]) -> tuple[str, ...]:
    """The names of all labels, in the order in which they first come."""
    return tuple(dict.fromkeys(name for line in lines for name in line.labels))


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A method with a model between cost and accuracy."""

    method: str
    model: str
    cost: float
    """Of one task, on average."""
    currency: str
    share: Share
    best: bool
    """Nothing cheaper or equally cheap is more accurate, and nothing as accurate is cheaper: it is on the Pareto line."""


def points_of(lines: Sequence[Line]) -> tuple[Point, ...]:
    """Cheapest first; those without a known price, or without a verdict, are left out."""
    found = [_point(own) for own in ways(lines)]
    points = [one for one in found if one is not None]
    on_line = [
        Point(
            method=one.method,
            model=one.model,
            cost=one.cost,
            currency=one.currency,
            share=one.share,
            best=not any(_beats(other, one) for other in points),
        )
        for one in points
    ]
    return tuple(sorted(on_line, key=lambda one: (one.cost, -one.share.accuracy)))


def _point(own: Sequence[Line]) -> Point | None:
    costs = [line.cost for line in own if line.cost is not None]
    share = share_of(own)
    currencies = {line.currency for line in own if line.cost is not None}
    if not costs or not share.of or len(currencies) != 1:
        return None
    return Point(
        method=own[0].method,
        model=own[0].model,
        cost=fmean(costs),
        currency=currencies.pop(),
        share=share,
        best=False,
    )


def _beats(one: Point, other: Point) -> bool:
    if one.currency != other.currency:
        return False
    as_good = one.cost <= other.cost and one.share.accuracy >= other.share.accuracy
    return as_good and (one.cost < other.cost or one.share.accuracy > other.share.accuracy)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How large what R3Con builds is, as a share of the input, on average over tasks (paper section D.2.1)."""

    method: str
    model: str
    context: float | None
    records: float | None
    tasks: int


def sizes_of(lines: Sequence[Line]) -> tuple[Sizes, ...]:
    """Of the methods that build any."""
    found = (_sizes(own) for own in ways(lines))
    return tuple(one for one in found if one.context is not None or one.records is not None)


def _sizes(own: Sequence[Line]) -> Sizes:
    done = [line for line in own if line.input_tokens]
    context = [line.context_tokens / line.input_tokens for line in done if line.context_tokens is not None]
    records = [line.record_tokens / line.input_tokens for line in done if line.record_tokens is not None]
    return Sizes(
        method=own[0].method,
        model=own[0].model,
        context=fmean(context) if context else None,
        records=fmean(records) if records else None,
        tasks=len(done),
    )


ROUNDS = {"r3con-no-relevance": 0, "r3con-one-round": 1, "r3con": 2, "r3con-three-rounds": 3}
"""Rounds of relevance of R3Con's ways (paper section D.2.5)."""


def by_rounds(lines: Sequence[Line]) -> tuple[tuple[str, int, Share], ...]:
    """Model, rounds, accuracy, for each number of rounds that was run."""
    found = [(own[0].model, ROUNDS[own[0].method], share_of(own)) for own in ways(lines) if own[0].method in ROUNDS]
    return tuple(sorted(found, key=lambda one: one[:2]))
