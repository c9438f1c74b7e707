"""R3Con Analyst: relevance, records and reasoning over a corpus of documents, each statement with its quote.

The stages are functions over frozen values; a model is anything that turns a `Prompt` into a `Reply`. Names below are
the public interface. They are imported when first used, so that importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from r3con_core.answers import Answer, Mode
    from r3con_core.documents import Corpus, Document
    from r3con_core.errors import R3ConError
    from r3con_core.exchange import Ask, Prompt, Reply
    from r3con_core.library import load, open_model, settings_for
    from r3con_core.method.brief import Brief, make_brief
    from r3con_core.records import Record, Representation, StructuredData
    from r3con_core.run import Result, answer_question
    from r3con_core.runs import RunSettings
    from r3con_core.schemas import Schema
    from r3con_core.snippets import RelevanceSnippet, RelevantContext
    from r3con_core.stages import Models, focus_reading, parse, propose, reason, surface_relevance
    from r3con_core.tasks import Task, make_task

_PLACES = {
    "answers": ("Answer", "Mode"),
    "documents": ("Corpus", "Document"),
    "errors": ("R3ConError",),
    "exchange": ("Ask", "Prompt", "Reply"),
    "library": ("load", "open_model", "settings_for"),
    "method.brief": ("Brief", "make_brief"),
    "records": ("Record", "Representation", "StructuredData"),
    "run": ("Result", "answer_question"),
    "runs": ("RunSettings",),
    "schemas": ("Schema",),
    "snippets": ("RelevanceSnippet", "RelevantContext"),
    "stages": ("Models", "focus_reading", "parse", "propose", "reason", "surface_relevance"),
    "tasks": ("Task", "make_task"),
}
_MODULE_OF = {name: module for module, names in _PLACES.items() for name in names}

__all__ = [
    "Answer",
    "Ask",
    "Brief",
    "Corpus",
    "Document",
    "Mode",
    "Models",
    "Prompt",
    "R3ConError",
    "Record",
    "RelevanceSnippet",
    "RelevantContext",
    "Reply",
    "Representation",
    "Result",
    "RunSettings",
    "Schema",
    "StructuredData",
    "Task",
    "answer_question",
    "focus_reading",
    "load",
    "make_brief",
    "make_task",
    "open_model",
    "parse",
    "propose",
    "reason",
    "settings_for",
    "surface_relevance",
]


def __getattr__(name: str) -> object:
    """A public name, from its module."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
