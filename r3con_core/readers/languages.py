"""What language a text is in: by its script where that says it, else by the letter groups of py3langid (BSD)."""

import re
from functools import cache
from typing import Any

LEAST_LETTERS = 40
"""Fewer tell nothing, but in scripts of one language."""
_LEAST_OF_SCRIPT = 4
_SAMPLE = 600
"""Characters looked at from the beginning, the middle and the end of a text."""
_SURE = 0.5
"""Probability below which the language stays open."""
_NO_WORDS = re.compile(r"https?://\S+|\S+@\S+|[\d_]+")
_LETTERS = re.compile(r"[^\W\d_]")
_SCRIPTS: tuple[tuple[str, str], ...] = (
    ("ko", "[\u1100-\u11ff\uac00-\ud7af]"),
    ("ja", "[\u3040-\u30ff\uff66-\uff9d]"),
    ("zh", "[\u3400-\u9fff\U00020000-\U000323af]"),
    ("he", "[\u05d0-\u05ea]"),
    ("ar", "[\u0620-\u06d3]"),
    ("el", "[\u0370-\u03ff\u1f00-\u1fff]"),
    ("th", "[\u0e00-\u0e7f]"),
    ("hy", "[\u0531-\u0587]"),
    ("ka", "[\u10a0-\u10ff]"),
)
"""Languages by their letters, in the order they are asked for: Japanese has Chinese characters too."""
_SHARE = {"ja": 0.1, "ko": 0.2}
"""Of all letters that must be of the script; half for the others."""
_IN_ARABIC_LETTERS = frozenset(("ar", "fa", "ur", "ps", "ug", "ku", "sd"))


def language_of(text: str) -> str:
    """The ISO 639-1 code of what most of `text` is written in; empty when that is open. Looks at three samples of it."""
    sample = _NO_WORDS.sub(" ", _sampled(text))
    letters = len(_LETTERS.findall(sample))
    by_script = _of_script(sample, letters)
    if by_script and (by_script != "ar" or letters < LEAST_LETTERS):
        return by_script
    if letters < LEAST_LETTERS:
        return ""
    code, probability = _identifier().classify(sample)
    if by_script == "ar":
        return code if code in _IN_ARABIC_LETTERS else "ar"
    return code if probability >= _SURE and len(code) == 2 else ""


def _sampled(text: str) -> str:
    if len(text) <= 3 * _SAMPLE:
        return text
    middle = len(text) // 2
    return " ".join((text[:_SAMPLE], text[middle : middle + _SAMPLE], text[-_SAMPLE:]))


def _of_script(sample: str, letters: int) -> str:
    if sample.isascii():
        return ""
    for code, script in _SCRIPTS:
        found = len(re.findall(script, sample))
        if found >= _LEAST_OF_SCRIPT and found >= _SHARE.get(code, 0.5) * letters:
            return code
    return ""


@cache
def _identifier() -> Any:
    """The model, read once from the package itself: 0.2 s and 40 MB."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
