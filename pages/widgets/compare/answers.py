"""Two answers side by side, sentence by sentence, with the words marked in which they differ."""

from collections import Counter
from collections.abc import Mapping, Sequence

import streamlit as st

from pages.widgets.errors import plain
from pages.widgets.words import count
from r3con_core.comparing.alignment import Verdict
from r3con_core.comparing.runs import SentencePair
from r3con_core.differences import lay_marks
from r3con_core.documents import Span

LOOKS = {
    Verdict.AGREE: ":green-badge[:material/check: agree]",
    Verdict.DIFFER: ":orange-badge[:material/difference: differ]",
    Verdict.LEFT: ":blue-badge[:material/arrow_back: only in the first]",
    Verdict.RIGHT: ":violet-badge[:material/arrow_forward: only in the second]",
}
"""Verdicts as signs with words."""
AGREE_HELP = (
    "Two sentences agree when they have the same figures and names, and neither turns round what the other says, as "
    "“not” does. Words in which they differ are marked. It is a comparison of letters, not of meaning: read them."
)


def show(pairs: Sequence[SentencePair], names: tuple[str, str]) -> None:
    """All sentences; `names` say whose answers they are."""
    st.markdown(f"**{in_words(pairs)}**", help=AGREE_HELP)
    with st.container(border=True):
        left, right, _ = st.columns(_WIDTHS)
        left.markdown(f"**First:** {plain(names[0])}")
        right.markdown(f"**Second:** {plain(names[1])}")
        for pair in pairs:
            _row(pair)


_WIDTHS = [4, 4, 2.2]


def _row(pair: SentencePair) -> None:
    left, right, verdict = st.columns(_WIDTHS)
    removed, added = (pair.words.removed, pair.words.added) if pair.words else ((), ())
    left.markdown(f"\u2068{marked(pair.left.text, removed)}\u2069" if pair.left else ":gray[(no such sentence)]")
    right.markdown(f"\u2068{marked(pair.right.text, added)}\u2069" if pair.right else ":gray[(no such sentence)]")
    verdict.markdown(LOOKS[pair.verdict])


def marked(text: str, spans: Sequence[Span]) -> str:
    """`text` as Markdown with the words in `spans` marked, by colour and by weight."""
    pieces = lay_marks(text, {"changed": spans})
    return "".join(
        f":orange-background[**{plain(piece.text)}**]" if piece.marks and piece.text.strip() else _between(piece.text)
        for piece in pieces
    )


def _between(text: str) -> str:
    """Text between marks; the blanks at its ends stay."""
    told = " ".join(text.split())
    before, after = (" " if text[:1].isspace() else ""), (" " if text[-1:].isspace() and told else "")
    return f"{before}{plain(told)}{after}"


def in_words(pairs: Sequence[SentencePair]) -> str:
    """Such as "3 of 5 sentences agree, 1 differs, 1 is only in the second"."""
    if not pairs:
        return "Neither has an answer"
    return verdicts_in_words(Counter(pair.verdict for pair in pairs), count(len(pairs), "sentence"))


def verdicts_in_words(found: Mapping[Verdict, int], things: str) -> str:
    """How many of the `things`, such as "5 sentences", agree, differ, or are on one side only."""
    differ = found.get(Verdict.DIFFER, 0)
    alone = {verdict: number for verdict in (Verdict.LEFT, Verdict.RIGHT) if (number := found.get(verdict, 0))}
    told = [f"{found.get(Verdict.AGREE, 0):,} of {things} agree"]
    told += [f"{differ:,} {'differs' if differ == 1 else 'differ'}"] if differ else []
    told += [f"{number:,} {'is' if number == 1 else 'are'} {verdict.value}" for verdict, number in alone.items()]
    return ", ".join(told)
