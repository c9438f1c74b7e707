"""A look at documents that were judged to have nothing to say, and what finding nothing in some says about all.

Pure. The sample is drawn by the run's id: anybody who draws it again gets the same documents, and a larger one begins
with the smaller. The bound is exact for sampling without replacement (hypergeometric), one-sided; it is never wider
than the binomial one of Clopper and Pearson, and for a small share of many documents both come near the rule of three:
none found in n, so hardly more than 3/n of all (Hanley and Lippman-Hand, JAMA 1983).
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb

from r3con_core.changes import Entry, Look, Verdict
from r3con_core.figures import count_of
from r3con_core.records import StructuredData
from r3con_core.snippets import RelevantContext

CONFIDENCE = 0.95
USUAL = 10
"""Documents that are looked at, if nothing else is said."""


def silent_documents(context: RelevantContext, data: StructuredData) -> tuple[str, ...]:
    """Ids of the documents that were read, have nothing to say in the last round and gave no record, in corpus order."""
    if not context.rounds:
        return ()
    telling = {record.document_id for record in data.records} | {unread.document_id for unread in data.unread}
    return tuple(
        snippet.document_id
        for snippet in context.snippets
        if not snippet.text.strip() and snippet.document_id not in telling
    )


def draw(run_id: str, document_ids: Iterable[str], number: int) -> tuple[str, ...]:
    """Up to `number` of the documents at random, always the same for one run, each as likely as any other."""
    keyed = {each: hashlib.sha256(f"{run_id}\n{each}".encode()).digest() for each in document_ids}
    return tuple(sorted(keyed, key=keyed.__getitem__)[:number])


def verdicts(entries: Sequence[Entry]) -> Mapping[str, Entry]:
    """Document id -> the last look at it that counts."""
    return {entry.change.document_id: entry for entry in entries if entry.counts and isinstance(entry.change, Look)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Elusion:
    """What looking at a sample says."""

    silent: int
    """Documents that were judged to have nothing to say."""
    sample: int
    """Of these, drawn for a look."""
    looked: int
    """Of the sample, looked at so far."""
    missed: int
    """Of those looked at, in which something was missed."""

    @property
    def most(self) -> int:
        """How many of the silent documents may hold something, at most, with 95 % confidence."""
        return most_missed(self.silent, self.looked, self.missed)

    @property
    def share(self) -> float:
        """The same as a share of the silent documents, 0 to 1."""
        return self.most / self.silent if self.silent else 0.0


def elusion_of(silent: Sequence[str], sample: Sequence[str], entries: Sequence[Entry]) -> Elusion:
    """What the looks at a sample say; looks at other documents say nothing about the rest and are left out."""
    found = [entry.change for entry in verdicts(entries).values() if isinstance(entry.change, Look)]
    of_sample = set(sample)
    drawn = [look for look in found if look.document_id in of_sample]
    return Elusion(
        silent=len(silent),
        sample=len(sample),
        looked=len(drawn),
        missed=sum(look.verdict is Verdict.MISSED for look in drawn),
    )


def most_missed(population: int, looked: int, missed: int, confidence: float = CONFIDENCE) -> int:
    """The largest number of documents with something in them, of `population`, that such a sample leaves credible.

    Were there more, fewer than `missed` + 1 finds among `looked` documents drawn at random would have a chance of less
    than 1 - `confidence`.
    """
    if not 0 <= missed <= looked <= population:
        raise ValueError(f"{missed} of {looked} of {population} is no sample")
    low, high = missed, population - (looked - missed)
    while low < high:
        middle = (low + high + 1) // 2
        if _chance(population, middle, looked, missed) >= 1 - confidence:
            low = middle
        else:
            high = middle - 1
    return low


def _chance(population: int, holding: int, looked: int, missed: int) -> float:
    """Of at most `missed` finds among `looked` documents, when `holding` of `population` hold something."""
    ways = sum(comb(holding, found) * comb(population - holding, looked - found) for found in range(missed + 1))
    return ways / comb(population, looked)


def in_words(found: Elusion) -> str:
    """What the looks say about all silent documents, in a sentence or two."""
    if not found.silent:
        return (
            "Every document that was read has a note or a record, so there is nothing that could have been missed so."
        )
    if not found.looked and found.sample == found.silent:
        return "Nobody has looked yet. The sample is all of them, so looking at each leaves nothing to chance."
    if not found.looked:
        hope = most_missed(found.silent, found.sample, 0)
        return (
            f"Nobody has looked yet. If nothing is found in {count_of(found.sample, 'document')}, then with 95 % "
            f"confidence no more than {hope:,} of the {found.silent:,} ({hope / found.silent:.0%}) hold something."
        )
    begins = (
        f"Something was missed in {found.missed:,} of {count_of(found.looked, 'document')} looked at."
        if found.missed
        else f"Nothing was missed in {count_of(found.looked, 'document')} looked at."
    )
    if found.looked == found.silent:
        return f"{begins} These are all there are, so nothing is left to chance."
    return (
        f"{begins} With 95 % confidence no more than {found.most:,} of the {found.silent:,} that have nothing to say "
        f"({found.share:.0%}) hold something. The more you look at, the narrower this gets."
    )
