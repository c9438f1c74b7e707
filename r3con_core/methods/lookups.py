"""Chunks of a corpus that an agent looks things up in: by keywords, by meaning, and by reading them once."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from r3con_core.documents import estimate_tokens
from r3con_core.embedding import Embed, Side
from r3con_core.folding import fold
from r3con_core.method.shortening import shorten
from r3con_core.methods.chunks import Chunk
from r3con_core.methods.entities import SentenceAt, sentences_of
from r3con_core.methods.passages import documents_of
from r3con_core.methods.ranking import best
from r3con_core.traces import Place

if TYPE_CHECKING:
    from r3con_core.embedding import Vectors

MOST_KEYWORDS = 12
SENTENCES = 3
"""Nearest to a query, for each chunk that a search by meaning shows at most."""
MOST_SHOWN = 160
"""Tokens of sentences that a search shows of one chunk."""
_LETTERS = 200
"""Of a keyword or query that are kept in what is said of a step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """What an agent looked up in one step, and what it was shown."""

    step: int
    action: str
    """As a call: `keyword_search(["Petrel"])`."""
    thought: str = ""
    found: str = ""
    chunks: tuple[int, ...] = ()
    """Numbers of the chunks of which `found` holds any text, from 1."""
    full: tuple[int, ...] = ()
    """Of those, the ones that were read in full."""
    fault: str = ""

    @property
    def tokens(self) -> int:
        """Of action and what was found."""
        return estimate_tokens(self.found) + estimate_tokens(self.action)


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """The chunks, their sentences, and a vector for each of these."""

    chunks: tuple[Chunk, ...]
    sentences: tuple[SentenceAt, ...]
    folded: tuple[str, ...]
    """The text of each chunk, as keywords are looked for in it."""
    vectors: "Vectors"
    embed: Embed
    most: int
    """Chunks that a search shows."""

    def look_up(self, step: int, said: Mapping[str, Any], before: Sequence[Lookup], *, room: int) -> Lookup:
        """Carry out what the model said, within `room` tokens; what `before` has shown is not shown again."""
        thought = str(said.get("thought", ""))[:1000]
        match said["tool"]:
            case "keyword_search":
                words = _words(said.get("keywords", ()))
                action = f"keyword_search({json.dumps(words, ensure_ascii=False)})"
                found = self._search(action, before, lambda: self.keyword_search(words)) if words else _NO_KEYWORDS
            case "semantic_search":
                query = " ".join(str(said.get("query", "")).split())[:_LETTERS]
                action = f"semantic_search({json.dumps(query, ensure_ascii=False)})"
                found = self._search(action, before, lambda: self.semantic_search(query)) if query else _NO_QUERY
            case "read_chunk":
                numbers = tuple(dict.fromkeys(map(int, said.get("chunks", ()))))
                action = f"read_chunk({json.dumps(list(numbers[:20]))})"
                return self._read(Lookup(step=step, action=action, thought=thought), numbers, before, room)
            case _:
                action, found = "answer()", ("The answer was empty. Give it, or look up more.", ())
        text, chunks = found
        return Lookup(step=step, action=action, thought=thought, found=_within(text, room), chunks=chunks)

    def _search(self, action: str, before: Sequence[Lookup], search: Any) -> tuple[str, tuple[int, ...]]:
        for one in before:
            if one.action == action:
                return f"This search was made in step {one.step}. Search for something else, or read a chunk.", ()
        hits: Sequence[tuple[int, str]] = search()
        if not hits:
            return "No chunk was found. Try other words.", ()
        return "\n\n".join(f"[chunk {number}] {text}" for number, text in hits), tuple(number for number, _ in hits)

    def keyword_search(self, words: Sequence[str]) -> list[tuple[int, str]]:
        """Numbers of the chunks that hold most of the keywords, each with the sentences that hold any.

        A chunk's score is the sum over keywords of how often it has each, times that keyword's letters.
        """
        wanted = [fold(word) for word in words]
        scores = [float(sum(text.count(word) * len(word) for word in wanted)) for text in self.folded]
        hits = [place for place in best(scores, self.most) if scores[place] > 0]
        return [(self.chunks[place].number, self._matching(place, wanted)) for place in hits]

    def _matching(self, place: int, wanted: Sequence[str]) -> str:
        held = [
            one.text for one in self.sentences if one.chunk == place and any(word in fold(one.text) for word in wanted)
        ]
        return _some(held) or _some([self.chunks[place].text])

    def semantic_search(self, query: str) -> list[tuple[int, str]]:
        """Numbers of the chunks with the sentences nearest to `query`, each with those of them that are in it."""
        vector = self.embed((query,), side=Side.QUERY)
        scores = (self.vectors @ vector.T)[:, 0]
        near: dict[int, list[int]] = {}
        for at in best(scores, SENTENCES * self.most):
            near.setdefault(self.sentences[at].chunk, []).append(at)
        shown = list(near.items())[: self.most]
        return [
            (self.chunks[place].number, _some([self.sentences[at].text for at in sorted(places)]))
            for place, places in shown
        ]

    def _read(self, lookup: Lookup, numbers: Sequence[int], before: Sequence[Lookup], room: int) -> Lookup:
        read = {number: one.step for one in before for number in one.full}
        texts: list[str] = []
        full: list[int] = []
        for number in numbers:
            if not 1 <= number <= len(self.chunks):
                texts.append(f"There is no chunk {number}: they go from 1 to {len(self.chunks)}.")
            elif number in read:
                texts.append(f"[chunk {number}] was read before, in step {read[number]}.")
            else:
                text = f"[chunk {number}, {self.chunks[number - 1].title}]\n{self.chunks[number - 1].text}"
                left = room - sum(map(estimate_tokens, texts)) - 40
                if full and estimate_tokens(text) > left:
                    texts.append(f"There was no more room for chunk {number}. Read it in another step.")
                    continue
                texts.append(text if estimate_tokens(text) <= left else shorten(text, max(left, 1)))
                full.append(number)
        found = "\n\n".join(texts[:60]) or "Name at least one chunk by its number."
        return Lookup(
            step=lookup.step,
            action=lookup.action,
            thought=lookup.thought,
            found=found,
            chunks=tuple(full),
            full=tuple(full),
        )

    def documents_of(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """Ids of the documents of these chunks, each once."""
        return tuple(dict.fromkeys(self.chunks[number - 1].document_id for number in numbers))

    def places_of(self, numbers: Sequence[int]) -> tuple[Place, ...]:
        """Where these chunks stand."""
        return tuple(self.chunks[number - 1].place for number in numbers)


_NO_KEYWORDS: tuple[str, tuple[int, ...]] = ("Name at least one keyword.", ())
_NO_QUERY: tuple[str, tuple[int, ...]] = ("Say what to search for.", ())


def make_library(chunks: Sequence[Chunk], embed: Embed, most: int) -> Library:
    """The library of these chunks, numbered from 1 in their order."""
    numbered = tuple(chunks)
    sentences = sentences_of(numbered)
    return Library(
        chunks=numbered,
        sentences=sentences,
        folded=tuple(fold(chunk.text) for chunk in numbered),
        vectors=embed(tuple(sentence.text for sentence in sentences), holds=documents_of(numbered)),
        embed=embed,
        most=most,
    )


def _words(said: Sequence[Any]) -> list[str]:
    found = (" ".join(str(word).split())[:_LETTERS] for word in said)
    return list(dict.fromkeys(word for word in found if fold(word)))[:MOST_KEYWORDS]


def _some(sentences: Sequence[str]) -> str:
    return shorten(" ".join(sentences), MOST_SHOWN)


def _within(text: str, room: int) -> str:
    return text if estimate_tokens(text) <= room else shorten(text, max(room, 1))
