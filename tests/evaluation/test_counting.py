"""Figures of results by hand: accuracy, standard errors, the Pareto line, sizes, rounds, and their files."""

from dataclasses import replace
from pathlib import Path

from r3con_core.evaluation.counting import Share, by_rounds, leniently, points_of, sizes_of, table_by
from r3con_core.evaluation.results import Line
from r3con_core.evaluation.summing_up import PLOT, POINTS, SUMMARY, write_summary


def _line(task: str, method: str, right: bool | None, cost: float = 1.0, **changed: object) -> Line:
    domain = "law" if task < "c" else "finance"
    given = {"labels": {"domain": domain}, "cost": cost, "currency": "USD", "lenient": right} | changed
    return Line(task=task, method=method, model="m", correct=right, **given)  # type: ignore[arg-type]


LINES = (
    _line("a", "whole", True, 3.0),
    _line("b", "whole", False, 5.0, lenient=True),
    _line("c", "whole", True, 4.0),
    _line("d", "whole", True, 4.0),
    _line("a", "alone", False, 1.0),
    _line("b", "alone", False, 1.0),
    _line("c", "alone", True, 1.0),
    _line("d", "alone", None, 1.0),
)


def test_the_standard_errors_are_those_of_the_paper() -> None:
    assert Share(right=231, of=327).in_words == "70.64 ± 2.52"
    assert Share(right=3, of=4).error == 0.21650635094610965
    assert Share(right=0, of=0).in_words == "–"


def test_accuracy_by_domain_and_over_all_tasks() -> None:
    table = table_by(LINES, "domain")
    assert table.columns == ("law", "finance")
    whole, alone = table.rows
    assert [(cell.right, cell.of) for cell in (*whole.cells, whole.overall)] == [(1, 2), (2, 2), (3, 4)]
    assert [(cell.right, cell.of) for cell in (*alone.cells, alone.overall)] == [(0, 2), (1, 1), (1, 3)]
    assert table_by(LINES, "domain", leniently).rows[0].overall == Share(right=4, of=4)


def test_the_pareto_line_leaves_out_what_something_else_beats() -> None:
    dear = tuple(_line(task, "raptor", task != "a", 9.0) for task in "abcd")
    points = points_of((*LINES, *dear))
    assert [(one.method, one.cost, one.best) for one in points] == [
        ("alone", 1.0, True),
        ("whole", 4.0, True),
        ("raptor", 9.0, False),
    ]
    assert points_of((_line("a", "whole", True, cost=None),)) == ()  # type: ignore[arg-type]


def test_sizes_are_shares_of_the_input() -> None:
    lines = (
        _line("a", "r3con", True, input_tokens=1000, context_tokens=20, record_tokens=50),
        _line("b", "r3con", True, input_tokens=500, context_tokens=20, record_tokens=None),
        _line("a", "whole", True, input_tokens=1000),
    )
    (one,) = sizes_of(lines)
    assert (one.method, one.context, one.records) == ("r3con", 0.03, 0.05)


def test_accuracy_by_rounds() -> None:
    lines = (_line("a", "r3con", True), _line("a", "r3con-no-relevance", False), _line("a", "whole", True))
    assert by_rounds(lines) == (("m", 0, Share(right=0, of=1)), ("m", 2, Share(right=1, of=1)))


def test_tables_points_and_plot_are_written(tmp_path: Path) -> None:
    failed = _line("e", "whole", None, cost=None, fault="The server | went away.", labels={})  # type: ignore[arg-type]
    files = write_summary(tmp_path, (*LINES, failed))
    assert [one.name for one in files] == [SUMMARY, POINTS, PLOT]
    told = (tmp_path / SUMMARY).read_text("utf-8")
    assert "| Whole corpus in context | m | 50.00 ± 35.36 | 100.00 ± 0.00 | 75.00 ± 21.65 | 4 |" in told
    assert "## Accuracy by domain, lenient" in told
    assert "| e | Whole corpus in context | m | The server \\| went away. |" in told
    rows = (tmp_path / POINTS).read_text("utf-8").splitlines()
    assert rows[1] == "alone,m,1.000000,USD,0.333333,0.272166,3,1"
    assert (tmp_path / PLOT).read_text("utf-8").count("<circle") == 2


def test_what_files_and_models_say_is_no_markup_in_tables_and_no_formula_in_points(tmp_path: Path) -> None:
    hostile = "![x](https://example.org/seen)\u202e `<b>`\ud800"
    failed = _line("e", "whole", None, fault=hostile)
    named = replace(_line("a", "alone", True, labels={"![domain](x)": hostile}), model="=1+1")
    write_summary(tmp_path, (*LINES, failed, named))
    told = (tmp_path / SUMMARY).read_text("utf-8")
    assert "\\[x\\](https" in told
    assert [
        sign for sign in ("![", "](", "<b>", "\u202e", " `") if sign in told.replace("\\]", "").replace("\\`", "")
    ] == []
    assert "alone,'=1+1,1.000000" in (tmp_path / POINTS).read_text("utf-8")
