"""How the numbers and dates of a table are written, column by column, told rather than silently decided.

Values are left as they are; what is found out becomes sentences for the analyst and a reading note for models.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

_LONGEST = 40
_ENOUGH_SEEN = 2_000
"""Cells after which a column with hardly any number or date in it is looked at no further."""
_EXAMPLES = 3
_NUMBER = re.compile(
    r"[(+\-−]{0,2}\s*(?:[$€£¥]|[A-Z]{3})?\s*[+\-−]?\s*"  # noqa: RUF001 - a minus sign
    r"((?:\d{1,3}(?:[.,'’ \xa0\u202f]\d{2,3})+|\d+)(?:[.,]\d+)?|[.,]\d+)"
    r"\s*(?:[$€£¥%]|[A-Z]{3})?\s*\)?\s*-?"
)
_DATE = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})(?:[ T,]+\d{1,2}:\d\d.*)?")
_MONTHS = "January February March April May June July August September October November December".split()
_BLANKS = "'’ \xa0\u202f"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A cell and the number of its row, from 1."""

    row: int
    cell: str


@dataclass(slots=True, kw_only=True)
class _Seen:
    """How often something was seen, and where first."""

    count: int = 0
    examples: list[Example] = field(default_factory=list)

    def add(self, row: int, cell: str) -> None:
        self.count += 1
        if len(self.examples) < _EXAMPLES and all(cell != example.cell for example in self.examples):
            self.examples.append(Example(row=row, cell=cell))


def _two() -> dict[str, _Seen]:
    return {".": _Seen(), ",": _Seen()}


class ColumnGuess:
    """What is seen of one column, cell by cell."""

    __slots__ = ("dates", "day_first", "decimal", "dotted", "either", "filled", "groups", "month_first", "numbers",
                 "open", "three", "whole")  # fmt: skip

    def __init__(self) -> None:
        self.filled = self.numbers = self.dates = self.dotted = 0
        self.decimal = _two()
        """Numbers whose decimal mark is certain."""
        self.open = _two()
        """Numbers such as 12.500, in which the mark may group thousands or begin the decimals."""
        self.groups: dict[str, str] = {}
        """What groups the thousands, by the decimal mark it was seen with."""
        self.whole: set[str] = set()
        """Marks that group the thousands of numbers without decimals, as in 1.234.567."""
        self.three: set[str] = set()
        """Marks before exactly three decimals, as in 0.125."""
        self.day_first, self.month_first, self.either = _Seen(), _Seen(), _Seen()

    def add(self, row: int, cell: str) -> None:
        """Look at a cell that has something in it."""
        self.filled += 1
        if cell.isdigit():
            self.numbers += 1
            return
        if len(cell) > _LONGEST or self._is_hopeless:
            return
        number = _NUMBER.fullmatch(cell)
        if number and self._add_number(row, cell, number[1]):
            self.numbers += 1
        elif date := _DATE.fullmatch(cell):
            self._add_date(row, date)

    @property
    def _is_hopeless(self) -> bool:
        return self.filled > _ENOUGH_SEEN and (self.numbers + self.dates) * 10 < self.filled

    @property
    def has_numbers(self) -> bool:
        """Whether most of the column is numbers."""
        return self.numbers * 2 > self.filled

    @property
    def has_dates(self) -> bool:
        """Whether most of the column is dates of three numbers."""
        return self.dates * 2 > self.filled

    def _add_number(self, row: int, cell: str, core: str) -> bool:
        marks = [sign for sign in core if not sign.isdigit()]
        points = [mark for mark in marks if mark in ".,"]
        blanks = [mark for mark in marks if mark in _BLANKS]
        if not points:
            return True
        last = points[-1]
        if blanks or len(set(points)) == 2:
            if points.count(last) > 1:
                return False
            self.decimal[last].add(row, cell)
            self.groups.setdefault(last, blanks[0] if blanks else points[0])
            return True
        return self._add_grouped(core, last) if len(points) > 1 else self._add_single(row, cell, core)

    def _add_grouped(self, core: str, mark: str) -> bool:
        pieces = core.split(mark)
        if len(pieces[-1]) != 3 or any(len(piece) not in (2, 3) for piece in pieces[1:]):
            return False
        self.whole.add(mark)
        return True

    def _add_single(self, row: int, cell: str, core: str) -> bool:
        mark = "," if "," in core else "."
        before, _, after = core.partition(mark)
        if len(after) == 3 and 1 <= len(before) <= 3 and not before.startswith("0"):
            self.open[mark].add(row, cell)
            return True
        self.decimal[mark].add(row, cell)
        if len(after) == 3:
            self.three.add(mark)
        return True

    def _add_date(self, row: int, date: re.Match[str]) -> None:
        first, second = int(date[1]), int(date[3])
        if not (1 <= first <= 31 and 1 <= second <= 31) or (first > 12 and second > 12):
            return
        self.dates += 1
        self.dotted += date[2] == "."
        if first > 12:
            self.day_first.add(row, date[0])
        elif second > 12:
            self.month_first.add(row, date[0])
        elif first != second:
            self.either.add(row, date[0])

    @property
    def decimal_mark(self) -> str:
        """The one decimal mark of the column; empty when it has two or none."""
        seen = [mark for mark in ".," if self.decimal[mark].count] or [_other(mark) for mark in self.whole]
        return seen[0] if len(seen) == 1 else ""

    def open_numbers(self) -> Iterator[tuple[str, _Seen]]:
        """Marks and numbers whose meaning nothing in the column settles."""
        for mark, seen in self.open.items():
            groups = mark in self.whole and not self.decimal[mark].count
            decimals = mark in self.three and self.decimal_mark == mark
            if seen.count and not groups and not decimals:
                yield mark, seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Convention:
    """What was found out about a table's numbers and dates."""

    sentences: tuple[str, ...]
    """For the analyst."""
    note: str
    """For whoever reads the table: one line, without numbers that could be taken for its own; may be empty."""


