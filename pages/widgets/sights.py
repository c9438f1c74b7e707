"""What the reader of a document saw of the other documents' snippets, in words and as lists."""

from collections.abc import Sequence
from typing import TypedDict

from pages.widgets.words import count
from r3con_core.exchange import Stage
from r3con_core.snippets import Digest, Sight
from r3con_core.store.digests import load_digests
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from r3con_core.store.sights import load_sight


class ShownDigest(TypedDict):
    """A digest as a page shows it."""

    name: str
    """Such as "Digest 3"."""
    covers: list[int]
    """Numbers of the documents it tells of."""
    text: str
    cut: bool
    """No model wrote it."""


class Saw(TypedDict):
    """What one reader saw: numbers of documents, and texts of digests."""

    whole: list[int]
    shortened: list[int]
    digested: list[int]
    digests: list[ShownDigest]


def saw_in_words(sight: Sight | None, digests: Sequence[Digest]) -> str:
    """Such as "214 snippets in full, 12 shortened, 1,773 within 31 digests"; "" where nothing is known of it.

    `digests` are those of the round whose snippets were shown.
    """
    if sight is None:
        return ""
    if not sight.shortened and not sight.digested:
        return "all other snippets" if sight.whole else "no snippet, since no other document had anything to say"
    parts = [f"{count(len(sight.whole), 'snippet')} in full"]
    parts += [f"{len(sight.shortened):,} shortened"] if sight.shortened else []
    if sight.digested:
        shown = len(digests_of(sight, digests))
        parts.append(f"{len(sight.digested):,} within {count(shown, 'digest') if shown else 'digests'}")
    return ", ".join(parts)


def digests_of(sight: Sight, digests: Sequence[Digest]) -> tuple[Digest, ...]:
    """The digests a reader was shown: of a document that is in the tree, those beside its path, from the top down.

    Empty for a reader that stands outside of it, which is shown one whole level.
    """
    beside: list[Digest] = []
    told: set[str] = set()
    for digest in sorted(digests, key=lambda digest: (-digest.level, digest.number)):
        if sight.document_id in digest.covers or not told.isdisjoint(digest.covers):
            continue
        beside.append(digest)
        told.update(digest.covers)
    inside = any(sight.document_id in digest.covers for digest in digests)
    return tuple(beside) if inside else ()


def saw_of(project: Project, run_id: str, document_id: str, round_number: int) -> Saw | None:
    """What the reader of a document saw in a round, as lists; None where nothing is known of it."""
    sight = load_sight(project, run_id, Stage.RELEVANCE, round_number, document_id=document_id)
    if sight is None:
        return None
    numbers = {each: number for number, each in enumerate(load_run(project, run_id).document_ids, start=1)}
    digests = load_digests(project, run_id, round_number - 1)
    within = set(sight.digested)
    shown = digests_of(sight, digests) or tuple(d for d in digests if d.level == 1 and not within.isdisjoint(d.covers))
    return Saw(
        whole=[numbers[each] for each in sight.whole],
        shortened=[numbers[each] for each in sight.shortened],
        digested=[numbers[each] for each in sight.digested],
        digests=[shown_digest(digest, numbers) for digest in shown],
    )


def shown_digest(digest: Digest, numbers: dict[str, int]) -> ShownDigest:
    """A digest with the numbers of the documents it tells of."""
    return ShownDigest(
        name=digest_name(digest),
        covers=[numbers[each] for each in digest.covers],
        text=digest.text,
        cut=digest.cut,
    )


def digest_name(digest: Digest) -> str:
    """Such as "Digest 3", or "Digest 2 of digests" where it tells of other digests."""
    return f"Digest {digest.number}" + ("" if digest.level == 1 else f" of digests (level {digest.level})")
