"""The comparison to take away: figures as CSV, everything as JSON, and a page that opens without the app."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

import streamlit as st

from pages.widgets.methods.facts_view import MEANINGS
from pages.widgets.methods.fates import SIGNS
from pages.widgets.methods.figures import rows_of, telling, verdict_in_words
from pages.widgets.methods.results import Shown, unlike
from r3con_core.exports.html_parts import escaped, facts, said, section, table
from r3con_core.exports.html_style import STYLE, policy
from r3con_core.facts import Fact
from r3con_core.views.tables import to_csv

_WIDE = f"{STYLE}body {{ max-width: 76rem; }} table {{ overflow-wrap: normal; }}"
"""Of a page with tables of many columns."""


def show(question: str, right: str, expected: Sequence[Fact], shown: Sequence[Shown]) -> None:
    """The three, behind one button."""
    with st.popover("Download", icon=":material/download:", disabled=not shown):
        _button("Page (HTML)", "html", "text/html", partial(to_html, question, right, expected, shown))
        _button("Figures (CSV)", "csv", "text/csv", lambda: to_csv(bare_rows(shown)))
        _button("Everything (JSON)", "json", "application/json", partial(to_json, question, shown))
        st.caption("They hold text of your documents. JSON has all that the methods built.")


def _button(label: str, suffix: str, mime: str, make: object) -> None:
    st.download_button(
        label,
        make,  # type: ignore[arg-type]  # a function that makes it when it is asked for
        f"methods.{suffix}",
        mime,
        key=f"methods-{suffix}",
        on_click="ignore",
        icon=":material/download:",
    )


def bare_rows(shown: Sequence[Shown]) -> list[dict[str, object]]:
    """The figures with money and time as bare numbers, to be reckoned with."""
    return [
        {
            **row,
            "Money": one.result.cost.amount if one.result.cost else None,
            "Currency": one.result.cost.currency if one.result.cost else None,
            "Model's time": round(one.result.seconds, 1),
        }
        for row, one in zip(rows_of(shown), shown, strict=True)
    ]


def to_json(question: str, shown: Sequence[Shown]) -> bytes:
    """All results with their traces."""
    told = {"question": question, "methods": [_told(one) for one in shown]}
    return json.dumps(told, ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace")


def _told(one: Shown) -> dict[str, object]:
    found = one.result
    return {
        "method": found.method.id,
        "name": one.name,
        "paper": found.method.paper,
        "run": found.run.id,
        "state": found.run.state.value,
        "model": found.run.settings.model,
        "reasoning_model": found.run.settings.reasoning_model or None,
        "settings": dict(found.run.settings.options),
        "documents": list(found.run.document_ids),
        "answer": found.answer.text if found.answer else None,
        "cost": asdict(found.cost) if found.cost else None,
        "tokens": asdict(found.tokens),
        "calls": found.calls,
        "seconds": found.seconds,
        "verdict": asdict(found.verdict) if found.verdict else None,
        "facts": {fate.fact.id: fate.reach.value for fate in one.fates},
        "built": [asdict(built) for built in found.trace],
    }


def to_html(question: str, right: str, expected: Sequence[Fact], shown: Sequence[Shown]) -> bytes:
    """Question, figures, answers and facts on one page that loads nothing; `right`: the right answer, where it is known."""
    parts = [f"<h1>{said(question)}</h1>"]
    parts += [f"<p><b>The right answer:</b> {said(right)}</p>"] if right else []
    parts += [f"<p>{said(told)}</p>"] if (told := unlike(shown)) else []
    parts += [section("figures", "Figures", _figures(shown)), section("answers", "Answers", *map(_answer, shown))]
    parts += [section("facts", "How far each fact came", *_kept(expected, shown))] if expected else []
    papers = facts((one.name, f"{said(one.result.method.says)}<br>{said(one.result.method.paper)}") for one in shown)
    parts.append(section("methods", "The methods", papers))
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{escaped(policy(_WIDE))}">'
        f'<meta name="viewport" content="width=device-width"><title>Methods</title><style>{_WIDE}</style>'
    )
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>'.encode(
        "utf-8", "replace"
    )


def _figures(shown: Sequence[Shown]) -> str:
    every = rows_of(shown)
    rows = telling([{**row, "Facts": None if row["Facts"] is None else f"{row['Facts']}%"} for row in every])
    return table(list(rows[0]), ([said(_cell(value)) for value in row.values()] for row in rows))


def _answer(one: Shown) -> str:
    found = one.result
    text = found.answer.text if found.answer else found.fault or "No answer yet"
    lines = "<br>".join(said(line) for line in text.strip().split("\n"))
    judged = f"{verdict_in_words(one)}: {found.verdict.reason}" if found.verdict else ""
    return f'<article><h3>{said(one.name)}</h3><p>{lines}</p><p class="soft">{said(judged)}</p></article>'


def _kept(expected: Sequence[Fact], shown: Sequence[Shown]) -> tuple[str, ...]:
    """The facts by number, a table of methods and these numbers, and what its signs mean."""
    numbers = [str(number) for number in range(1, len(expected) + 1)]
    rows = ([said(one.name), *(SIGNS[fate.reach] for fate in one.fates)] for one in shown)
    meanings = " · ".join(f"{SIGNS[reach]} {meaning}" for reach, meaning in MEANINGS.items())
    listed = "".join(f"<li>{said(fact.says)}</li>" for fact in expected)
    return f"<ol>{listed}</ol>", table(["Method", *numbers], rows), f'<p class="soft">{said(meanings)}</p>'


def _cell(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.0%}" if isinstance(value, float) else str(value)