def find_convention(columns: Sequence[tuple[str, ColumnGuess]]) -> Convention:
    """What to tell of these columns, given with their names."""
    numbers = [(name, guess) for name, guess in columns if guess.has_numbers]
    dates = [(name, guess) for name, guess in columns if guess.has_dates]
    sentences = [*_number_sentences(numbers), *_open_sentences(numbers), *_date_sentences(dates)]
    notes = [*_number_notes(numbers), *_date_notes(dates)]
    return Convention(sentences=tuple(sentences), note=f"Reading note: {'; '.join(notes)}." if notes else "")


def _other(mark: str) -> str:
    return "," if mark == "." else "."


def _writing(guess: ColumnGuess) -> tuple[str, str] | None:
    """Decimal mark and what groups thousands, where that is settled and not the plain 1234.56."""
    mark = guess.decimal_mark
    group = guess.groups.get(mark, _other(mark) if mark and _other(mark) in guess.whole else "")
    return (mark, group) if mark and (mark, group) != (".", "") else None


def _by_writing(numbers: Iterable[tuple[str, ColumnGuess]]) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for name, guess in numbers:
        if writing := _writing(guess):
            found.setdefault(writing, []).append(name)
    return found


def _number_sentences(numbers: Sequence[tuple[str, ColumnGuess]]) -> Iterator[str]:
    for (mark, group), names in _by_writing(numbers).items():
        yield f"Numbers in {_listed(names)} are read as 1{group}234{mark}56 = 1234.56."
    for name, guess in numbers:
        if all(seen.count for seen in guess.decimal.values()):
            comma, point = guess.decimal[","].examples[0], guess.decimal["."].examples[0]
            ways = f"{comma.cell} (row {comma.row}) and {point.cell} (row {point.row})"
            yield f"Numbers in {name} are written in two ways, such as {ways}; none was changed."


