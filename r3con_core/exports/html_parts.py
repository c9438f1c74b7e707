"""Small pieces of HTML: everything that comes in is text, and leaves as text."""

import html
from collections.abc import Iterable, Sequence

from r3con_core.exports.passages import shown


def said(text: str) -> str:
    """Words of documents, models and people, on one line, kept apart from what is around them in any script."""
    return f"<bdi>{escaped(' '.join(text.split()))}</bdi>"


def escaped(text: str) -> str:
    """`text` so that a browser shows just these characters."""
    return html.escape(shown(text), quote=True)


def link(target: str, words: str) -> str:
    """A link to a place of the same page; `target` and `words` are ours."""
    return f'<a href="#{target}">{words}</a>'


def lines(items: Iterable[str]) -> str:
    """A list of lines that are HTML already; "" for none."""
    told = "".join(f"<li>{item}</li>" for item in items)
    return f"<ul>{told}</ul>" if told else ""


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """A table of names, which are text, and values, which are HTML already; "" for none."""
    rows = "".join(f'<tr><th scope="row">{said(name)}</th><td>{value}</td></tr>' for name, value in pairs)
    return f"<table><tbody>{rows}</tbody></table>" if rows else ""


def table(names: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """A table with a head of our words, and cells that are HTML already."""
    head = "".join(f'<th scope="col">{escaped(name)}</th>' for name in names)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<table class="{kind}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def section(name: str, title: str, *parts: str) -> str:
    """A section that can be linked to; `name` and `title` are ours."""
    return f'<section id="{name}"><h2>{title}</h2>{"".join(parts)}</section>\n'
