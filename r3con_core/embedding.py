"""Vectors of texts: what methods want that search by meaning, and a plain stand-in that needs no model."""

import base64
import hashlib
import re
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]
    """One row of length 1 for each text."""


class Side(StrEnum):
    """What a text is in a search; some models read the two differently."""

    PASSAGE = "passage"
    QUERY = "query"


class Embed(Protocol):
    """A way to turn texts into vectors."""

    @property
    def name(self) -> str:
        """Of the model, for people."""

    def __call__(
        self, texts: Sequence[str], *, side: Side = Side.PASSAGE, holds: tuple[str, ...] | None = None
    ) -> "Vectors":
        """One row for each of `texts`, in order. `holds`: ids of the documents they tell of; None: that may be any."""


_PREFIXES = (
    (re.compile(r"(?:^|[/_-])e5(?=[-_:]|$)", re.IGNORECASE), {Side.QUERY: "query: ", Side.PASSAGE: "passage: "}),
    (re.compile("nomic-embed-text", re.IGNORECASE), {Side.QUERY: "search_query: ", Side.PASSAGE: "search_document: "}),
)
"""What stands before a text by its side, for families of models that were trained so; others take texts as they are."""


def as_sent(model: str, text: str, side: Side) -> str:
    """`text` as that model wants it on that side; never empty, which endpoints refuse."""
    prefix = next((by_side[side] for named, by_side in _PREFIXES if named.search(model)), "")
    return prefix + (text.replace("\0", " ") if text.strip(" \n\t\0") else ".")


def write_vectors(vectors: "Vectors") -> str:
    """Vectors as the text of a reply: base64 of little-endian 32-bit numbers, a line for each."""
    return "\n".join(base64.b64encode(row.astype("<f4").tobytes()).decode() for row in vectors)


def read_vectors(text: str) -> "Vectors":
    """What `write_vectors` wrote."""
    import numpy as np

    return np.stack([np.frombuffer(base64.b64decode(line), dtype="<f4") for line in text.split("\n")])


def seal_of(vector: "NDArray[np.float32]") -> str:
    """A short hash of one vector, by which a kept one is known for the one that came."""
    return hashlib.sha256(vector.astype("<f4").tobytes()).hexdigest()[:16]


DIMENSIONS = 512
_WORD = re.compile(r"\w+")


class WordVectors:
    """Vectors by the words of a text alone: texts with the same words are near. For where there is no model."""

    name = "words alone (no model)"

    def __call__(self, texts: Sequence[str], **_: object) -> "Vectors":
        """As `Embed` has it; a text without words is far from all others."""
        import numpy as np

        rows = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for place, text in enumerate(texts):
            words = _WORD.findall(text.casefold())
            for word in words:
                rows[place, _place(word)] += 1.0
            rows[place, 0] = 0.0 if words else 1.0
        rows = np.sqrt(rows)
        unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True).clip(min=1e-9)
        return unit


def _place(word: str) -> int:
    """Where a word counts; its ending does not matter."""
    return 1 + int.from_bytes(hashlib.blake2b(word[:6].encode(), digest_size=4).digest()) % (DIMENSIONS - 1)
