"""What a group of neighbouring snippets says in short, where all snippets together outgrow the window.

Which groups there are is `digest_tree`'s; who is shown which digest is `views`'s.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from r3con_core.documents import estimate_tokens
from r3con_core.errors import ReplyError
from r3con_core.exchange import About, Exchange, Finish, Prompt, Reply, Stage
from r3con_core.method.brief import Brief
from r3con_core.method.digest_tree import Group, Plan, digest_label, digest_numbers, snippet_label
from r3con_core.method.grounding import belongs_elsewhere, foreign_terms
from r3con_core.method.layout import OVERHEAD, Blocks, Order, arrange, common_text, words_block
from r3con_core.method.marks import note_text, one_line
from r3con_core.method.prompts import fill
from r3con_core.method.reading import ask_until_read, decode_cut_object, decode_object
from r3con_core.method.shortening import share_out, shorten
from r3con_core.snippets import Digest, RelevanceSnippet, Round

LEVEL_STEP = 100_000
"""In `About.part`, a digest's level is this many; no level has as many digests."""
LEAST_SOURCES_ROOM = 256
BEGINNING = 10
"""Tokens of a snippet that no item tells."""
WORTH_ASKING = 16
"""Tokens; a shorter digest is not worth a call."""
TOKENS_PER_ITEM = 12
"""Of a digest: a document's number, and the few words that say what others may need of it."""


_ITEM: dict[str, Any] = {
    "type": "object",
    "properties": {"document": {"type": "integer"}, "says": {"type": "string"}},
    "required": ["document", "says"],
    "additionalProperties": False,
}
"""Each item is of one document and can be checked against it: asked for a text, or for items of several documents, a 1.5B
model mixed one document's names with another's figures."""
_SHAPE: dict[str, Any] = {
    "type": "object",
    "properties": {"digest": {"type": "array", "items": _ITEM}},
    "required": ["digest"],
    "additionalProperties": False,
}


def _shape_for(items: int) -> dict[str, Any]:
    """As it is asked for: a small model goes on without end where it can."""
    return {**_SHAPE, "properties": {"digest": {**_SHAPE["properties"]["digest"], "maxItems": items}}}


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestJob:
    """One digest to be written."""

    round: int
    """Number of the round whose snippets it tells."""
    group: Group
    tokens: int
    """Room for its text."""
    sources: tuple[RelevanceSnippet | Digest, ...]
    """What it is made of, in corpus order."""


def jobs_of_level(plan: Plan, of: Round, level: int, below: Sequence[Digest] = ()) -> tuple[DigestJob, ...]:
    """The digests of `level`, from 1, to be written in any order; `below` are those of the level under it, in order."""
    said = {snippet.document_id: snippet for snippet in of.snippets}
    snippets = [said[i] for i in plan.ids] if level == 1 else []
    return tuple(
        DigestJob(
            round=of.number,
            group=group,
            tokens=plan.tokens,
            sources=tuple(snippets[p] for p in group.below) if level == 1 else tuple(below[p] for p in group.below),
        )
        for group in plan.levels[level - 1]
    )


def write_digest(brief: Brief, job: DigestJob) -> Exchange[Digest]:
    """The model's digest of a group: items with the number of their document, such as "12: paid by Bennet; 15: ...".

    Items whose names or figures are not in what the model was shown of that document are left out; the beginnings of
    snippets of which no item is left follow. The last ones may not fit in `job.tokens`. Where that is too little to say
    anything, no model is asked.
    NoUsableReplyError after three attempts: then `cut_digest` is there.
    """
    if job.tokens < WORTH_ASKING:
        return cut_digest(brief, job)
    lines = _lines(brief, job)
    notes = (_common(brief, "notes", others=False), *lines, _common(brief, "end"))
    prompt = Prompt(
        stage=Stage.DIGEST,
        about=About(round=job.round, part=job.group.level * LEVEL_STEP + job.group.number),
        messages=arrange(
            brief,
            Blocks(guide=_guide(brief), notes=notes, material=words_block(brief), request=_request(brief, job)),
            Order.GUIDE_FIRST,
        ),
        mark=brief.mark,
        shape=_shape_for(_items(job)),
        max_tokens=_reply_tokens(job),
    )
    shown = {
        brief.corpus.number(i): line
        for line, source in zip(lines, job.sources, strict=True)
        for i in _documents(source)
    }
    items = yield from ask_until_read(prompt, partial(_read_items, shown=shown))
    told = {number for number, _ in items}
    texts = [f"{number}: {note_text(says, brief.mark)}" for number, says in items]
    texts += [
        _beginning(brief, s) for s in job.sources if not any(brief.corpus.number(i) in told for i in _documents(s))
    ]
    return _digest(job, _as_many_as_fit(texts, job), cut=False)


def _documents(source: RelevanceSnippet | Digest) -> tuple[str, ...]:
    return source.covers if isinstance(source, Digest) else (source.document_id,)


