"""How far repeats of one run agree: a score with its definition, and what is unstable. Pure.

A cell is one field of one record; records of different repeats are one when `alignment` pairs them. For each cell, and for
each figure or name of the answers, the pairs of repeats are counted of which at least one has it: the score is the share
of these pairs that have it alike. 1: all repeats say the same. The score of a run is the mean over its cells or figures.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from r3con_core.answers import Answer
from r3con_core.comparing.alignment import align_records, level_value
from r3con_core.comparing.runs import Side
from r3con_core.folding import fold
from r3con_core.method.grounding import figures, foreign_terms
from r3con_core.records import Record, Value

DEFINITION = (
    "For each value of each record, and for each figure and name of the answers: of the pairs of repeats of which at "
    "least one has it, the share in which both have it alike. The score is the mean. 100 % means that all repeats say "
    "the same; it does not mean that they are right."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CellAgreement:
    """One field of what is one record in all repeats."""

    record: Record
    """Of the first repeat that has it."""
    name: str
    values: tuple[Value, ...]
    """By repeat; None where the record is missing or does not say."""
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TermAgreement:
    """One figure or name in the answers."""

    term: str
    held: tuple[bool, ...]
    """By repeat."""
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """What repeats of one run come to."""

    repeats: int
    cells: tuple[CellAgreement, ...]
    terms: tuple[TermAgreement, ...]

    @property
    def records_score(self) -> float | None:
        """From 0 to 1; None where no repeat has a record."""
        return _mean(cell.score for cell in self.cells)

    @property
    def answers_score(self) -> float | None:
        """From 0 to 1; None where no answer has a figure or name."""
        return _mean(term.score for term in self.terms)

    @property
    def unstable(self) -> tuple[CellAgreement, ...]:
        """The cells that not all repeats have alike, the least stable first."""
        return tuple(sorted((cell for cell in self.cells if cell.score < 1), key=lambda cell: cell.score))


def _mean(scores: Iterable[float]) -> float | None:
    found = list(scores)
    return sum(found) / len(found) if found else None


def agreement_of(sides: Sequence[Side]) -> Agreement:
    """How far these repeats agree; with fewer than two there is nothing to compare."""
    return Agreement(
        repeats=len(sides),
        cells=tuple(_cells([_counted(side) for side in sides])),
        terms=tuple(_terms([side.answer for side in sides])),
    )


def _counted(side: Side) -> list[Record]:
    return [record for record in side.data.records if record.counts] if side.data else []


def _cells(repeats: Sequence[Sequence[Record]]) -> Iterable[CellAgreement]:
    for first, members in _clusters(repeats):
        names = dict.fromkeys(name for record in members if record for name in record.values)
        for name in names:
            values = tuple(record.values.get(name) if record else None for record in members)
            levels = [level_value(value) for value in values]
            if any(level is not None for level in levels):
                yield CellAgreement(record=first, name=name, values=values, score=pair_share(levels))


def _clusters(repeats: Sequence[Sequence[Record]]) -> list[tuple[Record, list[Record | None]]]:
    """What is one record in all repeats: the first that was seen of it, and the record of each repeat."""
    clusters: list[tuple[Record, list[Record | None]]] = []
    for number, records in enumerate(repeats):
        pairs = align_records([first for first, _ in clusters], records)
        for (_, members), pair in zip(clusters, pairs, strict=False):
            members.append(pair.right)
        alone = [pair.right for pair in pairs[len(clusters) :] if pair.right]
        clusters += [(record, [*[None] * number, record]) for record in alone]
    return clusters


def pair_share(levels: Sequence[Hashable | None]) -> float:
    """Of all pairs of which one is not None, the share of those that are the same; 1 where there is no such pair."""
    same = missing = 0
    for level, number in Counter(levels).items():
        pairs = number * (number - 1) // 2
        missing, same = (pairs, same) if level is None else (missing, same + pairs)
    every = len(levels) * (len(levels) - 1) // 2 - missing
    return same / every if every else 1.0


def _terms(answers: Sequence[Answer | None]) -> Iterable[TermAgreement]:
    texts = [answer.text if answer else "" for answer in answers]
    named = [_terms_of(text) for text in texts]
    for level, term in {level: term for terms in reversed(named) for level, term in terms.items()}.items():
        held = tuple(level in terms for terms in named)
        yield TermAgreement(term=term, held=held, score=pair_share([True if one else None for one in held]))


def _terms_of(text: str) -> dict[str, str]:
    """Levelled figure or name -> as it is written."""
    names = {fold(term): term for term in foreign_terms(text, "") if not figures(term)}
    return {**{figure: figure for figure in sorted(figures(text))}, **names}
