"""Documents cut into chunks: stretches of one document each, in corpus order."""

from dataclasses import dataclass

from r3con_core.documents import Corpus, Span, split_into_parts
from r3con_core.traces import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A stretch of one document."""

    number: int
    """From 1, through the corpus."""
    document_id: str
    span: Span
    text: str
    title: str
    """Such as "Document 3, part 2 of 4"; our words."""

    @property
    def place(self) -> Place:
        """Where it is from."""
        return Place(document_id=self.document_id, span=self.span)


def cut(corpus: Corpus, tokens: int) -> tuple[Chunk, ...]:
    """All chunks of at most about `tokens` each; cut at natural breaks, never across documents."""
    chunks: list[Chunk] = []
    for document in corpus.documents:
        for part in split_into_parts(document, tokens=max(tokens, 1)):
            number = corpus.number(document.id)
            of = f", part {part.number} of {part.count}" if part.count > 1 else ""
            chunks.append(
                Chunk(
                    number=len(chunks) + 1,
                    document_id=document.id,
                    span=part.span,
                    text=document.text[part.span.start : part.span.end],
                    title=f"Document {number}{of}",
                )
            )
    return tuple(chunks)
