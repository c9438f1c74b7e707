"""How people steer the rounds of a run: what their changes come to, as one value. Pure.

For the snippet of one document in one round the first of these rules holds:

1. A document that was excluded after an earlier round has none.
2. A vetoed snippet says nothing, to readers and to later stages.
3. A snippet that a person wrote stands as written; of several for one place the last.
4. A document pinned in an earlier round, or left out of a round that reads chosen documents only, keeps what stands for
   it in the round before.
5. A document that keeps its snippets of the run this one begins from has what the model said of it there.
6. Else it is what the model says.

A change that is taken back leaves no trace, and changes of different places may come in any order.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import TypeVar, assert_never

from r3con_core.changes import AddRound, EditSnippet, Entry, ExcludeDocument, Hint, PinSnippet, Steer, VetoSnippet
from r3con_core.documents import Document, Unread, estimate_tokens
from r3con_core.errors import R3ConError
from r3con_core.method.grounding import foreign_terms
from r3con_core.runs import MAX_ROUNDS, RunSettings
from r3con_core.snippets import Author, RelevanceSnippet, RelevantContext, Round

MOST_HINT = 150
"""Tokens of all hints for one round together: prompts have room for that much more."""
MOST_EDIT = 1_000
"""Tokens of a snippet that a person writes: it stands in every other reader's prompt."""
Said = RelevanceSnippet | Unread
K = TypeVar("K")


@dataclass(frozen=True, slots=True, kw_only=True)
class Steering:
    """What people's changes come to."""

    rounds: int
    """How many are read, those added included."""
    edits: Mapping[tuple[int, str], str] = field(default_factory=dict)
    """By round and document id: a person's snippet."""
    pins: Mapping[str, int] = field(default_factory=dict)
    """Document id -> the earliest round in which it is pinned."""
    vetoes: frozenset[tuple[int, str]] = frozenset()
    """Round and document id."""
    exclusions: Mapping[str, int] = field(default_factory=dict)
    """Document id -> the round after which it is excluded, the earliest if several; 0: it is never read."""
    hints: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """By round, in the order they were made."""
    only: Mapping[int, frozenset[str]] = field(default_factory=dict)
    """Added rounds in which chosen documents alone are read -> their ids."""
    kept: Mapping[tuple[int, str], Said] = field(default_factory=dict)
    """By round and document id, what the model said in the run that this one begins from, where it is not asked again."""

    def without(self, document_ids: frozenset[str]) -> "Steering":
        """The same, but no words stand for these documents that a model was not asked for now."""
        edits = {place: text for place, text in self.edits.items() if place[1] not in document_ids}
        kept = {place: said for place, said in self.kept.items() if place[1] not in document_ids}
        return replace(self, edits=edits, kept=kept)

    def touches(self, document_id: str) -> bool:
        """Whether anything but the model's words may stand for the document in some round."""
        of_documents = (self.pins, self.exclusions)
        of_places = (self.edits, self.vetoes)
        return bool(
            self.only
            or any(document_id in each for each in of_documents)
            or any(document_id == found for each in of_places for _, found in each)
        )

    def is_out(self, number: int, document_id: str) -> bool:
        """Whether the document was excluded after a round before this one."""
        return self.exclusions.get(document_id, number) < number

    def is_hidden(self, number: int, document_id: str) -> bool:
        """Whether its snippet of this round is shown to nobody, since it is excluded after it at the latest."""
        return self.exclusions.get(document_id, number + 1) <= number

    def is_carried(self, number: int, document_id: str) -> bool:
        """Whether it keeps what stands for it in the round before."""
        pinned = self.pins.get(document_id, number) < number
        return number > 1 and (pinned or document_id not in self.only.get(number, (document_id,)))

    def is_read(self, number: int, document_id: str) -> bool:
        """Whether the model is asked."""
        place = (number, document_id)
        own = place in self.edits or place in self.vetoes or place in self.kept
        return not (own or self.is_out(number, document_id) or self.is_carried(number, document_id))


def unsteered(settings: RunSettings) -> Steering:
    """A run that nobody steers."""
    return Steering(rounds=settings.rounds_read)


