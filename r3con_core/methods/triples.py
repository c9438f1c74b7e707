"""What passages say, as triples of subject, relation and object that a model writes down without knowing the task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from r3con_core.documents import estimate_tokens
from r3con_core.exchange import About, Exchange, Finish, Reply, Stage
from r3con_core.method.brief import Brief
from r3con_core.method.layout import room_beside
from r3con_core.method.marks import one_line
from r3con_core.method.reading import ask_until_read, decode_cut_object, decode_object
from r3con_core.method.shortening import shorten
from r3con_core.methods.chunks import Chunk
from r3con_core.methods.entities import entity_key
from r3con_core.methods.many import carry_all, is_told
from r3con_core.methods.seam import Tools
from r3con_core.methods.writing import block, prompt
from r3con_core.traces import Built, Item, View

_PHRASE = 160
"""Letters of a phrase or a relation that are kept."""

_NAMES_GUIDE = (
    "You prepare an index of a collection. List the named entities of a passage: persons, organisations, places, ships, "
    "works, dates and the like, each as the passage writes it."
)
_NAMES_REQUEST = 'Reply with JSON: {"entities": ["...", ...]}. Each entity once; an empty list where there are none.'
_NAMES_SHAPE: Mapping[str, Any] = {
    "type": "object",
    "properties": {"entities": {"type": "array", "items": {"type": "string"}}},
    "required": ["entities"],
}
_TRIPLES_GUIDE = (
    "You prepare an index of a collection. Write down what a passage says as triples of subject, relation and object. "
    "Subject and object are short phrases; each triple should hold at least one of the listed entities, better two. "
    "Say whom a pronoun means by name. Leave out nothing that the passage states of its entities."
)
_TRIPLES_REQUEST = (
    'Reply with JSON: {"triples": [{"subject": "...", "relation": "...", "object": "..."}, ...]}. '
    "An empty list where the passage states nothing."
)
_TRIPLE: Mapping[str, Any] = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("subject", "relation", "object")},
    "required": ["subject", "relation", "object"],
}
_TRIPLES_SHAPE: Mapping[str, Any] = {
    "type": "object",
    "properties": {"triples": {"type": "array", "items": _TRIPLE}},
    "required": ["triples"],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Triple:
    """What a passage says of two phrases."""

    passage: int
    """Place of its passage, from 0."""
    subject: str
    relation: str
    object: str

    @property
    def text(self) -> str:
        """On one line, as it is shown and turned into a vector."""
        return f"{self.subject} | {self.relation} | {self.object}"

    @property
    def keys(self) -> tuple[str, str]:
        """Its two phrases as nodes."""
        return entity_key(self.subject), entity_key(self.object)


def extract_triples(brief: Brief, tools: Tools, passages: Sequence[Chunk]) -> tuple[Triple, ...]:
    """The triples of all passages, in their order; a passage of which none came has its fault in what is told."""
    found: dict[int, tuple[Triple, ...] | Exception] = {}
    numbered = tuple(enumerate(passages))
    results = carry_all(tools, numbered, lambda one: _open(brief, *one), lambda one: (one[1].document_id,))
    for place, result in results:
        found[place] = result
        if is_told(len(found), len(passages)):
            tools.watch.built(_built_triples(passages, found))
    return tuple(triple for place in sorted(found) if isinstance(got := found[place], tuple) for triple in got)


def _open(brief: Brief, place: int, passage: Chunk) -> Exchange[tuple[Triple, ...]]:
    """Named entities of a passage, then its triples around them (open information extraction)."""
    text = block(brief, "passage", passage.text)
    room = min(4096, max(len(passage.text) // 5, 400))
    asked = prompt(
        brief,
        stage=Stage.BUILDING,
        about=About(document_id=passage.document_id, part=place + 1, step=1),
        guide=_NAMES_GUIDE,
        material=(text,),
        request=_NAMES_REQUEST,
        max_tokens=room // 2,
        shape=_NAMES_SHAPE,
    )
    names = yield from ask_until_read(asked, lambda reply: _read(reply, _NAMES_SHAPE))
    listed = "; ".join(filter(None, dict.fromkeys(map(_phrase, _list(names, "entities")))))
    spare = room_beside(brief.settings.window, room, task="") - estimate_tokens(passage.text)
    asked = prompt(
        brief,
        stage=Stage.BUILDING,
        about=About(document_id=passage.document_id, part=place + 1, step=2),
        guide=_TRIPLES_GUIDE,
        material=(text, block(brief, "entities", shorten(listed, max(min(spare, room), 32)) or "(none)")),
        request=_TRIPLES_REQUEST,
        max_tokens=room,
        shape=_TRIPLES_SHAPE,
    )
    said = yield from ask_until_read(asked, lambda reply: _read(reply, _TRIPLES_SHAPE))
    return tuple(dict.fromkeys(_triples(place, _list(said, "triples"))))


def _read(reply: Reply, shape: Mapping[str, Any]) -> dict[str, Any]:
    """The reply as an object of that shape; of a list that was cut off, what was written of it."""
    return decode_cut_object(reply) if reply.finish is Finish.CUT_OFF else decode_object(reply, shape)


def _list(said: Mapping[str, Any], name: str) -> list[Any]:
    """A list of a reply that may have been cut off before it."""
    return said[name] if isinstance(said.get(name), list) else []


def _triples(place: int, said: Sequence[Any]) -> list[Triple]:
    found = []
    for one in said:
        parts = [_phrase(one.get(name)) for name in ("subject", "relation", "object")] if isinstance(one, dict) else []
        if parts and entity_key(parts[0]) and entity_key(parts[2]):
            found.append(Triple(passage=place, subject=parts[0], relation=parts[1], object=parts[2]))
    return found


def _phrase(said: object) -> str:
    return one_line(said).replace("|", "/")[:_PHRASE].strip() if isinstance(said, str) else ""


def _built_triples(passages: Sequence[Chunk], found: Mapping[int, tuple[Triple, ...] | Exception]) -> Built:
    def item(place: int) -> Item:
        got, passage = found[place], passages[place]
        return Item(
            id=f"p{passage.number}",
            title=passage.title,
            kind="triples",
            text="" if isinstance(got, Exception) else "\n".join(triple.text for triple in got),
            places=(passage.place,),
            fault=str(got) if isinstance(got, Exception) else "",
        )

    return Built(
        name="Triples",
        says="What each passage says, as the model wrote it down without knowing the question: who or what, stands how, "
        "to whom or what.",
        view=View.TABLES,
        items=tuple(item(place) for place in sorted(found)),
    )
