"""Vectors of texts, kept by the text: no text is sent twice to the model that makes them."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from sqlite3 import Connection
from typing import TYPE_CHECKING

from r3con_core.embedding import read_vectors, seal_of
from r3con_core.exchange import Stage
from r3con_core.store.calls import Call, iter_calls, keep_call
from r3con_core.store.project import Project

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def text_key(text: str) -> str:
    """The name under which the vector of a text, as it is sent, is kept."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def keep_vectors(project: Project, run_id: str, model: str, call: Call) -> None:
    """Keep the vectors that a call brought, by the keys of its texts, and the call itself, in one transaction.

    The kept reply has a short hash of each in its place. Vectors that are there already stay.
    """
    vectors = read_vectors(call.reply.text)
    texts = call.prompt.messages[-1].pieces
    rows = [
        (model, text_key(text), call.key, vector.astype("<f4").tobytes())
        for text, vector in zip(texts, vectors, strict=True)
    ]
    sealed = replace(call, reply=replace(call.reply, text="\n".join(map(seal_of, vectors))))

    def along(db: Connection) -> None:
        db.executemany("insert or ignore into vectors values (?, ?, ?, ?)", rows)

    keep_call(project, run_id, sealed, along)


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


def models_used(project: Project, run_id: str) -> tuple[str, ...]:
    """Names of the models whose vectors a run used; () where it used words alone, or no vectors."""
    rows = project.db.execute(
        "select distinct model from vectors where call in (select key from run_calls where run_id = ?) order by model",
        (run_id,),
    )
    return tuple(row[0] for row in rows)


def vector_faults(project: Project, run_id: str) -> Iterator[str]:
    """Vectors of a run's calls that are missing, or are not those that came."""
    for number, call in enumerate(iter_calls(project, run_id, Stage.EMBEDDING), start=1):
        texts, seals = call.prompt.messages[-1].pieces, call.reply.text.split("\n")
        kept = find_vectors(project, call.reply.model, list(map(text_key, texts)))
        if len(texts) != len(seals):
            yield f"Embedding call {number} has another number of vectors than of texts."
            continue
        for text, seal in zip(texts, seals, strict=True):
            found = kept.get(text_key(text))
            if found is None:
                yield f"A vector of embedding call {number} is missing."
            elif found[0] == call.key and seal_of(found[1]) != seal:
                yield f"A vector of embedding call {number} is not the one that came."
