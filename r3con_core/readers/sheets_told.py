"""What is to be told about a workbook: its hidden parts, and formulas whose results are not in the file."""

from collections.abc import Sequence

_NAMED = 5
"""Places that a warning names."""


def column_name(column: int) -> str:
    """The letters of a column counted from 0: A, Z, AA."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


class Told:
    """Collects what to warn of in the document that is being written."""

    def __init__(self, faults: Sequence[str] = ()) -> None:
        """`faults` are told in each document; they may grow meanwhile."""
        self._faults = faults
        self._sheet = ""
        self._is_hidden = False
        self._visible: set[str] = set()
        self._hidden_sheets: list[str] = []
        self._columns: dict[str, set[int]] = {}
        self._rows: dict[str, list[list[int]]] = {}
        self.formulas: list[str] = []
        """Cells of formulas without a stored result."""

    def begin(self, sheet: str, *, hidden: bool) -> None:
        """Another sheet."""
        self._sheet, self._is_hidden = sheet, hidden
        if hidden:
            self._hidden_sheets.append(sheet)
        else:
            self._visible.add(sheet)

    def column(self, column: int) -> None:
        """A hidden column, from 0, that has something in it."""
        self._columns.setdefault(self._sheet, set()).add(column)

    def row(self, number: int) -> None:
        """A hidden row, from 1, that has something in it; rows come in their order."""
        runs = self._rows.setdefault(self._sheet, [])
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])

    def take(self) -> tuple[str, ...]:
        """The sentences, and a clean slate for the next document."""
        said = (self._hidden_sentence(), self._formula_sentence(), *self._faults)
        self._hidden_sheets = [self._sheet] if self._is_hidden else []
        self._columns, self._rows, self.formulas = {}, {}, []
        return tuple(filter(None, said))

    def _hidden_sentence(self) -> str:
        parts, count = [], len(self._hidden_sheets)
        if count:
            parts.append(f"hidden {'sheet' if count == 1 else 'sheets'} {_listed(self._hidden_sheets)}")
        for sheet, columns in self._columns.items():
            parts.append(
                f"hidden {_named('column', [column_name(column) for column in sorted(columns)])}{self._of(sheet)}"
            )
            count += len(columns)
        for sheet, runs in self._rows.items():
            shown = [str(first) if first == last else f"{first}-{last}" for first, last in runs]
            parts.append(f"hidden {_named('row', shown)}{self._of(sheet)}")
            count += len(runs) + sum(first != last for first, last in runs)
        if not parts:
            return ""
        return f"The {_and(parts)} {'was read and is' if count == 1 else 'were read and are'} marked in the text."

    def _of(self, sheet: str) -> str:
        return f" of {sheet}" if len(self._visible) > 1 else ""

    def _formula_sentence(self) -> str:
        count = len(self.formulas)
        if not count:
            return ""
        if count == 1:
            return f"A formula without a stored result is shown as its formula ({self.formulas[0]})."
        return f"{count:,} formulas without a stored result are shown as their formulas ({_listed(self.formulas)})."


def _named(what: str, names: Sequence[str]) -> str:
    several = len(names) > 1 or "-" in names[0]
    return f"{what}{'s' if several else ''} {_listed(names)}"


def _listed(names: Sequence[str]) -> str:
    shown = list(names[:_NAMED])
    if len(names) > _NAMED:
        shown.append(f"{len(names) - _NAMED:,} more")
    return _and(shown)


def _and(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1]
