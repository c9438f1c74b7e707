"""Vectors of texts, kept by the text: no text is sent twice to the model that makes them."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from r3con_core.embedding import Side
from r3con_core.store.project import Project

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def text_key(text: str, side: Side) -> str:
    """The name under which a text's vector is kept."""
    return hashlib.sha256(f"{side.value}\x00{text}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def keep_vectors(project: Project, model: str, call: str, vectors: "Mapping[str, NDArray[np.float32]]") -> None:
    """Keep vectors by the keys of their texts, with the call that brought them; those there already stay."""
    rows = [(model, key, call, vector.astype("<f4").tobytes()) for key, vector in vectors.items()]
    with project.change() as db:
        db.executemany("insert or ignore into vectors values (?, ?, ?, ?)", rows)


def find_vectors(project: Project, model: str, keys: Sequence[str]) -> "dict[str, tuple[str, NDArray[np.float32]]]":
    """Of each key that is kept: the call that brought it, and the vector."""
    import numpy as np

    rows = project.db.execute(
        "select key, call, vector from vectors where model = ? and key in (select value from json_each(?))",
        (model, json.dumps(list(keys))),
    )
    return {row["key"]: (row["call"], np.frombuffer(row["vector"], dtype="<f4")) for row in rows}


def calls_used(project: Project, run_id: str, calls: Iterable[str]) -> None:
    """Count calls that an earlier run paid for as used by this one too."""
    with project.change() as db:
        db.executemany("insert or ignore into run_calls values (?, ?, 1)", [(run_id, call) for call in calls])