def _items(job: DigestJob) -> int:
    return max(2, job.tokens // TOKENS_PER_ITEM)


def _request(brief: Brief, job: DigestJob) -> str:
    room = job.tokens // _items(job)
    return fill(
        "digest",
        brief.settings.prompts,
        "request",
        numbers=digest_numbers(brief.corpus, job.group.covers),
        items=_items(job),
        words=max(4, room * 2 // 3),
        letters=max(6, room * 2 // 3),
    )


def cut_digest(brief: Brief, job: DigestJob) -> Digest:
    """What stands in for a digest when the model gave none: the beginnings of what it covers, as far as they fit."""
    labels = [f"{_numbers(brief, source)}: " for source in job.sources]
    texts = [_told(brief, source) for source in job.sources]
    separators = len(labels) - 1
    rooms = share_out([estimate_tokens(t) for t in texts], job.tokens - sum(map(estimate_tokens, labels)) - separators)
    beginnings = [label + shorten(text, max(room, 3)) for label, text, room in zip(labels, texts, rooms, strict=True)]
    return _digest(job, shorten("; ".join(beginnings), job.tokens), cut=True)


def _digest(job: DigestJob, text: str, *, cut: bool) -> Digest:
    group = job.group
    return Digest(level=group.level, number=group.number, covers=group.covers, text=text, cut=cut)


def _numbers(brief: Brief, source: RelevanceSnippet | Digest) -> str:
    return digest_numbers(brief.corpus, _documents(source))


def _lines(brief: Brief, job: DigestJob) -> list[str]:
    """The sources, a line each, the longer ones shortened where they do not fit the window."""
    labels = [_label(brief, source) for source in job.sources]
    texts = [_told(brief, source) for source in job.sources]
    around = sum(map(estimate_tokens, (common_text(brief), _guide(brief), words_block(brief)))) + 120
    room = int((brief.settings.window - _reply_tokens(job)) / OVERHEAD) - around
    room = max(room, LEAST_SOURCES_ROOM) - sum(estimate_tokens(label) + 1 for label in labels)
    rooms = share_out([estimate_tokens(text) for text in texts], room)
    return [f"{label} {shorten(text, room)}" for label, text, room in zip(labels, texts, rooms, strict=True)]


def _told(brief: Brief, source: RelevanceSnippet | Digest) -> str:
    """The text of a source on one line; only a digest tells of several documents."""
    return (one_line if isinstance(source, Digest) else note_text)(source.text, brief.mark)


def _label(brief: Brief, source: RelevanceSnippet | Digest) -> str:
    if isinstance(source, Digest):
        return digest_label(_numbers(brief, source))
    return snippet_label(brief.corpus.number(source.document_id))


def _reply_tokens(job: DigestJob) -> int:
    """Other tokenizers than ours may need more, and the form takes some."""
    return job.tokens * 2 + 16 * _items(job) + 20


def _guide(brief: Brief) -> str:
    return fill("digest", brief.settings.prompts, "guide")


def _common(brief: Brief, section: str, **values: object) -> str:
    return fill("common", brief.settings.prompts, section, fence=brief.mark, **values)


def _beginning(brief: Brief, source: RelevanceSnippet | Digest) -> str:
    return f"{_numbers(brief, source)}: {shorten(_told(brief, source), BEGINNING)}"


def _read_items(reply: Reply, shown: Mapping[int, str]) -> list[tuple[int, str]]:
    """The items that hold, each once, with the numbers of their documents. A cut reply loses its last item.

    `shown` is what the model saw of each document.
    """
    if reply.finish is Finish.CUT_OFF:
        reply = replace(reply, text=json.dumps(decode_cut_object(reply)), finish=Finish.COMPLETE)
    kept: list[tuple[int, str]] = []
    strange = ""
    for item in decode_object(reply, _SHAPE)["digest"]:
        number, says = item["document"], " ".join(item["says"].split()).rstrip(" .;")
        if not says or number not in shown:
            continue
        if _is_foreign(says, number, shown):
            strange = strange or f"{number}: {says}"
        else:
            kept.append((number, says))
    if not kept:
        fault = f"it holds what the note on this document does not say ({strange})" if strange else "it has no items"
        raise ReplyError(f"{fault}; give items of what the notes say, each with the number of its document")
    return _one_of_each_first(list(dict.fromkeys(kept)), shown)


def _one_of_each_first(items: Sequence[tuple[int, str]], shown: Mapping[int, str]) -> list[tuple[int, str]]:
    """The first item of each source, then the second of each, and so on; else in their order."""
    seen: Counter[str] = Counter()
    turns: list[int] = []
    for number, _ in items:
        turns.append(seen[shown[number]])
        seen[shown[number]] += 1
    return [item for _, item in sorted(zip(turns, items, strict=True), key=lambda pair: pair[0])]


def _is_foreign(says: str, number: int, shown: Mapping[int, str]) -> bool:
    """Whether it holds names or figures that this document's note does not, or is told in the words of others' notes."""
    own = shown[number]
    others = (line for line in dict.fromkeys(shown.values()) if line != own)
    return bool(foreign_terms(says, own)) or belongs_elsewhere(says, own, others)


def _as_many_as_fit(texts: Sequence[str], job: DigestJob) -> str:
    """As many as were asked for, the longer ones shortened; then those of the others that fit."""
    asked, others = texts[: _items(job)], texts[_items(job) :]
    rooms = share_out([estimate_tokens(text) for text in asked], job.tokens - len(asked) + 1)
    told = "; ".join(shorten(text, room) for text, room in zip(asked, rooms, strict=True))
    for text in others:
        if estimate_tokens(f"{told}; {text}") <= job.tokens:
            told = f"{told}; {text}"
    return told
