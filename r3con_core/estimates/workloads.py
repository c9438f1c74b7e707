"""What each stage of a planned run asks: calls, tokens sent, tokens that an earlier prompt begins with, tokens written.

Lengths of instructions are those of the prompts of version 3, as `estimate_tokens` counts them; a test holds them to it.
"""

from dataclasses import replace
from math import sqrt

from r3con_core.answers import Mode
from r3con_core.estimates.plans import Notes, Plan, Work
from r3con_core.exchange import Stage
from r3con_core.method import layout
from r3con_core.method.reasoning import NOTES_SHARE, RECORDS_SHARE, share_of
from r3con_core.runs import Layout

COMMON = 110
"""What every prompt over documents begins with, the task included."""
FRAME, END = 28, 8
"""Around snippets."""
DOCUMENT = 44
"""Around a document."""
WORDS = 43
"""What readers look for, between marks."""
READING_GUIDE, READING_REQUEST, AGAIN_REQUEST = 285 + WORDS, 50, 130
PARSING_GUIDE, PARSING_REQUEST, OUTLINE = 305, 30, 110
SCHEMA_GUIDE, SCHEMA_REQUEST, SCHEMA_REPLY = 410, 185, 320
TABLE_GUIDE, TABLE_REQUEST, TABLE_REPLY = 185, 155, 170
REASONING_GUIDE, REASONING_REQUEST, STEP_REPLY, STEP_SHOWN = 360, 30, 200, 200
DIRECT_GUIDE, DIRECT_REQUEST, ANSWER_REPLY = 90, 115, 200
QUERY, CONCLUSION = 450, 760
DIGEST_GUIDE, DIGEST_REQUEST = 203 + WORDS, 70
FOCUS, FOCUS_REPLY = 160, 45
SNIPPET_FORM = 20
"""Braces and names around a snippet in a reply."""
COMPLAINT = 45
"""What is said of a reply that cannot be used."""


def focus_work(plan: Plan) -> Work:
    """The one call before round 1."""
    case = plan.case
    output = FOCUS_REPLY * case.wordy + case.thinking
    return _again(Work(stage=Stage.FOCUS, calls=1, prompt=FOCUS * case.fixed, output=output), plan, case.single_again)


def round_work(plan: Plan, number: int) -> Work:
    """One round of relevance."""
    read = _guide_first(plan, number) if plan.readers else Work(stage=Stage.RELEVANCE)
    notes = plan.notes if number > 1 else None
    around = READING_GUIDE + (AGAIN_REQUEST if number > 1 else READING_REQUEST)
    ahead = _document_first(plan, notes=notes, own=False, around=around)
    both = _with(read, ahead)
    usual = sum(plan.snippets) * plan.case.ratio + both.calls * SNIPPET_FORM
    output = usual * plan.case.replies + both.calls * plan.case.thinking
    work = replace(both, stage=Stage.RELEVANCE, round=number, output=output)
    return _again(work, plan, plan.case.read_again)


def _guide_first(plan: Plan, number: int) -> Work:
    """Calls on documents that stand after the snippets."""
    case, readers = plan.case, plan.readers
    calls = plan.calls(readers)
    request = DOCUMENT + (READING_REQUEST if number == 1 else AGAIN_REQUEST)
    text = plan.tokens(readers) * case.ratio + calls * request * case.fixed
    system = (COMMON + READING_GUIDE) * case.fixed
    if number == 1:
        return Work(stage=Stage.RELEVANCE, calls=calls, prompt=text + calls * system, shared=(calls - 1) * system)
    notes = plan.notes
    shown = sum(plan.parts[place] * notes.others(place) for place in readers) * case.ratio
    fresh = notes.fresh(readers, plan.settings.layout) * case.ratio
    frame = calls * FRAME * case.fixed
    end = calls * END * case.fixed
    return Work(
        stage=Stage.RELEVANCE,
        calls=calls,
        prompt=text + calls * system + frame + end + shown,
        shared=calls * system + frame + shown - fresh,
    )


def _document_first(plan: Plan, *, notes: Notes | None, own: bool, around: float) -> Work:
    """Calls on documents that stand before the `notes`; the round before has read them. `around`: guide and request."""
    case, places = plan.case, plan.first
    calls = plan.calls(places)
    text = plan.tokens(places) * case.ratio + calls * (COMMON + DOCUMENT) * case.fixed
    if notes is None:
        alone = text + calls * around * case.fixed
        return Work(stage=Stage.RELEVANCE, calls=calls, prompt=alone, shared=calls * COMMON * case.fixed)
    shown = sum(plan.parts[place] * (notes.total if own else notes.others(place)) for place in places) * case.ratio
    return Work(
        stage=Stage.RELEVANCE,
        calls=calls,
        prompt=text + shown + calls * (FRAME + END + around) * case.fixed,
        shared=text,
    )


def digest_work(plan: Plan, number: int) -> Work:
    """Calls after a round whose snippets outgrow the window."""
    case = plan.case
    digests = plan.notes.digests
    if digests is None:
        return Work(stage=Stage.DIGEST, round=number)
    calls = sum(digests.levels)
    label = layout.LABEL
    written = digests.tokens * case.digests
    snippets = sum(usual * case.snippets + label for usual in plan.snippets if usual)
    told = (snippets + (calls - digests.levels[-1]) * (written + label)) * case.ratio
    system = (COMMON + DIGEST_GUIDE) * case.fixed
    work = Work(
        stage=Stage.DIGEST,
        round=number,
        calls=calls,
        prompt=told + calls * (system + (FRAME + END + DIGEST_REQUEST) * case.fixed),
        shared=(calls - 1) * system + calls * FRAME * case.fixed,
        output=calls * (written * case.ratio + 10 + case.thinking),
    )
    return _again(work, plan, case.read_again)