def _open_sentences(numbers: Sequence[tuple[str, ColumnGuess]]) -> Iterator[str]:
    shown: list[str] = []
    total = 0
    for name, guess in numbers:
        for mark, seen in guess.open_numbers():
            total += seen.count
            shown += [_either_number(name, mark, example) for example in seen.examples]
    if shown:
        rest = f"; and {total - _EXAMPLES:,} more" if total > _EXAMPLES else ""
        yield f"It is open what some numbers mean: {'; '.join(shown[:_EXAMPLES])}{rest}."


def _either_number(name: str, mark: str, example: Example) -> str:
    number = _NUMBER.fullmatch(example.cell)
    core = number[1] if number else example.cell
    before, _, after = core.partition(mark)
    decimals = after.rstrip("0")
    as_decimal = f"{before}.{decimals}" if decimals else before
    return f"row {example.row}, {name}: {example.cell} can be {before}{after} or {as_decimal}"


def _date_sentences(dates: Sequence[tuple[str, ColumnGuess]]) -> Iterator[str]:
    for name, guess in dates:
        day, month, either = guess.day_first, guess.month_first, guess.either
        if day.count and month.count:
            one, other = day.examples[0], month.examples[0]
            ways = f"{one.cell} (row {one.row}) and {other.cell} (row {other.row})"
            yield f"Dates in {name} have the day first in some rows and the month in others: {ways}."
        elif day.count or month.count:
            seen, order = (day, "day") if day.count else (month, "month")
            occurring = " and ".join(example.cell for example in seen.examples[:2])
            yield f"Dates in {name} are read {order} first because {occurring} {'occur' if seen.count > 1 else 'occurs'}."
        elif either.count and guess.dotted == guess.dates:
            yield f"Dates in {name} are read day first because they are written with points."
        elif either.count:
            yield f"It is open whether dates in {name} have the day or the month first: {_either_date(either.examples[0])}."


def _either_date(example: Example) -> str:
    first, second, year = re.split(r"[./-]", example.cell.split(" ")[0].split("T")[0].rstrip(","))[:3]
    ways = f"{int(first)} {_MONTHS[int(second) - 1]} or {int(second)} {_MONTHS[int(first) - 1]}"
    return f"row {example.row}: {example.cell} can be {ways} {year}"


_MARK_NAMES = {",": "comma", ".": "point"}


def _number_notes(numbers: Sequence[tuple[str, ColumnGuess]]) -> Iterator[str]:
    for (mark, group), names in _by_writing(numbers).items():
        groups = f" and a {_MARK_NAMES[group]} groups thousands" if group in _MARK_NAMES else ""
        yield f"in {_listed(names)} a {_MARK_NAMES[mark]} marks the decimals{groups}"
    for name, guess in numbers:
        for mark, seen in guess.open_numbers():
            rows = ", ".join(str(example.row) for example in seen.examples)
            where = (
                f"row {rows}" if seen.count == 1 else f"rows {rows}" + (" and more" if seen.count > _EXAMPLES else "")
            )
            yield f"in {where} of {name} the {_MARK_NAMES[mark]} may group thousands or mark decimals"


def _date_notes(dates: Sequence[tuple[str, ColumnGuess]]) -> Iterator[str]:
    for name, guess in dates:
        if guess.day_first.count and guess.month_first.count:
            yield f"in {name} the day comes first in some rows and the month in others"
        elif guess.day_first.count or (
            guess.dotted == guess.dates and guess.either.count and not guess.month_first.count
        ):
            yield f"in {name} the day comes before the month"
        elif guess.month_first.count:
            yield f"in {name} the month comes before the day"
        elif guess.either.count:
            yield f"in {name} it is open whether the day or the month comes first"


def _listed(names: Sequence[str]) -> str:
    shown = list(names[:_EXAMPLES])
    if len(names) > _EXAMPLES:
        shown.append(f"{len(names) - _EXAMPLES} more columns" if len(names) > _EXAMPLES + 1 else "1 more column")
    return ", ".join(shown[:-1]) + (" and " if len(shown) > 1 else "") + shown[-1]
