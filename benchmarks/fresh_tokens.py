"""Tokens a prefix cache has not seen in one round, by the order of the notes: the tree of the product, and plain order."""

import hashlib

from r3con_core.documents import Corpus, Document, Source, make_document
from r3con_core.method.layout import others_in_tree_order
from r3con_core.snippets import RelevanceSnippet

BLOCK = 64
"""Bytes of a cache block: 16 tokens of four bytes."""


def fresh(prompts: list[str]) -> int:
    """Tokens of `prompts`, sent one after the other, that no earlier prompt shares as a prefix."""
    seen: set[bytes] = set()
    new = 0
    for prompt in prompts:
        chain = b""
        raw = prompt.encode()
        for start in range(0, len(raw) - BLOCK + 1, BLOCK):
            chain = hashlib.blake2b(chain + raw[start : start + BLOCK], digest_size=12).digest()
            if chain not in seen:
                seen.add(chain)
                new += 16
    return new


def corpus_of(count: int) -> Corpus:
    """`count` different short documents."""
    return Corpus(documents=tuple(_document(n) for n in range(count)))


def _document(number: int) -> Document:
    source = Source(path=f"{number}.txt", sha256="", media_type="text/plain")
    return make_document(title=str(number), text=f"Document body {number}. " * 60, source=source)


def main() -> None:
    """Print both figures for several corpus sizes."""
    for count in (10, 46, 200):
        corpus = corpus_of(count)
        notes = {
            d.id: RelevanceSnippet(document_id=d.id, text=f"Note {d.title} says what it says. " * 12)
            for d in corpus.documents
        }
        plain = ["".join(notes[o.id].text for o in corpus.documents if o.id != d.id) + d.text for d in corpus.documents]
        tree = ["".join(s.text for s in others_in_tree_order(corpus, d.id, notes)) + d.text for d in corpus.documents]
        print(f"{count} documents: plain order {fresh(plain):,}, tree order {fresh(tree):,} fresh tokens")


if __name__ == "__main__":
    main()
