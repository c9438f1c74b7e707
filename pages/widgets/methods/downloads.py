"""The comparison to take away: figures as CSV, everything as JSON, and a page that opens without the app."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

import streamlit as st

from pages.widgets.methods.figures import rows_of
from pages.widgets.methods.results import Shown
from r3con_core.exports.html_parts import escaped, facts, said, section, table
from r3con_core.exports.html_style import STYLE, policy
from r3con_core.facts import Fact
from r3con_core.views.tables import to_csv


def show(question: str, expected: Sequence[Fact], shown: Sequence[Shown]) -> None:
    """The three, behind one button."""
    with st.popover("Download", icon=":material/download:", disabled=not shown):
        _button("Page (HTML)", "html", "text/html", partial(to_html, question, expected, shown))
        _button("Figures (CSV)", "csv", "text/csv", lambda: to_csv(rows_of(shown)))
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
        "answer": found.answer.text if found.answer else None,
        "cost": asdict(found.cost) if found.cost else None,
        "tokens": asdict(found.tokens),
        "calls": found.calls,
        "seconds": found.seconds,
        "verdict": asdict(found.verdict) if found.verdict else None,
        "facts": {fate.fact.id: fate.reach.value for fate in one.fates},
        "built": [asdict(built) for built in found.trace],
    }


def to_html(question: str, expected: Sequence[Fact], shown: Sequence[Shown]) -> bytes:
    """Question, figures, answers and facts on one page that loads nothing."""
    rows = rows_of(shown)
    figures = table(list(rows[0]), ([said(_cell(value)) for value in row.values()] for row in rows))
    answers = "".join(
        f"<article><h3>{said(one.name)}</h3><p>{said(one.result.answer.text if one.result.answer else 'No answer yet')}"
        "</p></article>"
        for one in shown
    )
    kept = table(
        ["Fact", *(one.name for one in shown)],
        ([said(fact.says), *(said(one.fates[at].in_words) for one in shown)] for at, fact in enumerate(expected)),
    )
    parts = [section("figures", "Figures", figures), section("answers", "Answers", answers)]
    parts += [section("facts", "How far each fact came", kept)] if expected else []
    papers = facts((one.name, f"{said(one.result.method.says)}<br>{said(one.result.method.paper)}") for one in shown)
    body = f"<h1>{said(question)}</h1>{''.join(parts)}{section('methods', 'The methods', papers)}"
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{escaped(policy())}">'
        f'<meta name="viewport" content="width=device-width"><title>Methods</title><style>{STYLE}</style>'
    )
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>'.encode("utf-8", "replace")


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.0%}" if isinstance(value, float) else str(value)
