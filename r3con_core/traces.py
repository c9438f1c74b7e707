"""What a method built on its way to an answer, in a form that every screen and every check can read."""

from dataclasses import dataclass
from enum import StrEnum

from r3con_core.documents import Span


class View(StrEnum):
    """How something that was built is looked at."""

    TEXTS = "texts"
    """Texts in order, such as gists or answers to sub-questions."""
    STATES = "states"
    """One text that was rewritten again and again; each item is a state of it, in order."""
    TREE = "tree"
    """Items above others: each names its `children`."""
    GRAPH = "graph"
    """Items joined by `links`."""
    TABLES = "tables"
    """Structured texts, one for each document or part: tables, triples, catalogues."""
    RANKING = "ranking"
    """Items with a `score`, the best first; those that went on are `chosen`."""
    STEPS = "steps"
    """What an agent did, in order: its code or its use of a tool as `text`, what came of it as `shown`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A stretch of a document that an item was made from."""

    document_id: str
    span: Span | None = None
    """None: the whole document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing of what was built."""

    id: str
    """Its own within the `Built`."""
    title: str
    """A few plain words, such as "Document 3, part 2"; never a model's."""
    text: str = ""
    """What it says: written by a model, or the document's own words."""
    shown: str = ""
    """Of a step: what came of it."""
    places: tuple[Place, ...] = ()
    """From which documents it is."""
    children: tuple[str, ...] = ()
    """Ids of the items it was made from."""
    level: int = 0
    """In a tree: 0 for leaves."""
    kind: str = ""
    """Where items differ in kind: "entity", "passage", "sentence", "table"..."""
    score: float | None = None
    chosen: bool = False
    """It went on to the next stage, such as into the prompt that answers."""
    fault: str = ""
    """Why nothing could be made of it; empty where something was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """From one item to another."""

    source: str
    target: str
    label: str = ""
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """One thing that a method built, such as a tree of summaries or a ranking of passages."""

    name: str
    """What it is, in plain words; a method that shows it again under this name has changed it."""
    says: str
    """A sentence or two for someone who does not know the method: what this is and what it is for."""
    view: View
    items: tuple[Item, ...]
    links: tuple[Link, ...] = ()
    read: bool = False
    """The answer was written from what is `chosen` here, or from all of it where nothing is."""


Trace = tuple[Built, ...]
"""All that a method built, in the order of its stages."""
