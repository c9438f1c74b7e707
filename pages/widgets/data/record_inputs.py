"""Inputs for the values of a record, by the kind of each field. What is left empty is not stated."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, assert_never

import streamlit as st

from pages.widgets.errors import plain
from pages.widgets.evidence import Found
from r3con_core.corrections.making import Said
from r3con_core.errors import CorrectionError
from r3con_core.method.reading import walk_values
from r3con_core.records import Certainty, Record, Value
from r3con_core.schemas import Choice, Field, Group, ListOf, Reference, Scalar, ScalarType, kind_name
from r3con_core.views.tables import in_words

LONG = 70
"""Letters of a text that gets an input of several lines."""
MOST_NAMES = 2000
FIGURES = "%.15g"
"""Digits as they are: 1420000 and 12.5."""
_FIGURE = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?", re.ASCII)
"""A typed number; a comma stands between thousands only, so that 1,5 is refused and not read as 15."""
DATE_HELP = "As precise as the document states: 1931, 1931-03 or 1931-03-04."
CERTAINTY_HELP = (
    "How the document puts it: stated as a fact, alleged by somebody, denied, or inferred from what it says."
)


def said(found: Found, fields: Sequence[Field], record: Record | None, key: str, *, columns: int = 2) -> Said:
    """All inputs of one record, filled with what it says, single values in so many columns."""
    beside = st.columns(columns, gap="medium")
    single = [field.name for field in fields if isinstance(field.kind, Scalar | Choice | Reference)]
    values = {}
    for field in fields:
        place = beside[single.index(field.name) % columns] if field.name in single else st.container()
        with place:
            values[field.name] = _value(found, field, record, f"{key}-{field.name}")
    who, how = st.columns(2)
    said_by = who.text_input(
        "Said by",
        record.said_by or "" if record else "",
        key=f"{key}-said_by",
        help="Who says so in the document, where it names anybody.",
    )
    certainties = list(Certainty)
    before = certainties.index(record.certainty) if record else 0
    certainty = how.selectbox(
        "How certain",
        certainties,
        before,
        format_func=lambda one: str(one.value),
        key=f"{key}-certainty",
        help=CERTAINTY_HELP,
    )
    return Said(values=values, quotes=_quotes(record, key), said_by=said_by.strip() or None, certainty=certainty)


def _value(found: Found, field: Field, record: Record | None, key: str) -> Value:
    """What is given for one field; a list or group left empty stays as it was when it was empty."""
    before = record.values.get(field.name) if record else None
    given = _input(found, field, before, key)
    return before if _is_empty(given) and _is_empty(before) else given


def _is_empty(value: Value) -> bool:
    return all(one is None for _, one in walk_values(value))


def _quotes(record: Record | None, key: str) -> tuple[str, ...]:
    told = [one.quote for one in record.evidence] if record else []
    given = [
        st.text_area(f"Quote {number}", quote, height=68, key=f"{key}-quote-{number}", help="Empty it to take it out.")
        for number, quote in enumerate(told, start=1)
    ]
    given.append(
        st.text_area(
            "Another quote" if told else "Quote",
            height=68,
            key=f"{key}-quote-new",
            placeholder="Copy the words from the document",
            help="It is looked for in the document. Without one the record stands on your word alone, and says so.",
        )
    )
    return tuple(given)


def _input(found: Found, field: Field, value: Value, key: str) -> Value:  # noqa: C901 - one per kind
    label = plain(field.name)
    told = plain(f"{field.meaning} ({kind_name(field.kind)})" if field.meaning else kind_name(field.kind))
    match field.kind:
        case Scalar(of=ScalarType.NUMBER):
            number = st.number_input(label, value=_number(value), step=1.0, format=FIGURES, key=key, help=told)
            return None if number is None else int(number) if number.is_integer() else number
        case Scalar(of=ScalarType.INTEGER):
            whole = _number(value)
            return st.number_input(label, value=None if whole is None else int(whole), step=1, key=key, help=told)
        case Scalar(of=ScalarType.YES_NO):
            return _choose(label, [True, False], value, (key, told))
        case Scalar(of=of):
            return _text(label, value, key, f"{told} {DATE_HELP}" if of is ScalarType.DATE else told)
        case Choice(options=options):
            return _choose(label, options, value, (key, told))
        case Reference(record_type=name):
            return _choose(label, _names(found, name, value), value, (key, told), new=True)
        case Group(fields=fields):
            return _group(found, fields, value, (label, key))
        case ListOf(item=item):
            about = (label, key, told)
            return _rows(item.fields, value, about) if isinstance(item, Group) else _several(found, item, value, about)
        case unreachable:
            assert_never(unreachable)


def _number(value: Value) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _text(label: str, value: Value, key: str, told: str) -> Value:
    text = in_words(value) if not isinstance(value, list | dict) else ""
    if len(text) > LONG or "\n" in text:
        return st.text_area(label, text, height=68, key=key, help=told).strip() or None
    return st.text_input(label, text, key=key, help=told).strip() or None


def _choose(label: str, options: Sequence[Any], value: Value, about: tuple[str, str], *, new: bool = False) -> Value:
    """One of `options`, or none; with `new` also one that is typed."""
    key, told = about
    chosen: Value = st.selectbox(
        label,
        options,
        options.index(value) if value in options else None,
        format_func=lambda one: in_words(one) if isinstance(one, bool) else str(one),
        key=key,
        help=told,
        placeholder="not stated",
        accept_new_options=new,
    )
    return chosen


def _names(found: Found, record_type: str, value: Value) -> list[str]:
    own = (
        [value]
        if isinstance(value, str)
        else [one for one in value if isinstance(one, str)]
        if isinstance(value, list)
        else []
    )
    return list(dict.fromkeys([*own, *found.known_names.get(record_type, ())[:MOST_NAMES]]))


def _group(found: Found, fields: Sequence[Field], value: Value, about: tuple[str, str]) -> Value:
    label, key = about
    held = value if isinstance(value, dict) else {}
    with st.container(border=True):
        st.caption(label)
        return {field.name: _input(found, field, held.get(field.name), f"{key}-{field.name}") for field in fields}


def _several(found: Found, item: Scalar | Choice | Reference, value: Value, about: tuple[str, str, str]) -> Value:
    label, key, told = about
    held = [in_words(one) for one in value if not isinstance(one, list | dict)] if isinstance(value, list) else []
    options = (
        list(item.options)
        if isinstance(item, Choice)
        else _names(found, item.record_type, value)
        if isinstance(item, Reference)
        else list(dict.fromkeys(held))
    )
    chosen = st.multiselect(
        label,
        list(dict.fromkeys([*options, *held])),
        held,
        key=key,
        help=told,
        placeholder="not stated",
        accept_new_options=not isinstance(item, Choice),
    )
    return [_as(item, text) for text in chosen]


def _as(item: Scalar | Choice | Reference, text: str) -> Value:
    """A typed entry of a list as the kind it is of; CorrectionError when it is not."""
    if not isinstance(item, Scalar) or item.of in (ScalarType.TEXT, ScalarType.DATE):
        return text
    if item.of is ScalarType.YES_NO:
        if text.casefold() not in ("yes", "no"):
            raise CorrectionError(f"{text!r} is neither yes nor no. Write one of them.")
        return text.casefold() == "yes"
    if not _FIGURE.fullmatch(text.strip()):
        raise CorrectionError(f"{text!r} is no number. Write it with a point for decimals, such as 1240.5.")
    number = float(text.replace(",", ""))
    return int(number) if number.is_integer() else number


def _rows(fields: Sequence[Field], value: Value, about: tuple[str, str, str]) -> Value:
    """A list of groups as a small table; what lies deeper in a group stays as it is."""
    label, key, told = about
    flat = [field for field in fields if isinstance(field.kind, Scalar | Choice | Reference)]
    held = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    st.caption(label, help=told)
    edited = st.data_editor(
        [{field.name: one.get(field.name) for field in flat} for one in held] or [{field.name: None for field in flat}],
        key=key,
        num_rows="dynamic",
        hide_index=True,
        column_config={field.name: _column(field) for field in flat},
    )
    rows = [
        {**_beneath(held, at, fields), **{field.name: _cell(row.get(field.name)) for field in flat}}
        for at, row in enumerate(edited)
    ]
    return [row for row in rows if any(one not in (None, [], {}) for one in row.values())]


def _beneath(held: Sequence[Mapping[str, Value]], at: int, fields: Sequence[Field]) -> dict[str, Value]:
    own = held[at] if at < len(held) else {}
    return {field.name: own.get(field.name) for field in fields}


def _cell(value: Any) -> Value:
    if value is None or value != value or value == "":  # noqa: PLR0124 - a number input left empty is not a number
        return None
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _column(field: Field) -> Any:  # what st.column_config makes has no public type
    match field.kind:
        case Scalar(of=ScalarType.NUMBER | ScalarType.INTEGER):
            return st.column_config.NumberColumn()
        case Scalar(of=ScalarType.YES_NO):
            return st.column_config.CheckboxColumn()
        case Choice(options=options):
            return st.column_config.SelectboxColumn(options=list(options))
        case _:
            return st.column_config.TextColumn()
