"""A long text in pages, each ended where a model would pause in reading (Lee et al., ICML 2024, section 3.1)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from r3con_core.documents import Corpus, estimate_tokens
from r3con_core.exchange import About, Exchange, Prompt, Stage
from r3con_core.method.brief import Brief
from r3con_core.methods.chunks import Chunk
from r3con_core.methods.writing import block, fill_in, prompt

_PAGINATE = (
    "You read a long text and pause where it is natural to: where a scene, a subject, a letter or an argument ends."
)
_FROM, _LAST = 280 / 600, 350 / 600
"""Of a page's length: where the first pause may be, and what is left over as a last page of its own."""
PIECES = 8
"""Of a page: between them are the places to pause."""
GATHERED = 4
"""Pages of short documents that are read on end; where one ends there is always a place to pause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A stretch of the text that is remembered as one."""

    pieces: tuple[Chunk, ...]
    """In order; more than one document's where these are short."""
    fault: str = ""

    @property
    def documents(self) -> tuple[str, ...]:
        """Ids of those that it is from."""
        return tuple(dict.fromkeys(piece.document_id for piece in self.pieces))

    @property
    def text(self) -> str:
        """Its words; a blank line stands between documents."""
        return "\n\n".join("".join(p.text for p in self.pieces if p.document_id == id_) for id_ in self.documents)

    @property
    def tokens(self) -> int:
        """About how long it is."""
        return sum(estimate_tokens(piece.text) for piece in self.pieces)

    def title(self, number: int, corpus: Corpus) -> str:
        """Such as "Page 7, documents 3 to 5"."""
        first, last = (corpus.number(self.documents[place]) for place in (0, -1))
        return f"Page {number}, " + (f"document {first}" if first == last else f"documents {first} to {last}")


def stretches(pieces: Sequence[Chunk], tokens: int) -> Iterator[tuple[Chunk, ...]]:
    """`pieces` in runs of whole documents, each of at least `tokens` but for the last: what is read on end."""
    gathered: list[Chunk] = []
    length = 0
    for place, piece in enumerate(pieces):
        gathered.append(piece)
        length += estimate_tokens(piece.text)
        ends = place + 1 == len(pieces) or pieces[place + 1].document_id != piece.document_id
        if ends and (length >= tokens or place + 1 == len(pieces)):
            yield tuple(gathered)
            gathered, length = [], 0


def in_pages(pieces: Sequence[Chunk], page: int, error: Exception) -> list[Page]:
    """Pages as long as they may be, where the model names no pauses."""
    pages: list[Page] = []
    while pieces:
        end = (pauses(pieces, page) or (len(pieces),))[-1]
        pages.append(Page(pieces=tuple(pieces[:end]), fault=f"It is cut by length alone. {error}"))
        pieces = pieces[end:]
    return pages


def pauses(pieces: Sequence[Chunk], page: int) -> tuple[int, ...]:
    """After how many of `pieces` the next page may end; none where all that is left is one page."""
    if sum(estimate_tokens(piece.text) for piece in pieces) <= page * _LAST:
        return ()
    ends: list[int] = []
    length = 0
    for end, piece in enumerate(pieces, start=1):
        length += estimate_tokens(piece.text)
        if length > page and end > 1:
            break
        if length >= page * _FROM:
            ends.append(end)
    return tuple(ends) or (1,)


def paginate(brief: Brief, number: int, pieces: Sequence[Chunk], page: int) -> Exchange[list[Page]]:
    """Pages of one stretch, each ended where the model would pause; they hold every piece once, in order."""
    pages: list[Page] = []
    before: Chunk | None = None
    while pieces:
        ends = pauses(pieces, page) or (len(pieces),)
        end = ends[0]
        if len(ends) > 1:
            said = yield from fill_in(_where(brief, (number, len(pages) + 1), pieces, ends, before))
            end = ends[int(said["pause"]) - 1]
        pages.append(Page(pieces=tuple(pieces[:end])))
        before, pieces = pieces[end - 1], pieces[end:]
    return pages


def _where(
    brief: Brief, number: tuple[int, int], pieces: Sequence[Chunk], ends: Sequence[int], before: Chunk | None
) -> Prompt:
    material = [block(brief, "before", before.text, before.title)] if before else []
    for place, piece in enumerate(pieces[: ends[-1]], start=1):
        material.append(block(brief, "text", piece.text, piece.title))
        if place in ends:
            material.append(f"Pause {ends.index(place) + 1}")
    names = [str(one) for one in range(1, len(ends) + 1)]
    return prompt(
        brief,
        stage=Stage.BUILDING,
        about=About(round=1, part=number[0], step=number[1]),
        guide=_PAGINATE,
        material=material,
        request="At which of the numbered pauses is it most natural to stop reading for now? Name one as `pause`.",
        max_tokens=60,
        shape=form(pause={"type": "string", "enum": names}),
    )


def form(**properties: Mapping[str, object]) -> Mapping[str, object]:
    """The shape of a reply that gives all `properties`."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
