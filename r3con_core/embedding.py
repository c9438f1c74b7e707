"""Vectors of texts: what methods want that search by meaning, and a plain stand-in that needs no model."""

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
