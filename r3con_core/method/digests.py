"""What a group of neighbouring snippets says in short, where all snippets together outgrow the window.

Which groups there are is `digest_tree`'s; who is shown which digest is `views`'s.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from r3con_core.documents import estimate_tokens
from r3con_core.errors import ReplyError
from r3con_core.exchange import About, Exchange, Prompt, Reply, Stage
from r3con_core.method.brief import Brief
from r3con_core.method.digest_tree import Group, Plan, digest_label, digest_numbers, snippet_label
from r3con_core.method.grounding import foreign_terms
from r3con_core.method.layout import OVERHEAD, Blocks, Order, arrange, common_text, one_line
from r3con_core.method.prompts import fill
from r3con_core.method.reading import ask_until_read, decode_object
from r3con_core.method.shortening import share_out, shorten
from r3con_core.snippets import Digest, RelevanceSnippet, Round

LEVEL_STEP = 100_000
"""In `About.part`, a digest's level is this many; no level has as many digests."""
LEAST_SOURCES_ROOM = 256
_SHAPE: dict[str, Any] = {
    "type": "object",
    "properties": {"digest": {"type": "string"}},
    "required": ["digest"],
    "additionalProperties": False,
}
_SENTENCE = re.compile(r".+?(?:[.!?](?=\s)|[。！？]|$)\s*", re.DOTALL)  # noqa: RUF001 - Chinese and Japanese stops


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestJob:
    """One digest to be written."""

    round: int
    """Number of the round whose snippets it tells."""
    group: Group
    tokens: int
    """Room for its text."""
    sources: tuple[RelevanceSnippet, ...] | tuple[Digest, ...]
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
    """The model's digest of a group, without sentences whose names or figures its sources do not hold.

    At most `job.tokens` long; what a longer reply says after that is lost. NoUsableReplyError after three attempts: then
    `cut_digest` is there.
    """
    lines = _lines(brief, job)
    version = brief.settings.prompts
    request = fill(
        "digest",
        version,
        "request",
        numbers=digest_numbers(brief.corpus, job.group.covers),
        words=max(8, job.tokens * 2 // 3),
        letters=job.tokens * 4 // 5,
    )
    notes = (_common(brief, "notes", others=False), *lines, _common(brief, "end"))
    prompt = Prompt(
        stage=Stage.DIGEST,
        about=About(round=job.round, part=job.group.level * LEVEL_STEP + job.group.number),
        messages=arrange(brief, Blocks(guide=_guide(brief), notes=notes, request=request), Order.GUIDE_FIRST),
        shape=_SHAPE,
        max_tokens=_reply_tokens(job.tokens),
    )
    text = yield from ask_until_read(prompt, partial(_read_digest, sources="\n".join(lines), tokens=job.tokens))
    return _digest(job, text, cut=False)


def cut_digest(brief: Brief, job: DigestJob) -> Digest:
    """What stands in for a digest when the model gave none: the beginnings of what it covers, as far as they fit."""
    labels = [f"{_numbers(brief, source)}: " for source in job.sources]
    texts = [one_line(source.text, brief.mark) for source in job.sources]
    separators = len(labels) - 1
    rooms = share_out([estimate_tokens(t) for t in texts], job.tokens - sum(map(estimate_tokens, labels)) - separators)
    beginnings = [label + shorten(text, max(room, 3)) for label, text, room in zip(labels, texts, rooms, strict=True)]
    return _digest(job, shorten("; ".join(beginnings), job.tokens), cut=True)


def _digest(job: DigestJob, text: str, *, cut: bool) -> Digest:
    group = job.group
    return Digest(level=group.level, number=group.number, covers=group.covers, text=text, cut=cut)


def _numbers(brief: Brief, source: RelevanceSnippet | Digest) -> str:
    covers = source.covers if isinstance(source, Digest) else (source.document_id,)
    return digest_numbers(brief.corpus, covers)


def _lines(brief: Brief, job: DigestJob) -> list[str]:
    """The sources, a line each, the longer ones shortened where they do not fit the window."""
    labels = [_label(brief, source) for source in job.sources]
    texts = [one_line(source.text, brief.mark) for source in job.sources]
    around = estimate_tokens(common_text(brief)) + estimate_tokens(_guide(brief)) + 120
    room = int((brief.settings.window - _reply_tokens(job.tokens)) / OVERHEAD) - around
    room = max(room, LEAST_SOURCES_ROOM) - sum(estimate_tokens(label) + 1 for label in labels)
    rooms = share_out([estimate_tokens(text) for text in texts], room)
    return [f"{label} {shorten(text, room)}" for label, text, room in zip(labels, texts, rooms, strict=True)]


def _label(brief: Brief, source: RelevanceSnippet | Digest) -> str:
    if isinstance(source, Digest):
        return digest_label(_numbers(brief, source))
    return snippet_label(brief.corpus.number(source.document_id))


def _reply_tokens(tokens: int) -> int:
    """Other tokenizers than ours may need more, and the form takes some."""
    return tokens * 2 + 40


def _guide(brief: Brief) -> str:
    return fill("digest", brief.settings.prompts, "guide", look_for=brief.look_for)


def _common(brief: Brief, section: str, **values: object) -> str:
    return fill("common", brief.settings.prompts, section, fence=brief.mark, **values)


def _read_digest(reply: Reply, sources: str, tokens: int) -> str:
    text = " ".join(decode_object(reply, _SHAPE)["digest"].split())
    if not text:
        raise ReplyError("the digest is empty; say what the notes say, in short")
    told = [sentence for sentence in _SENTENCE.findall(text) if not foreign_terms(sentence, sources)]
    if not told:
        raise ReplyError(f"these are not in the notes: {', '.join(foreign_terms(text, sources)[:5])}")
    return _first_sentences(told, tokens)


def _first_sentences(sentences: Sequence[str], tokens: int) -> str:
    """As many whole sentences as fit; the beginning of the first when it does not."""
    kept = ""
    for sentence in sentences:
        if estimate_tokens(kept + sentence) > tokens:
            break
        kept += sentence
    return kept.strip() or shorten(sentences[0].strip(), tokens)
