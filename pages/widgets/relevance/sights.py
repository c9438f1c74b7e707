"""What the reader of a document saw of the other documents' snippets, in words and as lists."""

from collections.abc import Sequence
from typing import TypedDict

from pages.widgets.words import count
from r3con_core.exchange import Stage
from r3con_core.snippets import Digest, SightCounts, digests_beside
from r3con_core.store.digests import load_digests
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from r3con_core.store.sights import count_sights, load_sight


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


def saw_in_words(saw: SightCounts | None, digests: int) -> str:
    """Such as "214 snippets in full, 12 shortened, 1,773 within 31 digests"; "" where nothing is known of it.

    `digests` says how many were shown; 0 where that is not known.
    """
    if saw is None:
        return ""
    if not saw.shortened and not saw.digested:
        return "all other snippets" if saw.whole else "no snippet, since no other document had anything to say"
    within = f"within {count(digests, 'digest') if digests else 'digests'}"
    numbers = {"in full": saw.whole, "shortened": saw.shortened, within: saw.digested}
    (first, number), *others = [(how, number) for how, number in numbers.items() if number]
    return ", ".join([f"{count(number, 'snippet')} {first}", *(f"{number:,} {how}" for how, number in others)])


def all_saw(project: Project, run_id: str, round_number: int, document_ids: Sequence[str]) -> dict[str, str]:
    """Document id -> what its reader saw in that round, in words; empty where no round came before it."""
    if round_number < 2:
        return {}
    counts = count_sights(project, run_id, Stage.RELEVANCE, round_number, document_ids)
    beside = digests_beside(load_digests(project, run_id, round_number - 1))
    return {each: saw_in_words(saw, len(beside.get(each, ()))) for each, saw in counts.items()}


def parsing_saw(project: Project, run_id: str, document_id: str) -> str:
    """What was shown beside a document when its records were made, in words; "" where it was all or is not known."""
    saw = count_sights(project, run_id, Stage.PARSING, 0, [document_id]).get(document_id)
    return saw_in_words(saw, 0) if saw and (saw.shortened or saw.digested) else ""


def saw_of(project: Project, run_id: str, document_id: str, round_number: int) -> Saw | None:
    """What the reader of a document saw in a round, as lists; None where nothing is known of it."""
    sight = load_sight(project, run_id, Stage.RELEVANCE, round_number, document_id=document_id)
    if sight is None:
        return None
    numbers = {each: number for number, each in enumerate(load_run(project, run_id).document_ids, start=1)}
    digests = load_digests(project, run_id, round_number - 1)
    within = set(sight.digested)
    shown = digests_beside(digests).get(document_id) or tuple(
        digest for digest in digests if digest.level == 1 and not within.isdisjoint(digest.covers)
    )
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