def steering_of(entries: Iterable[Entry], settings: RunSettings) -> Steering:
    """What the changes that count come to, in the order they were made; rounds beyond the most are not read."""
    steering = unsteered(settings)
    for entry in entries:
        if entry.counts and isinstance(entry.change, Steer):
            steering = _with(steering, entry.change)
    return replace(steering, rounds=min(steering.rounds, MAX_ROUNDS))


def _with(steering: Steering, steer: Steer) -> Steering:
    match steer:
        case EditSnippet():
            return replace(steering, edits={**steering.edits, (steer.round, steer.document_id): steer.text})
        case PinSnippet():
            return replace(steering, pins=_earlier(steering.pins, steer.document_id, steer.round))
        case VetoSnippet():
            return replace(steering, vetoes=steering.vetoes | {(steer.round, steer.document_id)})
        case ExcludeDocument():
            return replace(steering, exclusions=_earlier(steering.exclusions, steer.document_id, steer.round))
        case Hint():
            told = (*steering.hints.get(steer.round, ()), steer.text)
            return replace(steering, hints={**steering.hints, steer.round: told})
        case AddRound():
            number = steering.rounds + 1
            only = {**steering.only, number: frozenset(steer.only)} if steer.only else steering.only
            return replace(steering, rounds=number, only=only)
        case unreachable:
            assert_never(unreachable)


def _earlier(known: Mapping[K, int], key: K, number: int) -> dict[K, int]:
    return {**known, key: min(number, known.get(key, number))}


def settle(steering: Steering, number: int, document_id: str, before: Said | None, text: str) -> Said | None:
    """What stands for a document in a round without asking the model; None where it is read.

    `before`: what stands in the round before; `text`: the document's. Not for documents that are out.
    """
    place = (number, document_id)
    if place in steering.vetoes:
        return RelevanceSnippet(document_id=document_id, text="", author=Author.HUMAN)
    if place in steering.edits:
        said = steering.edits[place]
        return RelevanceSnippet(
            document_id=document_id, text=said, author=Author.HUMAN, foreign=foreign_terms(said, text)
        )
    if steering.is_carried(number, document_id):
        return replace(before, carried=True, left_out=()) if isinstance(before, RelevanceSnippet) else before
    return steering.kept.get(place)


def settle_all(
    steering: Steering, number: int, documents: Iterable[Document], before: Mapping[str, Said]
) -> dict[str, Said]:
    """By id, what stands in a round without asking the model, for those of `documents` that are not read.

    `before`: by id, what stands in the round before.
    """
    found = ((each.id, settle(steering, number, each.id, before.get(each.id), each.text)) for each in documents)
    return {document_id: said for document_id, said in found if said is not None}


def lay_document(steering: Steering, document_id: str, said: Mapping[int, Said], text: str) -> dict[int, Said]:
    """By round, what stands for one document, from what the model said of it by round.

    Rows that no model wrote are left out of account. Rounds that it is out of, or has not been read in yet, are missing.
    """
    standing: dict[int, Said] = {}
    if not steering.touches(document_id):
        return {n: each for n in range(1, steering.rounds + 1) if (each := _by_model(said.get(n))) is not None}
    for number in range(1, steering.rounds + 1):
        if steering.is_out(number, document_id):
            break
        found = settle(steering, number, document_id, standing.get(number - 1), text)
        if found is None and steering.is_read(number, document_id):
            found = _by_model(said.get(number))
        if found is not None:
            standing[number] = found
    return standing


def _by_model(said: Said | None) -> Said | None:
    settled = isinstance(said, RelevanceSnippet) and (said.carried or said.author is Author.HUMAN)
    return None if settled else said


