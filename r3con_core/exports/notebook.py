"""The agent's steps as a Jupyter notebook (nbformat 4.5) that runs from top to bottom without this product.

What documents and models wrote goes into string literals, into the code that a step is, or into Markdown in which
every sign is escaped: none of it can end its cell or load anything.
"""

import json
from collections.abc import Iterator
from typing import Any

from r3con_core import __version__
from r3con_core.answers import Answer, Proposed, Step
from r3con_core.exports.code import IMPORTS, as_comment, no_steps
from r3con_core.exports.contents import RunContents, describe_with_place, load_contents
from r3con_core.exports.report import plain
from r3con_core.records import StructuredData
from r3con_core.schema.views import outline
from r3con_core.store.project import Project

Cell = dict[str, Any]
_READY = f"""\
{IMPORTS}
handed_over = None


def answer(text, cites=()):
    \"\"\"Keep what a step hands over as its answer.\"\"\"
    global handed_over
    handed_over = str(text), [cites] if isinstance(cites, str) else [str(cite) for cite in cites]"""
_DOLLAR = "\uff04"
"""A wide one: readers of notebooks look for formulas even in lines that are set in, where nothing can be escaped."""
_SHOW = 'print(handed_over[0])\nprint("records given apart:", ", ".join(handed_over[1]) or "none")'


def export_notebook(project: Project, run_id: str) -> str:
    """The run's question, data, steps with their outputs as kept, and answer, as a notebook.

    StoreError when the run has no steps.
    """
    return notebook_of(load_contents(project, run_id))


def notebook_of(contents: RunContents) -> str:
    """The same of a run already loaded."""
    answer = contents.answer
    if answer is None or not answer.steps or contents.data is None:
        raise no_steps(contents)
    cells = [
        *_head(contents),
        *_data(contents, contents.data),
        *(cell for step in answer.steps for cell in _step(step)),
        _markdown(*_conclusion(contents, contents.data, answer)),
    ]
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python"},
        },
        "cells": [{"id": f"cell-{number}", **cell} for number, cell in enumerate(cells, start=1)],
    }
    # JSON in ASCII: no reader can take it for another encoding, and half a pair of surrogates stays what it is.
    return json.dumps(notebook, indent=1) + "\n"


def _markdown(*lines: str) -> Cell:
    return {"cell_type": "markdown", "metadata": {}, "source": _source("\n".join(lines))}


def _code(source: str, output: str = "") -> Cell:
    """A cell of code with what it printed; not numbered, since this notebook has not been run."""
    outputs = [{"output_type": "stream", "name": "stdout", "text": _source(output)}] if output else []
    return {
        "cell_type": "code",
        "metadata": {},
        "execution_count": None,
        "source": _source(source),
        "outputs": outputs,
    }


def _source(text: str) -> list[str]:
    """Text as notebooks keep it: its lines, each with its end."""
    return [f"{line}\n" for line in text.split("\n")[:-1]] + [last for last in [text.rsplit("\n", 1)[-1]] if last]


def _head(contents: RunContents) -> Iterator[Cell]:
    run, settings = contents.run, contents.run.settings
    second = f"; schema and reasoning by {plain(settings.reasoning_model)}" if settings.reasoning_model else ""
    yield _markdown(
        f"# {plain(run.task.text)}",
        "",
        f"How the answer was computed by the run {run.id} of {run.created[:10]}, R3Con Analyst {__version__}. "
        f"Documents read by {plain(settings.model)}{second}.",
        "",
        "The steps below were **written by a language model**. R3Con Analyst ran them behind walls; here there are none. "
        "Read each before you run it. Below each stands what it printed then; run it, and compare.",
        "",
        "Needs Python 3.11 or newer with pandas and networkx (`pip install pandas networkx`), and nothing else.",
    )
    yield _code(_READY)


def _data(contents: RunContents, data: StructuredData) -> Iterator[Cell]:
    """The records and snippets, one to a line, as JSON inside string literals."""
    names = contents.session_names()
    yield _markdown(
        "## The data",
        "",
        "`records`: record type → its records, each a dictionary with its label (`record`), the number of its document, "
        "who said it, how certain it is, and its values. Records whose quotes were not found in their document, or that a "
        "person took out, are not there.",
        "",
        "`snippets`: document number, as text → what the document contributes to the question.",
        "",
        *(f"    {line}" for line in outline(data.schema).replace("$", _DOLLAR).splitlines()),
    )
    yield _code(f"{_literals('records', names['records'])}\n\n{_literals('snippets', names['snippets'])}")


def _literals(name: str, value: object) -> str:
    """Python that binds `name` to a dictionary of JSON values, a line for each value or item of a list in it."""
    assert isinstance(value, dict)
    lines = [f"{name} = {{"]
    for key, held in value.items():
        if isinstance(held, list):
            lines += [f"    {key!r}: [", *(f"        json.loads({_literal(item)})," for item in held), "    ],"]
        else:
            lines.append(f"    {key!r}: json.loads({_literal(held)}),")
    return "\n".join([*lines, "}"])


def _literal(value: object) -> str:
    """A string literal with JSON in it; signs that do not show, and line ends of any kind, are escaped."""
    return repr(json.dumps(value, ensure_ascii=False))


def _step(step: Step) -> Iterator[Cell]:
    said = step.execution
    yield _markdown(f"## Step {step.number}", "", plain(step.thought) or "*The model gave no thought.*")
    if said.fault is not None:
        told = [
            "# This step ended in an error, so it is not run:",
            *as_comment(step.code),
            "#",
            *as_comment(said.fault),
        ]
        yield _code("\n".join(told), said.output)
        return
    yield _code(step.code, said.output)
    if said.proposed is not None:
        yield _markdown("What this step handed over as the answer:")
        yield _code(_SHOW, _shown(said.proposed))


def _shown(proposed: Proposed) -> str:
    return f"{proposed.text}\nrecords given apart: {', '.join(proposed.cites) or 'none'}\n"


def _conclusion(contents: RunContents, data: StructuredData, answer: Answer) -> Iterator[str]:
    yield "## The answer"
    yield ""
    for sentence in answer.sentences:
        labels = ", ".join(map(data.label, sentence.record_ids))
        yield f"- {plain(sentence.text)} " + (f"**[{labels}]**" if labels else "*(rests on no record)*")
    if answer.unknown_citations:
        yield f"\nThe model also cited what no record has: {plain(', '.join(answer.unknown_citations))}."
    yield "\n## The records it rests on"
    for record_id in answer.record_ids:
        record = data.get(record_id)
        document = contents.corpus.get(record.document_id)
        yield (
            f"\n**{data.label(record_id)}**: {plain(record.type)}, document {contents.corpus.number(document.id)}, "
            f"{plain(document.title)} ({plain(document.source.path)})"
        )
        for evidence in record.evidence:
            yield f"\n> {plain(evidence.quote)}\n>\n> *{plain(describe_with_place(evidence, contents.corpus))}*"
