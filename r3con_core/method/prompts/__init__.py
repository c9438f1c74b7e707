"""Prompt texts: one file per stage and version, in sections. A released version is never edited.

Sections start with a line `=== name`; each is a template with `{{ }}` for values. Values are put in as they are:
a value that looks like a template stays text.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Template

_SECTION = re.compile(r"^=== (\w+)\n", re.MULTILINE)


@cache
def _sections(stage: str, version: str) -> Mapping[str, str]:
    text = files(__package__).joinpath(f"{stage}_{version}.md").read_text(encoding="utf-8")
    _, *pieces = _SECTION.split(text)
    return dict(zip(pieces[::2], pieces[1::2], strict=True))


@cache
def _template(stage: str, version: str, section: str) -> "Template":
    from jinja2 import Environment, StrictUndefined  # 50 ms that listing runs need not pay

    environment = Environment(undefined=StrictUndefined, trim_blocks=True, autoescape=False)  # plain text, not HTML
    return environment.from_string(_sections(stage, version)[section])


def fill(stage: str, version: str, section: str, **values: object) -> str:
    """One section with its values put in; an unknown name in the template is an error."""
    return str(_template(stage, version, section).render(**values)).strip()