def lay(
    steering: Steering, said: RelevantContext, document_ids: Iterable[str], texts: Mapping[str, str]
) -> RelevantContext:
    """The rounds that have begun as they stand, from what the model said; documents in the order of `document_ids`.

    `texts`: of the documents that a person wrote a snippet of.
    """
    rows: dict[str, dict[int, Said]] = {}
    for of in said.rounds:
        for result in results_of(of):
            rows.setdefault(result.document_id, {})[of.number] = result
    by_document = {each: lay_document(steering, each, rows.get(each, {}), texts.get(each, "")) for each in document_ids}
    rounds = [
        round_of(steering, of.number, [laid[of.number] for laid in by_document.values() if of.number in laid])
        for of in said.rounds
        if of.number <= steering.rounds
    ]
    digests = {of.number: of.digests for of in said.rounds}
    return RelevantContext(
        rounds=tuple(replace(of, digests=digests[of.number]) for of in rounds),
        excluded=frozenset(steering.exclusions),
    )


def round_of(steering: Steering, number: int, results: Iterable[Said]) -> Round:
    """A round from its results, in their order, without what is shown to nobody."""
    shown = [each for each in results if not steering.is_hidden(number, each.document_id)]
    return Round(
        number=number,
        snippets=tuple(each for each in shown if isinstance(each, RelevanceSnippet)),
        unread=tuple(each for each in shown if isinstance(each, Unread)),
    )


def results_of(of: Round) -> tuple[Said, ...]:
    """What came of each document of a round."""
    return (*of.snippets, *of.unread)


def is_complete(steering: Steering, standing: RelevantContext, document_ids: Iterable[str]) -> bool:
    """Whether every round is there, with something for each document that it has."""
    if len(standing.rounds) != steering.rounds:
        return False
    ids = tuple(document_ids)
    for of in standing.rounds:
        there = {each.document_id for each in results_of(of)}
        if not all(each in there or steering.is_hidden(of.number, each) for each in ids):
            return False
    return True


UNDER_WAY = "under-way"
"""Beside the marks of what was taken in: rounds are being read with other changes, so that some may be told anew."""


def marks_of(entries: Iterable[Entry]) -> tuple[str, ...]:
    """A short name of each change that counts, in order: what it says, the same in every run."""
    return tuple(_mark(entry.change) for entry in entries if entry.counts and isinstance(entry.change, Steer))


def _mark(steer: Steer) -> str:
    said = [type(steer).__name__, *(getattr(steer, name) for name in steer.__dataclass_fields__)]
    return hashlib.sha256(repr(said).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def differ(taken_in: Iterable[str], entries: Iterable[Entry]) -> int:
    """How many changes were made or taken back since those with these marks were taken in."""
    now, then = Counter(marks_of(entries)), Counter(taken_in)
    return (now - then).total() + (then - now).total()


def check_steer(steer: Steer, steering: Steering, document_ids: Iterable[str]) -> None:
    """R3ConError, which says what to do, when the change cannot be made."""
    left = {each for each in document_ids if each not in steering.exclusions}
    match steer:
        case AddRound():
            _check_round(steer, steering, left)
        case ExcludeDocument():
            if not left - {steer.document_id}:
                raise R3ConError("This is the last document that is read. A run needs one.")
        case Hint():
            _check_hint(steer, steering)
        case EditSnippet():
            if estimate_tokens(steer.text) > MOST_EDIT:
                raise R3ConError("A snippet that long leaves other readers no room. Say it in fewer words.")
        case PinSnippet() | VetoSnippet():
            return
        case unreachable:
            assert_never(unreachable)


def _check_round(added: AddRound, steering: Steering, left: Set[str]) -> None:
    if not steering.rounds:
        raise R3ConError("This run leaves the rounds of reading out, so that none can be added.")
    if steering.rounds >= MAX_ROUNDS:
        raise R3ConError(f"A run reads the documents in at most {MAX_ROUNDS} rounds, and this one has them all.")
    if added.only and not set(added.only) & left:
        raise R3ConError("None of the chosen documents can be read. Choose others.")


def _check_hint(hint: Hint, steering: Steering) -> None:
    if not hint.text.strip():
        raise R3ConError("The hint is empty. Write what readers should look for.")
    if estimate_tokens(" ".join([*steering.hints.get(hint.round, ()), hint.text])) > MOST_HINT:
        raise R3ConError("The hints for one round are too long together. Say it in about 100 words.")
