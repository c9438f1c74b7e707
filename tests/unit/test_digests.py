"""Snippets that outgrow the window: how they are digested, and what each reader is shown of them."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r3con_core.documents import Corpus, Document, Source, estimate_tokens
from r3con_core.errors import NoUsableReplyError
from r3con_core.exchange import Finish, Prompt, Reply, Stage, converse
from r3con_core.method.brief import Brief, make_brief
from r3con_core.method.digest_tree import Plan, digest_label, digest_numbers, make_plan, plan_of, snippet_label
from r3con_core.method.digests import DigestJob, cut_digest, jobs_of_level, write_digest
from r3con_core.method.shortening import shorten
from r3con_core.method.views import Lookout, View, make_lookout
from r3con_core.runs import Guidance, RunSettings
from r3con_core.snippets import Digest, RelevanceSnippet, Round
from r3con_core.tasks import make_task
from tests.fakes import Scripted

TASK = "Who paid for the landings?"


def corpus_of(count: int) -> Corpus:
    source = Source(path="memo.txt", sha256="0" * 64, media_type="text/plain")
    return Corpus(
        documents=tuple(
            Document(id=f"doc-{n}", title=f"Memo {n}", text=f"Crate {n * 7919} came.", source=source)
            for n in range(1, count + 1)
        )
    )


def round_of(texts: Sequence[str], number: int = 1) -> Round:
    snippets = (RelevanceSnippet(document_id=f"doc-{n}", text=text) for n, text in enumerate(texts, start=1))
    return Round(number=number, snippets=tuple(snippets))


def brief_of(count: int, **settings: object) -> Brief:
    return make_brief(make_task(TASK), corpus_of(count), RunSettings(model="m", **settings))  # type: ignore[arg-type]


def filled(plan: Plan, of: Round) -> Round:
    """Digests as long as they may be, each naming what it is made of."""
    digests: list[Digest] = []
    below: tuple[Digest, ...] = ()
    for level in range(1, len(plan.levels) + 1):
        jobs = jobs_of_level(plan, of, level, below)
        below = tuple(
            Digest(level=level, number=job.group.number, covers=job.group.covers, text=" ".join(["word"] * job.tokens))
            for job in jobs
        )
        digests += below
    return replace(of, digests=tuple(digests))


def lookout_of(texts: Sequence[str], room: int) -> Lookout:
    corpus, of = corpus_of(len(texts)), round_of(texts)
    plan = make_plan(corpus, of.snippets, room=room)
    return make_lookout(corpus, plan, filled(plan, of), task=TASK)


def lines(corpus: Corpus, view: View) -> str:
    digests = [d for level in view.digests for d in level]
    return "\n".join(
        [
            *(f"{digest_label(digest_numbers(corpus, d.covers))} {d.text}" for d in digests),
            *(f"{snippet_label(corpus.number(s.document_id))} {s.text}" for s in (*view.near, *view.chosen)),
        ]
    )


WORDS = st.lists(st.sampled_from("heron crate paid 4200 Bennet quay night 付款 การจ่าย".split()), max_size=90)
TEXTS = st.lists(st.one_of(st.just(""), WORDS.map(" ".join)), min_size=1, max_size=120)
ROOMS = st.integers(min_value=500, max_value=6000)


@settings(deadline=None, max_examples=60)
@given(texts=TEXTS, room=ROOMS, data=st.data())
def test_a_reader_is_shown_every_other_snippet_once_in_some_form_and_never_its_own(
    texts: list[str], room: int, data: st.DataObject
) -> None:
    lookout = lookout_of(texts, room)
    reader = data.draw(st.sampled_from(lookout.corpus.documents))
    view = lookout.others(reader, room)
    others = sorted(f"doc-{n}" for n, text in enumerate(texts, start=1) if text and f"doc-{n}" != reader.id)
    sight = view.sight
    assert sorted([*sight.whole, *sight.shortened, *sight.digested]) == others
    assert not any(reader.id in digest.covers for level in view.digests for digest in level)
    said = {snippet.document_id: snippet.text for snippet in (*view.near, *view.chosen)}
    assert sorted(said) == sorted([*sight.whole, *sight.shortened])
    assert [i for i in sight.whole if said[i] != texts[lookout.corpus.number(i) - 1]] == []
    assert [i for i in sight.shortened if not said[i].endswith("…")] == []
    assert estimate_tokens(lines(lookout.corpus, view)) <= room


@settings(deadline=None, max_examples=40)
@given(texts=TEXTS, room=ROOMS, own=WORDS, data=st.data())
def test_what_a_reader_is_shown_does_not_depend_on_what_its_own_snippet_says(
    texts: list[str], room: int, own: list[str], data: st.DataObject
) -> None:
    place = data.draw(st.integers(min_value=0, max_value=len(texts) - 1))
    before, after = list(texts), list(texts)
    before[place], after[place] = "Nothing but this.", " ".join(["Said", *own])
    reader = corpus_of(len(texts)).documents[place]
    assert lookout_of(before, room).others(reader, room) == lookout_of(after, room).others(reader, room)


@settings(deadline=None, max_examples=40)
@given(texts=TEXTS, room=ROOMS)
def test_a_stage_that_reads_all_is_shown_every_snippet_in_some_form(texts: list[str], room: int) -> None:
    lookout = lookout_of(texts, room)
    saying = sorted(f"doc-{n}" for n, text in enumerate(texts, start=1) if text)
    for view in (lookout.all(room), lookout.all_for(lookout.corpus.documents[0], room)):
        assert sorted([*view.sight.whole, *view.sight.shortened, *view.sight.digested]) == saying
        assert estimate_tokens(lines(lookout.corpus, view)) <= room


@settings(deadline=None, max_examples=40)
@given(texts=TEXTS, room=ROOMS, share=st.floats(min_value=0.35, max_value=1))
def test_a_smaller_window_later_is_kept_with_the_digests_there_are(texts: list[str], room: int, share: float) -> None:
    lookout = lookout_of(texts, room + 1000)
    view = lookout.others(lookout.corpus.documents[-1], int((room + 1000) * share))
    assert estimate_tokens(lines(lookout.corpus, view)) <= int((room + 1000) * share)


@pytest.mark.parametrize("count", [215, 2000, 20000])
@pytest.mark.parametrize("room", [700, 2500, 5000, 30000])
def test_digests_take_at_most_half_of_the_room_and_have_room_to_say_something(count: int, room: int) -> None:
    corpus = corpus_of(count)
    plan = make_plan(corpus, round_of(["Bennet paid."] * count).snippets, room=room)
    label = estimate_tokens(digest_label(f"{count}-{count}")) + 1
    beside = [_shown_beside(plan, place) for place in (0, count // 3, count - 1)]
    assert max(beside) * (plan.tokens + label) <= room // 2 or plan.tokens == 8
    assert plan.tokens >= (24 if room > 700 or count == 215 else 8)


def _shown_beside(plan: Plan, place: int) -> int:
    """How many digests the reader at `place` is shown."""
    path = plan.path(place)
    above = zip(plan.levels[1:], path[1:], strict=True)
    return len(plan.levels[-1]) - 1 + sum(len(level[p].below) - 1 for level, p in above)


def test_groups_are_neighbours_that_say_something_and_cover_all_of_them_once_at_each_level() -> None:
    texts = ["" if n % 3 == 0 else f"Crate {n}." for n in range(2000)]
    plan = make_plan(corpus_of(2000), round_of(texts).snippets, room=1500)
    assert len(plan.levels) >= 2
    for level in plan.levels:
        assert [i for group in level for i in group.covers] == list(plan.ids)
        assert [group.number for group in level] == list(range(1, len(level) + 1))
        assert max(len(group.below) for group in level) <= 16
    assert len(plan.ids) == sum(map(bool, texts))


def test_readers_of_one_group_share_all_digests() -> None:
    lookout = lookout_of(["Bennet paid 40 for the Heron."] * 600, 2000)
    group = lookout.plan.levels[0][5]
    shown = {lookout.others(lookout.corpus.get(i), 2000).digests for i in group.covers}
    assert len(shown) == 1


def test_a_document_with_nothing_to_say_is_in_no_digest_and_still_sees_all_others() -> None:
    texts = ["Bennet paid 40 for the Heron."] * 400
    texts[7] = ""
    lookout = lookout_of(texts, 2000)
    view = lookout.others(lookout.corpus.documents[7], 2000)
    assert len(view.digests) == 1
    assert sum(len(digest.covers) for digest in view.digests[0]) == 399


def test_a_snippet_that_bears_on_a_document_is_shown_word_for_word() -> None:
    filler = "The harbour master counted crates on the quay and went home for the night after a quiet watch. " * 3
    texts = [filler] * 300
    texts[6] = "The van NQ-108 belongs to Bennet. " + filler
    lookout = lookout_of(texts, 2500)
    reader = replace(lookout.corpus.documents[211], text="A van marked NQ-108 stood at the warehouse.")
    view = lookout.others(reader, 2500)
    assert "doc-7" in view.sight.whole
    assert texts[6] in [snippet.text for snippet in view.chosen]


def job_of(brief: Brief, texts: Sequence[str], *, tokens: int = 60) -> DigestJob:
    plan = make_plan(brief.corpus, round_of(texts).snippets, room=5000)
    return replace(jobs_of_level(plan, round_of(texts), 1)[0], tokens=tokens)


def said(*items: tuple[int, str]) -> Reply:
    return Reply(text=json.dumps({"digest": [{"document": number, "says": says} for number, says in items]}))


def shown(prompt: Prompt) -> str:
    return "\n".join(message.content for message in prompt.messages)


def test_a_digest_is_asked_of_the_snippets_with_their_numbers_between_marks() -> None:
    brief = brief_of(2)
    prompt = next(write_digest(brief, job_of(brief, ["Bennet paid 40.", "The Heron landed\nat night."])))
    text = shown(prompt)
    assert prompt.stage is Stage.DIGEST
    assert (prompt.about.round, prompt.about.part) == (1, 100001)
    assert f"<{brief.mark} notes>\n\nDocument 1: Bennet paid 40.\n\nDocument 2: The Heron landed at night." in text
    assert "Documents 1-2" in text
    assert TASK in text


def test_a_small_model_is_not_told_the_task_when_it_digests() -> None:
    brief = replace(brief_of(2, guidance=Guidance.FOCUS), look_for=("payments to pilots",))
    text = shown(next(write_digest(brief, job_of(brief, ["Bennet paid 40.", "The Heron landed."]))))
    assert TASK not in text
    assert "payments to pilots" in text


def test_an_item_holds_only_names_and_figures_of_the_document_it_names() -> None:
    brief = brief_of(3)
    reply = said((1, "Bennet paid 40."), (2, "Bennet landed"), (2, "landed 25"), (7, "paid 40"), (3, "landed"))
    job = job_of(brief, ["Bennet paid 40.", "The Heron landed 25.", "The Petrel landed."])
    digest = converse(write_digest(brief, job), Scripted(lambda _: reply.text))
    covers = ("doc-1", "doc-2", "doc-3")
    assert digest == Digest(level=1, number=1, covers=covers, text="1: Bennet paid 40; 2: landed 25; 3: landed")


def test_long_items_are_shortened_so_that_as_many_fit_as_were_asked_for() -> None:
    brief = brief_of(2)
    reply = said((1, "Bennet paid 40"), (2, "the Heron landed in the night of the storm and left"), (2, "landed"))
    job = job_of(brief, ["Bennet paid 40.", "The Heron landed in the night of the storm and left."], tokens=16)
    digest = converse(write_digest(brief, job), Scripted(lambda _: reply.text))
    assert digest.text == "1: Bennet paid 40; 2: the Heron landed in the night …"
    assert estimate_tokens(digest.text) <= 16


def test_every_document_gets_an_item_before_any_gets_a_second() -> None:
    brief = brief_of(2)
    job = job_of(brief, ["Bennet paid 40 at night.", "The Heron landed."])
    reply = said((1, "paid 40"), (1, "at night"), (2, "landed"))
    digest = converse(write_digest(brief, job), Scripted(lambda _: reply.text))
    assert digest.text == "1: paid 40; 2: landed; 1: at night"


def test_a_document_without_an_item_is_told_by_the_beginning_of_its_snippet() -> None:
    brief = brief_of(3)
    job = job_of(brief, ["Bennet paid 40.", "The Heron landed 25 in the night of the storm and left.", "Petrel."])
    digest = converse(write_digest(brief, job), Scripted(lambda _: said((1, "paid 40"), (2, "paid 40")).text))
    assert digest.text == "1: paid 40; 2: The Heron landed 25 in the night of …; 3: Petrel."


def test_a_reply_of_nothing_but_foreign_items_is_refused_with_the_first_of_them() -> None:
    brief = brief_of(2)
    exchange = write_digest(brief, job_of(brief, ["Bennet paid 40.", "The Heron landed."]))
    next(exchange)
    again = exchange.send(said((2, "paid by Mrs Carver")))
    assert "what the note on this document does not say (2: paid by Mrs Carver)" in again.messages[-1].content


def test_a_reply_that_was_cut_off_keeps_its_whole_items() -> None:
    brief = brief_of(2)
    text = said((1, "Bennet paid 40"), (2, "the Heron landed")).text[:-12]
    exchange = write_digest(brief, job_of(brief, ["Bennet paid 40.", "At night the Heron landed."]))
    next(exchange)
    with pytest.raises(StopIteration) as end:
        exchange.send(Reply(text=text, finish=Finish.CUT_OFF))
    assert end.value.value.text == "1: Bennet paid 40; 2: At night the Heron landed."


def test_a_group_without_a_usable_reply_is_told_by_the_beginnings_of_its_snippets() -> None:
    brief = brief_of(2)
    job = job_of(brief, ["Bennet paid 40 to the pilot of the Heron on the night of the storm.", "No."], tokens=20)
    with pytest.raises(NoUsableReplyError):
        converse(write_digest(brief, job), Scripted(lambda _: said().text))
    digest = cut_digest(brief, job)
    assert digest.cut
    assert digest.text == "1: Bennet paid 40 to the pilot of the Heron on the …; 2: No."
    assert estimate_tokens(digest.text) <= 20


def test_no_model_is_asked_for_a_digest_too_short_to_say_anything() -> None:
    brief, model = brief_of(2), Scripted()
    digest = converse(write_digest(brief, job_of(brief, ["Bennet paid 40.", "No."], tokens=12)), model)
    assert digest == cut_digest(brief, job_of(brief, ["Bennet paid 40.", "No."], tokens=12))
    assert model.prompts == []


def test_higher_levels_are_digests_of_digests() -> None:
    brief = brief_of(600)
    of = round_of(["Bennet paid 40."] * 600)
    plan = make_plan(brief.corpus, of.snippets, room=1500)
    below = tuple(cut_digest(brief, job) for job in jobs_of_level(plan, of, 1))
    job = jobs_of_level(plan, of, 2, below)[0]
    prompt = next(write_digest(brief, job))
    assert prompt.about.part == 200001
    assert f"{digest_label(digest_numbers(brief.corpus, below[0].covers))} {below[0].text}" in shown(prompt)
    assert job.group.covers == tuple(i for digest in job.sources for i in digest.covers)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "script", ["The Heron landed 40 cases at Dunwich. ", "苍鹭号在敦威治卸下四十箱货物。", "เรือนกกระสาขนลังขึ้นฝั่ง"]
)
def test_the_longest_group_fits_the_smallest_window(script: str) -> None:
    brief = brief_of(300, window=2048)
    of = round_of([script * 400] * 300)
    plan = make_plan(brief.corpus, of.snippets, room=700)
    prompt = next(write_digest(brief, jobs_of_level(plan, of, 1)[0]))
    assert estimate_tokens(shown(prompt)) + prompt.max_tokens <= 2048


@pytest.mark.parametrize(
    "text", ["苍鹭号 " + "在敦威治卸下四十箱货物" * 20, "เรือ " + "ขนลังขึ้นฝั่งที่ท่าเรือ" * 20, "word " * 200]
)
def test_a_shortened_text_uses_its_room_in_any_script(text: str) -> None:
    cut = shorten(text, 40)
    assert 30 <= estimate_tokens(cut) <= 40
    assert cut.endswith(" …")


@settings(deadline=None)
@given(text=st.text(alphabet="ab 7,.\n付款กา่", max_size=400), tokens=st.integers(min_value=3, max_value=60))
def test_a_shortened_text_is_within_its_room(text: str, tokens: int) -> None:
    assert estimate_tokens(shorten(text, tokens)) <= tokens


@pytest.mark.parametrize("said", ["第1批黑麦卖给了孙女士,价格四十英镑", "ล็อตที่109ขายข้าวไรย์ให้กับคุณซันที่ท่าเรือ"])
def test_a_cut_does_not_go_back_over_a_text_without_blanks_to_the_blank_before_it(said: str) -> None:
    assert shorten(f"109: {said}", 11).startswith(f"109: {said[:4]}")


def test_a_snippet_of_several_parts_is_shortened_in_each_of_them() -> None:
    parts = ["The first part tells of Bennet and his forty payments to pilots.", "The second part is on the Heron."]
    text = "\n".join(part + " More of it follows here, at length." * 8 for part in parts)
    cut = shorten(text, 30)
    first, second = (
        "The first part tells of Bennet and his forty payments to pilots. …",
        "The second part is on the Heron.",
    )
    assert cut == f"{first} {second} More of it follows …"


def test_the_plan_of_written_digests_is_the_one_they_were_written_by() -> None:
    of = round_of(["" if n % 3 == 0 else "Bennet paid 40." for n in range(2000)])
    plan = make_plan(corpus_of(2000), of.snippets, room=1500)
    assert plan_of(filled(plan, of).digests) == replace(plan, tokens=0, room=0)
