"""What documents and models write is shown letter by letter: nothing in it is read as Markdown.

That Streamlit shows these so was seen in Chromium with 1.67; here the escapes are pinned.
"""

import pytest

from pages.widgets.errors import plain, revealed

JOINER = "\u2060"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Tea & *cake*", r"Tea \& \*cake\*"),
        ("[a](http://x.example)", rf"\[a\]\(http\:{JOINER}//x.example\)"),
        ("$x^2$", r"\$x^2\$"),
        ("<b>a</b>", r"\<b\>a\</b\>"),
        (":material/home: ", rf"\:{JOINER}material/home\: "),
        (":streamlit:", rf"\:{JOINER}streamlit\:"),
        ("a -> b -- c >= d", rf"a \-{JOINER}\> b \-{JOINER}\- c \>{JOINER}\= d"),
        ("1. first\n12. next", "1\\. first\n12\\. next"),
        ("    code", "code"),
        ("at 3.30 p.m.", "at 3.30 p.m."),
        ("Head\n===", "Head\n\\=\\=\\="),
        ("half \ud83d a letter", "half \ufffd a letter"),
    ],
)
def test_signs_of_markdown_are_letters(text: str, shown: str) -> None:
    assert plain(text) == shown


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("\u202edeen", "\u202c"),
        ("\u202c\u202edeen", "\u202c"),
        ("\u2067\u202bdeen", "\u2069\u202c"),
        ("\u200fدين", ""),
    ],
)
def test_a_text_turns_the_direction_of_nothing_that_follows_it(text: str, ends: str) -> None:
    assert plain(text) == (f"\u2068{text}{ends}\u2069" if ends else text)


def test_code_under_review_shows_the_signs_that_would_make_it_read_otherwise() -> None:
    assert revealed("if ok:\u202e # \u2066x\u200b\n    pass") == "if ok:[U+202E] # [U+2066]x[U+200B]\n    pass"
