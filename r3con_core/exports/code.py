"""The agent's steps as one Python program that anybody can read and run without this product."""

from pprint import pformat

from r3con_core.answers import Step
from r3con_core.errors import StoreError
from r3con_core.exports.contents import RunContents, load_contents
from r3con_core.exports.other_methods import is_other, no_records
from r3con_core.store.project import Project

_HEAD = '''\
"""{question}

How the answer was computed by the run {run}: the steps the model wrote, in order, over the records it was given.
Run it with Python 3.11 or newer; needs pandas and networkx (pip install pandas networkx).

The code below was written by a language model. R3Con Analyst ran it behind walls; here there are none. Read it first.
"""
'''
IMPORTS = """\
import collections
import datetime
import itertools
import json
import math
import re
import statistics

import networkx as nx
import pandas as pd

nan, inf = math.nan, math.inf"""
"""What the model's code finds ready in its session."""
_ANSWER = '''

def answer(text, cites=()):
    """Show what a step hands over as its answer."""
    print("ANSWER:", text)
    print("rests on:", ", ".join([cites] if isinstance(cites, str) else map(str, cites)))
'''
_WIDTH = 110


def export_code(project: Project, run_id: str) -> str:
    """The steps as one runnable program, with the records and snippets they worked on inside.

    Steps that ended in an error are there as comments, with the error. StoreError when the run has no steps.
    """
    return code_of(load_contents(project, run_id))


def no_steps(contents: RunContents) -> StoreError:
    """Why a run has no code over records."""
    run = contents.run
    if is_other(run.settings):
        return StoreError(f"{no_records(run.settings)} What it did is in: r3con show {run.id} --only built")
    return StoreError(f"The run {run.id} has no steps of code: it answered directly, or is not so far yet.")


def code_of(contents: RunContents) -> str:
    """The same of a run already loaded."""
    steps = contents.answer.steps if contents.answer else ()
    if not steps:
        raise no_steps(contents)
    names = contents.session_names()
    question = contents.run.task.text.replace("\\", "\\\\").replace('"""', "'''")
    blocks = [
        _HEAD.format(question=question, run=contents.run.id),
        f"{IMPORTS}\n",
        "# Record type -> its records. Those whose quotes were not found in their document are left out.",
        f"records = {_literal(names['records'])}",
        "",
        "# Document number -> what the document contributes to the question.",
        f"snippets = {_literal(names['snippets'])}",
        _ANSWER,
        *(line for step in steps for line in _step(step)),
    ]
    return "\n".join(blocks) + "\n"


def _literal(value: object) -> str:
    return pformat(value, width=_WIDTH, sort_dicts=False)


def _step(step: Step) -> list[str]:
    fault = step.execution.fault
    lines = ["", f"# --- Step {step.number} ---", *as_comment(step.thought), ""]
    if fault is not None:
        return [
            *lines,
            "# This step ended in an error, so it is not run:",
            *as_comment(step.code),
            "#",
            *as_comment(fault),
        ]
    printed = step.execution.output.strip()
    return [*lines, step.code.rstrip(), *(["", "# It printed:", *as_comment(printed)] if printed else [])]


def as_comment(text: str) -> list[str]:
    """Each line of `text` as a line that Python passes over."""
    return [f"# {line}".rstrip() for line in text.splitlines()]
