"""What people's steering comes to: its rules, and the laws they keep."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r3con_core.changes import AddRound, EditSnippet, Entry, ExcludeDocument, Hint, PinSnippet, Steer, VetoSnippet
from r3con_core.documents import Corpus, Unread
from r3con_core.errors import R3ConError, RefusedError
from r3con_core.exchange import Prompt, Reply
from r3con_core.method.brief import make_brief
from r3con_core.method.relevance import write_snippet
from r3con_core.runs import MAX_ROUNDS, RunSettings
from r3con_core.snippets import Author, RelevanceSnippet, RelevantContext, Round
from r3con_core.stages import Models, Watch, surface_relevance
from r3con_core.steering import (
    Said,
    Steering,
    check_steer,
    differ,
    is_complete,
    lay,
    marks_of,
    steering_of,
    unsteered,
)
from r3con_core.tasks import make_task
from tests.fakes import Scripted, text_document

SETTINGS = RunSettings(model="scripted", rounds=2)
DOCUMENTS = tuple(text_document(f"Memo {n} of Mara Quill.", path=f"{n}.txt") for n in range(1, 5))
IDS = tuple(document.id for document in DOCUMENTS)
BRIEF = make_brief(make_task("Who wrote?"), Corpus(documents=DOCUMENTS), SETTINGS)

numbers = st.integers(1, 3)
ids = st.sampled_from(IDS)
steers: st.SearchStrategy[Steer] = st.one_of(
    st.builds(
        EditSnippet, document_id=ids, round=numbers, text=st.sampled_from(["", "Own words here.", "Other words."])
    ),
    st.builds(PinSnippet, document_id=ids, round=numbers),
    st.builds(VetoSnippet, document_id=ids, round=numbers),
    st.builds(ExcludeDocument, document_id=ids, round=st.integers(0, 3)),
    st.builds(Hint, round=numbers, text=st.sampled_from(["Look for tides.", "Look for ships."])),
    st.builds(AddRound, only=st.lists(ids, max_size=2, unique=True).map(tuple)),
)
steerings = st.lists(steers, max_size=6)


def entries(changes: list[Steer], undone: frozenset[int] = frozenset()) -> list[Entry]:
    return [
        Entry(
            number=number,
            run_id="run-1",
            change=change,
            author="R. Marsh",
            note="",
            made="2026-01-05",
            undone="2026-01-06" if number in undone else "",
        )
        for number, change in enumerate(changes)
    ]


def steering(*changes: Steer) -> Steering:
    return steering_of(entries(list(changes)), SETTINGS)


def speaks(prompt: Prompt) -> str:
    """Says something of its own for each document and round, so that every snippet can be told from all others."""
    place = f"{prompt.about.document_id} {prompt.about.round}"
    return f'{{"document_is": "", "facts": ["The note {place} is see Document 1 here."]}}'


def read(by: Steering, ask: Callable[[Prompt], Reply]) -> tuple[RelevantContext, RelevantContext]:
    """The context, and what the model itself said of it."""
    said: dict[int, list[Said]] = {}

    def keep(number: int, result: Said) -> None:
        if by.is_read(number, result.document_id):
            said.setdefault(number, []).append(result)
        else:
            said.setdefault(number, [])

    context = surface_relevance(BRIEF, Models(reading=ask, reasoning=ask), Watch(snippet=keep), by)
    rounds = tuple(
        Round(
            number=number,
            snippets=tuple(each for each in results if isinstance(each, RelevanceSnippet)),
            unread=tuple(each for each in results if isinstance(each, Unread)),
        )
        for number, results in said.items()
    )
    return context, RelevantContext(rounds=rounds)


@given(steerings, st.data())
def test_a_change_that_is_taken_back_is_as_if_it_had_never_been_made(changes: list[Steer], data: st.DataObject) -> None:
    undone = frozenset(data.draw(st.sets(st.sampled_from(range(len(changes))))) if changes else ())
    left = [change for number, change in enumerate(changes) if number not in undone]
    assert steering_of(entries(changes, undone), SETTINGS) == steering_of(entries(left), SETTINGS)
    assert marks_of(entries(changes, undone)) == marks_of(entries(left))


@given(steerings, st.randoms(use_true_random=False))
def test_the_order_of_changes_of_different_places_does_not_matter(changes: list[Steer], chance: object) -> None:
    places: dict[object, Steer] = {}
    for change in changes:
        kind = type(change).__name__
        place = (kind, getattr(change, "round", 0), getattr(change, "document_id", ""))
        if not isinstance(change, AddRound | Hint):
            places[place] = change
    mixed = list(places.values())
    chance.shuffle(mixed)  # type: ignore[attr-defined]
    assert steering_of(entries(mixed), SETTINGS) == steering_of(entries(list(places.values())), SETTINGS)


@settings(max_examples=50)
@given(steerings)
def test_no_document_sees_its_own_snippet_and_none_sees_what_is_vetoed_or_excluded(changes: list[Steer]) -> None:
    by = steering(*changes)
    model = Scripted(speaks)
    context, _ = read(by, model)
    for prompt in model.prompts:
        shown = "\n".join(message.content for message in prompt.messages)
        number, reader = prompt.about.round, prompt.about.document_id
        assert by.is_read(number, reader)
        for each in IDS:
            hidden = each == reader or by.is_hidden(number - 1, each) or (number - 1, each) in by.vetoes
            stands = {s.document_id: s.text for s in context.rounds[number - 2].snippets} if number > 1 else {}
            line = f"Document {IDS.index(each) + 1}: "
            assert (line in shown) == (not hidden and bool(stands.get(each)))
            if (number - 1, each) in by.edits and not hidden:
                assert by.edits[number - 1, each] in shown


@settings(max_examples=50)
@given(steerings, st.booleans())
def test_what_is_laid_over_the_models_words_is_what_the_readers_of_the_next_round_were_shown(
    changes: list[Steer], refuses: bool
) -> None:
    by = steering(*changes)
    model = Scripted(speaks)

    def ask(prompt: Prompt) -> Reply:
        if refuses and prompt.about.document_id == IDS[1] and prompt.about.round == 1:
            raise RefusedError
        return model(prompt)

    context, said = read(by, ask)
    texts = {document.id: document.text for document in DOCUMENTS}
    assert lay(by, said, IDS, texts) == context
    assert is_complete(by, context, IDS)


def test_without_steering_nothing_is_laid_over_and_no_prompt_is_other_than_before() -> None:
    before = next(write_snippet(BRIEF, DOCUMENTS[0]))
    assert next(write_snippet(BRIEF, DOCUMENTS[0], None, ())).key("m") == before.key("m")
    hinted = next(write_snippet(BRIEF, DOCUMENTS[0], None, (f"Look for\ntides </{BRIEF.mark}>.", "Who signed?")))
    asked, told = before.messages[-1].pieces, hinted.messages[-1].pieces
    assert told[:-1] == asked[:-1]
    assert told[-1] == (
        "Look for this too, as far as your document itself says something on it:\n- Look for tides </>.\n"
        f"- Who signed?\n\n{asked[-1]}"
    )


def test_a_snippet_of_a_person_stands_and_names_what_its_document_does_not_hold() -> None:
    by = steering(EditSnippet(document_id=IDS[0], round=1, text="A note of Mara Quill to Abel Stone."))
    context, _ = read(by, Scripted(speaks))
    assert context.rounds[0].snippets[0] == RelevanceSnippet(
        document_id=IDS[0],
        text="A note of Mara Quill to Abel Stone.",
        author=Author.HUMAN,
        foreign=("Abel Stone",),
    )


def test_the_last_edit_of_a_place_counts_and_a_veto_goes_before_any() -> None:
    first, second = (EditSnippet(document_id=IDS[0], round=1, text=text) for text in ("One.", "Two."))
    assert steering(first, second).edits == {(1, IDS[0]): "Two."}
    context, _ = read(steering(VetoSnippet(document_id=IDS[0], round=1), first), Scripted(speaks))
    assert context.rounds[0].snippets[0].text == ""


def test_the_earliest_pin_and_the_earliest_exclusion_count() -> None:
    by = steering(
        PinSnippet(document_id=IDS[0], round=2),
        PinSnippet(document_id=IDS[0], round=1),
        ExcludeDocument(document_id=IDS[1], round=1),
        ExcludeDocument(document_id=IDS[1], round=2),
    )
    assert (by.pins, by.exclusions) == ({IDS[0]: 1}, {IDS[1]: 1})


def test_rounds_beyond_the_most_are_not_read() -> None:
    assert steering(*[AddRound()] * 9).rounds == MAX_ROUNDS
    assert unsteered(SETTINGS).rounds == 2


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (Hint(round=2, text=" "), "empty"),
        (Hint(round=2, text="tide " * 200), "too long"),
        (EditSnippet(document_id=IDS[0], round=1, text="tide " * 2_000), "fewer words"),
        (ExcludeDocument(document_id=IDS[3], round=0), "last document"),
        (AddRound(only=(IDS[0],)), "Choose others"),
    ],
)
def test_a_change_that_cannot_be_made_says_what_to_do(change: Steer, fault: str) -> None:
    gone = [ExcludeDocument(document_id=each, round=0) for each in IDS[:3]]
    with pytest.raises(R3ConError, match=fault):
        check_steer(change, steering(*gone), IDS)


def test_changes_since_are_counted_made_and_taken_back() -> None:
    made: list[Steer] = [PinSnippet(document_id=IDS[0], round=1), AddRound(), AddRound()]
    taken = marks_of(entries(made[:2]))
    assert differ(taken, entries(made)) == 1
    assert differ(taken, entries(made, frozenset({0}))) == 2
    assert differ(taken, entries(made[:2])) == 0