def schema_work(plan: Plan) -> Work:
    """The proposal of a schema."""
    case, settings = plan.case, plan.settings
    small = settings.small_reasoner
    window = settings.reasoning_window or settings.window
    notes = plan.notes_within(layout.schema_notes_room(window, task=""))
    guide, reply = (
        (TABLE_GUIDE + TABLE_REQUEST, TABLE_REPLY) if small else (SCHEMA_GUIDE + SCHEMA_REQUEST, SCHEMA_REPLY)
    )
    prompt = notes.total * case.ratio + (COMMON + FRAME + END + guide) * case.fixed
    shared = COMMON * case.fixed if not settings.reasoning_model else 0.0
    work = Work(stage=Stage.SCHEMA, calls=1, prompt=prompt, shared=shared, output=reply * case.wordy + case.thinking)
    return _again(work, plan, case.single_again)


def parsing_work(plan: Plan) -> Work:
    """Parsing all documents."""
    notes = plan.notes
    around = PARSING_GUIDE + OUTLINE + PARSING_REQUEST
    both = _with(_snippets_first(plan), _document_first(plan, notes=notes, own=True, around=around))
    output = (record_tokens(plan) * plan.case.records) * plan.case.ratio + both.calls * plan.case.thinking
    return _again(replace(both, stage=Stage.PARSING, output=output), plan, plan.case.parsed_again)


def _snippets_first(plan: Plan) -> Work:
    case, readers = plan.case, plan.readers
    calls = plan.calls(readers)
    if not calls:
        return Work(stage=Stage.PARSING)
    notes = plan.notes
    before = notes.total * case.ratio + (COMMON + FRAME + END) * case.fixed
    guide = (PARSING_GUIDE + OUTLINE) * case.fixed
    text = plan.tokens(readers) * case.ratio + calls * (DOCUMENT + PARSING_REQUEST) * case.fixed
    by_schema = before if plan.settings.layout is Layout.SHARED and not plan.settings.reasoning_model else 0.0
    shared = (calls - 1) * (before + guide) + by_schema
    if notes.digests:
        shared = calls * ((COMMON + FRAME) * case.fixed + guide) + len(readers) * notes.digests.beside * case.ratio
        shared += (calls - len(readers)) * (before + guide)
    return Work(stage=Stage.PARSING, calls=calls, prompt=text + calls * (before + guide), shared=shared)


def record_tokens(plan: Plan) -> float:
    """Our tokens of all records, as is usual for documents of these lengths: 90 for 100 tokens, 360 for 4,000."""
    return sum(
        count * (40 + 5 * sqrt(tokens / count))
        for tokens, count in zip(plan.documents, plan.parts, strict=True)
        if count
    )


def reasoning_work(plan: Plan) -> Work:
    """From the records to the answer."""
    case, settings = plan.case, plan.settings
    window = settings.reasoning_window or settings.window
    records = min(record_tokens(plan) * case.records, share_of(window, RECORDS_SHARE, task="")) * case.ratio
    share = NOTES_SHARE
    if not settings.structure:
        records, share = 0.0, NOTES_SHARE + RECORDS_SHARE
    notes = plan.notes_within(share_of(window, share, task=""))
    known = (COMMON + FRAME + END) * case.fixed + notes.total * case.ratio
    shared = (
        0.0 if settings.reasoning_model or notes.shortened is not None or settings.layout is Layout.PAPER else known
    )
    if settings.mode is Mode.DIRECT or not settings.structure:
        prompt = known + records + (DIRECT_GUIDE + DIRECT_REQUEST) * case.fixed
        output = ANSWER_REPLY * case.wordy + case.thinking
        return _again(
            Work(stage=Stage.REASONING, calls=1, prompt=prompt, shared=shared, output=output), plan, case.turns - 1
        )
    if settings.small_reasoner:
        prompt = case.turns * (records + (QUERY + CONCLUSION) / 2 * case.fixed)
        return Work(
            stage=Stage.REASONING,
            calls=case.turns,
            first=case.turns,
            prompt=prompt,
            output=case.turns * 120 * case.wordy,
        )
    opening = known + records + (REASONING_GUIDE + OUTLINE + REASONING_REQUEST) * case.fixed
    return _turns(plan, opening, shared)


def _turns(plan: Plan, opening: float, shared: float) -> Work:
    """The coding agent's: each turn is told what all before it said and saw."""
    case = plan.case
    reply = STEP_REPLY * case.wordy
    each = reply + STEP_SHOWN * case.wordy
    told = each * case.turns * (case.turns - 1) / 2
    return Work(
        stage=Stage.REASONING,
        calls=case.turns,
        first=case.turns,
        prompt=case.turns * opening + told,
        shared=shared + (case.turns - 1) * opening + max(told - each * (case.turns - 1), 0.0),
        output=case.turns * (reply + case.thinking),
    )


def _with(one: Work, other: Work) -> Work:
    return replace(
        one, calls=one.calls + other.calls, prompt=one.prompt + other.prompt, shared=one.shared + other.shared
    )


def _again(work: Work, plan: Plan, share: float) -> Work:
    """With `share` of the calls asked once more: the same prompt with the reply and what is wrong with it."""
    said = work.output + work.calls * COMPLAINT * plan.case.fixed
    return replace(
        work,
        calls=work.calls * (1 + share),
        first=work.calls,
        prompt=work.prompt + (work.prompt + said) * share,
        shared=work.shared + work.prompt * share,
        output=work.output * (1 + share),
    )
